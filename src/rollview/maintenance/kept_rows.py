"""The rows of a kept operator after a change, from its old rows and the change alone.

``R(after) = R(before) + d(R)``: no table is read, and nothing below is evaluated. The rows that
a change is about are counted; all others stand as they are.
"""

from __future__ import annotations

from rollview.algebra.relations import Relation, Union
from rollview.algebra.schema import Schema
from rollview.analysis.order import is_orderable
from rollview.maintenance.flow import Flow
from rollview.maintenance.keys import restrict, without
from rollview.maintenance.signed import (
    PLUS,
    WEIGHT_COLUMN,
    added,
    net,
    references,
    signed,
    unsigned,
)


def can_be_counted(columns: Schema) -> bool:
    """Whether rows of these columns can be found again among others."""
    return bool(columns) and is_orderable(columns)


def brought_forward(flow: Flow, old: Relation, change: Relation) -> Relation:
    """The old rows with the change made to them."""
    columns = old.columns
    keys = flow.keys(unsigned(change), references(columns))
    concerned = signed(restrict(old, keys), columns, PLUS)
    both = Union((concerned, signed(change, columns)), (*columns, WEIGHT_COLUMN))
    return Union((without(old, keys), added(net(both))), columns)
