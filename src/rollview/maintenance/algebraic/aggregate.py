"""Aggregates: Quass (1996), figures 2 to 5, with the strong minimality of figure 3.

Functions with an inverse go on from the stored value by f and g; min and max do so until a group
loses its extremum, when it is evaluated from mod(Q). What has neither is evaluated from mod(Q) in
every changed group (Barbier 2007, table 4.3). The stored rows are what the aggregate was in both
forms. An aggregate of aggregates gets the pair of the one below it, like any other operator.
"""

from __future__ import annotations

from rollview.algebra.relations import Aggregate, Relation
from rollview.maintenance.flow import Flow
from rollview.maintenance.groups import delta_groups
from rollview.maintenance.pairs import minimal


def delta_aggregate(aggregate: Aggregate, flow: Flow) -> Relation | None:
    """``d(A(Q)) = net(new rows of the changed groups - their stored rows)``."""
    delta = delta_groups(aggregate, flow)
    return None if delta is None else minimal(flow, delta)
