"""Expand makes the same rows of every input row, so it is linear.

None of the papers has it: it is a union of projections, which are (Griffin and Libkin's rules for
bags, as in Quass 1996, section 3.1).
"""

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
