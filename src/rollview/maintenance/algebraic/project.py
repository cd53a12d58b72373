"""Projection that keeps duplicates (Griffin, Libkin 1995; Quass 1996, section 3.1)."""

from __future__ import annotations

from rollview.algebra.relations import Named, Project, Relation
from rollview.maintenance.flow import Flow
from rollview.maintenance.pairs import minimal
from rollview.maintenance.program import Note, RuleName
from rollview.maintenance.signed import WEIGHT, WEIGHT_REF, references


def delta_project(project: Project, flow: Flow) -> Relation | None:
    """``d(P(Q)) = net(P(d(Q)))``: ``D = P(D(Q)) - P(N(Q))``, ``N = P(N(Q)) - P(D(Q))``.

    Two different rows may become one by a projection: what is gained as one and lost as the other
    is neither. A projection that keeps every column cannot do that.
    """
    below = flow.delta(project.child)
    if below is None:
        return None
    flow.note(project, Note(RuleName.PAIR))
    delta = Project(below, (*project.items, Named(WEIGHT, WEIGHT_REF)))
    kept = {item.expression for item in project.items}
    if kept.issuperset(references(project.child.columns)):
        return flow.hold(delta, "pair")
    return minimal(flow, delta)
