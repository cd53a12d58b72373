"""Selection is linear (Blakeley, Larson, Tompa 1986, section 5.1)."""

from __future__ import annotations

from rollview.algebra.relations import Filter, Relation
from rollview.maintenance.flow import Flow
from rollview.maintenance.program import Note, RuleName


def delta_filter(filter: Filter, flow: Flow) -> Relation | None:
    """``d(F(Q)) = F(d(Q))``."""
    flow.note(filter, Note(RuleName.LINEAR))
    below = flow.delta(filter.child)
    return None if below is None else Filter(below, filter.condition)
