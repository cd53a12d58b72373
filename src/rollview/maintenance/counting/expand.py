"""Expand makes the same rows of every input row, so it is linear."""

from __future__ import annotations

from rollview.algebra.relations import Expand, Relation
from rollview.maintenance.flow import Flow
from rollview.maintenance.program import Note, RuleName
from rollview.maintenance.signed import WEIGHT_COLUMN, WEIGHT_REF


def delta_expand(expand: Expand, flow: Flow) -> Relation | None:
    """``d(E(Q)) = E(d(Q))``, the weight with every copy."""
    flow.note(expand, Note(RuleName.LINEAR))
    below = flow.delta(expand.child)
    if below is None:
        return None
    projections = tuple((*row, WEIGHT_REF) for row in expand.projections)
    return Expand(below, projections, (*expand.columns, WEIGHT_COLUMN))
