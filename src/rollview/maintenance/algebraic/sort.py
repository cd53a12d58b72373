"""An order means nothing for a bag."""

from __future__ import annotations

from rollview.algebra.relations import Relation, Sort
from rollview.maintenance.flow import Flow
from rollview.maintenance.program import Note, RuleName


def delta_sort(sort: Sort, flow: Flow) -> Relation | None:
    """``d(sort(Q)) = d(Q)``."""
    flow.note(sort, Note(RuleName.LINEAR))
    return flow.delta(sort.child)
