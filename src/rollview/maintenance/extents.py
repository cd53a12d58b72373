"""Extents: the rows of a view with the counts and sums by which change tables are combined.

Barbier (2007), section 5.1: an extent has one row for each value of its group-by attributes, the
aggregates of that group, and how many rows caused it. A change table has the same columns, every
value being the difference that a change makes, and the refresh operator adds the two up.

Here an extent is an `Aggregate`, so that it is computed, kept and read like any other relation. Its
calls stand in this order: the causes, then every value; a value that is NULL where it is over no
values (a sum) is followed by the count of its values. Nothing else has to be remembered of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rollview.algebra.expressions import (
    AggregateCall,
    Call,
    ColumnRef,
    Expression,
    Literal,
    binary,
    cast,
)
from rollview.algebra.relations import Aggregate, NamedAggregate
from rollview.maintenance.program import Kept

EXTENT = "extent"
_NULL_WITHOUT_VALUES = ("Sum", "BitXorAgg")


def is_extent(kept: Kept) -> bool:
    """Whether what is kept is the extent of a view."""
    return kept.label.startswith(f"{EXTENT}_")


@dataclass(frozen=True, slots=True)
class Total:
    """One value of an extent; ``present`` names the count without which it is NULL, if any."""

    name: str
    call: AggregateCall
    present: str | None

    @property
    def column(self) -> ColumnRef:
        return ColumnRef(self.name, self.call.type, self.call.nullable)

    def combined(self, one: Expression, other: Expression) -> Expression:
        """combine_f (definition 5.4): f over two bags, from f over each; NULL is of no values."""
        return self._by("Add", "+", one, other)

    def cancelled(self, one: Expression, other: Expression) -> Expression:
        """The first with the second cancelled (definition 5.5); an exclusive or cancels itself."""
        return self._by("Subtract", "-", one, other)

    def _by(self, kind: str, sign: str, one: Expression, other: Expression) -> Expression:
        if self.call.kind == "BitXorAgg":
            kind, sign = "BitwiseXor", "^"
        both = binary(kind, sign, or_zero(one), or_zero(other), self.call.type)
        return cast(both, self.call.type)


def or_zero(value: Expression) -> Expression:
    """The value, or zero where there is none."""
    if not value.nullable:
        return value
    zero = Literal(f"CAST(0 AS {value.type})", value.type)
    return Call("Coalesce", ("coalesce(", ", ", ")"), (value, zero), value.type, False)


def totals(extent: Aggregate) -> tuple[Total, ...]:
    """The values of an extent, the causes first."""
    causes, *rest = extent.calls
    found = [Total(causes.name, causes.call, _unless_counted(causes, causes.name))]
    while rest:
        one = rest.pop(0)
        if one.call.kind not in _NULL_WITHOUT_VALUES:
            found.append(Total(one.name, one.call, None))
            continue
        count = rest.pop(0)
        found.append(Total(one.name, one.call, count.name))
        found.append(Total(count.name, count.call, _unless_counted(count, causes.name)))
    return tuple(found)


def _unless_counted(one: NamedAggregate, causes: str) -> str | None:
    """A sum of counts is NULL without rows, and a count is not."""
    return causes if one.call.kind in _NULL_WITHOUT_VALUES else None


def causes(extent: Aggregate) -> str:
    """The name of the column that counts the causes of each row."""
    return extent.calls[0].name


def is_always_there(extent: Aggregate) -> bool:
    """Whether the extent has its one row without any cause, too."""
    return not extent.groups


def with_nulls(found: tuple[Total, ...], values: Mapping[str, Expression]) -> dict[str, Expression]:
    """Combined values as aggregates show them: NULL where they are over no values."""
    return {total.name: _unless_none(total, values) for total in found}


def _unless_none(total: Total, values: Mapping[str, Expression]) -> Expression:
    value = values[total.name]
    if total.present is None:
        return value
    parts = ("CASE WHEN ", " > 0 THEN ", " END")
    return Call("CaseWhen", parts, (values[total.present], value), total.call.type)
