"""Aggregates: the changed groups (Quass 1996; Barbier 2007, section 3.3.2 and table 4.3)."""

from __future__ import annotations

from rollview.algebra.relations import Aggregate, Relation
from rollview.maintenance.flow import Flow
from rollview.maintenance.groups import delta_groups


def delta_aggregate(aggregate: Aggregate, flow: Flow) -> Relation | None:
    """``d(A(Q)) = new rows of the changed groups - their stored rows``."""
    return delta_groups(aggregate, flow)
