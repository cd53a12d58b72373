"""Selection (Barbier 2007, table 4.1; Quass 1996, section 3.1)."""

from __future__ import annotations

from rollview.algebra.relations import Filter, Relation
from rollview.maintenance.flow import Flow, Moment
from rollview.maintenance.pairs import minimal
from rollview.maintenance.program import Note, RuleName
from rollview.maintenance.tops import delta_tops, is_top


def delta_filter(filter: Filter, flow: Flow) -> Relation | None:
    """``d(F(Q)) = F(d(Q))``: ``D = F(D(Q))``, ``N = F(N(Q))``, minimal as those are.

    A bound on a rank keeps its rows, and goes on from them.
    """
    kept = flow.kept(filter)
    if kept is not None and is_top(filter):
        delta = delta_tops(filter, kept, flow)
        return None if delta is None else minimal(flow, delta)
    flow.note(filter, Note(RuleName.LINEAR))
    below = flow.delta(filter.child)
    return None if below is None else Filter(below, flow.condition(filter, Moment.AFTER))
