"""Duplicate elimination: the projection of table 4.1 in Barbier (2007), which is one of sets.

The deletions are taken against the modified Q. Against Q without what it lost, as in Qian and
Wiederhold (1991), a row is deleted whose last copy went while another one came.
"""

from __future__ import annotations

from rollview.algebra.relations import Distinct, Relation
from rollview.maintenance.flow import Flow
from rollview.maintenance.pairs import (
    disjoint,
    mod_values,
    pair,
    rows,
    without_rows,
)
from rollview.maintenance.program import Note, RuleName
from rollview.maintenance.reads import BEFORE
from rollview.maintenance.signed import references, unsigned


def delta_distinct(distinct: Distinct, flow: Flow) -> Relation | None:
    """``d(E(Q))``: ``D = E(D(Q)) - E(Q)``, ``N = E(N(Q)) - E(mod(Q))``."""
    child = distinct.child
    below = pair(flow, child)
    if below is None:
        return None
    flow.note(distinct, Note(RuleName.PAIR))
    columns = references(child.columns)
    keys = flow.keys(unsigned(below.change), columns)
    flow.read(distinct, BEFORE, child, columns)
    gained = without_rows(flow, Distinct(below.gained), rows(flow, child, keys))
    lost = without_rows(flow, Distinct(below.lost), mod_values(flow, child, keys))
    return disjoint(flow, gained, lost, distinct.columns)
