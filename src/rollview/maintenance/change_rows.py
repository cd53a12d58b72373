"""The rows of a change table, made of the delta below a conversion point.

Barbier (2007), definition 5.6: added rows as they are, removed rows cancelled, aggregated by group;
the causes are how many rows came less how many went. Since every call of an extent is additive,
cancelling a row is to take away what it gives. Rows that make no difference at all are left out.
"""

from __future__ import annotations

from dataclasses import replace

from rollview.algebra.expressions import (
    AggregateCall,
    ColumnRef,
    Expression,
    Literal,
    binary,
    conjunction,
)
from rollview.algebra.relations import (
    Aggregate,
    Filter,
    Named,
    NamedAggregate,
    Project,
    Relation,
)
from rollview.errors import InternalError
from rollview.maintenance.extents import Total, totals
from rollview.maintenance.flow import Flow
from rollview.maintenance.sides import either
from rollview.maintenance.signed import ADDED, REMOVED, named


def change_rows(extent: Aggregate, flow: Flow) -> Relation | None:
    """The change table of an extent: its columns, every total being a difference."""
    below = flow.delta(extent.child)
    if below is None:
        return None
    found = totals(extent)
    sides = [tuple(_side(flow, total, sign) for sign in (ADDED, REMOVED)) for total in found]
    calls = tuple(side for both in sides for side in both)
    summed = Aggregate(below, extent.groups, calls)
    differences = tuple(
        Named(total.name, total.cancelled(*(_column(side) for side in both)))
        for total, both in zip(found, sides, strict=True)
    )
    rows = Project(summed, (*named(extent.groups), *differences))
    moved = either([_is_not_zero(total) for total in found])
    if moved is None:
        raise InternalError("an extent without causes")
    return Filter(rows, moved)


def _side(flow: Flow, total: Total, sign: Expression) -> NamedAggregate:
    """The call over the added or the removed rows alone."""
    call: AggregateCall = total.call
    parts = (sign,) if call.filter is None else (call.filter, sign)
    return NamedAggregate(flow.fresh("__part"), replace(call, filter=conjunction(parts)))


def _column(one: NamedAggregate) -> ColumnRef:
    return ColumnRef(one.name, one.call.type, one.call.nullable)


def _is_not_zero(total: Total) -> Expression:
    zero = Literal(f"CAST(0 AS {total.call.type})", total.call.type)
    return binary("Not", "<>", difference_of(total), zero, "BOOLEAN")


def difference_of(total: Total) -> ColumnRef:
    """The column of a change table for a total: never NULL."""
    return ColumnRef(total.name, total.call.type, nullable=False)
