"""An order means nothing for a bag."""

from __future__ import annotations

from rollview.algebra.relations import Relation, Sort
from rollview.maintenance.flow import Flow
from rollview.maintenance.program import Note


def delta_sort(sort: Sort, flow: Flow) -> Relation | None:
    """``d(sort(Q)) = d(Q)``."""
    flow.note(sort, Note("linear"))
    return flow.delta(sort.child)
