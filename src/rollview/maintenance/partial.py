"""Aggregate calls that can go on from stored values: which, and from what.

The state of an aggregate is its own rows with further columns. How one call goes on from the
stored value and the added and removed rows is Quass (1996), section 4, and Barbier (2007), table
4.3; a min or max that may have lost its extremum is re-evaluated (Quass, section 5), and so is a
floating sum that lost rows. Averages, variances and their like do not go on themselves: they are
derived from counts, sums and squared distances that do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from rollview.algebra.expressions import (
    AggregateCall,
    Call,
    ColumnRef,
    Expression,
    Literal,
    binary,
    cast,
)
from rollview.algebra.relations import Aggregate, Named, NamedAggregate, Project, Relation
from rollview.algebra.schema import DECIMAL
from rollview.maintenance.counts import COUNT_ALL, counted, of_pair
from rollview.maintenance.moments import moments
from rollview.maintenance.signed import named
from rollview.maintenance.spreads import MERGED, beside, spreads

_INTEGERS = ("TINYINT", "SMALLINT", "INT", "BIGINT")
# Digits up to which a quotient has nine more than its average: to be rounded up twice, there would
# have to be as many rows as that.
_ROUNDED_ONCE = 15
_FLOATS = ("FLOAT", "DOUBLE")
_LONGEST = 38
_KEPT_SCALE = 6  # Spark never gives up these digits of a decimal


def goes_on(call: AggregateCall) -> bool:
    """Whether the value can be derived from the stored one and the changes, at least on insert."""
    if call.distinct:
        return False
    match call.kind:
        case "Count" | "CountIf" | "RegrCount":
            return True
        case "Sum":
            return call.parts[0] == "sum(" and _adds_exactly(call)
        case "Min" | "Max" | "BitAndAgg" | "BitOrAgg" | "BitXorAgg":
            return True
        case kind:
            return kind in MERGED


def is_floating(type: str) -> bool:
    """Whether values of the type are approximate."""
    return type in _FLOATS


def _adds_exactly(call: AggregateCall) -> bool:
    """Whether sums can be added by +, which drops digits of the longest decimals."""
    type = call.args[0].type
    if type in _INTEGERS or type in _FLOATS:
        return True
    total = DECIMAL.fullmatch(call.type)
    return total is not None and (int(total[1]) + 2 <= _LONGEST or int(total[2]) <= _KEPT_SCALE)


class Derived(Protocol):
    """A call whose value is had from those of other calls."""

    @property
    def calls(self) -> tuple[AggregateCall, ...]:
        """The calls, which go on from their stored values."""

    def value(self, columns: tuple[ColumnRef, ...]) -> Expression:
        """The value, from the columns of the calls."""


def extended(aggregate: Aggregate, names: Iterator[str], with_moments: bool = True) -> Relation:
    """The aggregate with what its rule needs, under a projection that gives its own columns.

    Averages and their like are replaced by sums and counts, sums get the count of their values
    beside them, and every group the count of its rows. If some call cannot go on anyway, only the
    calls stay.
    """
    derivations = [_derived(one.call, with_moments) for one in aggregate.calls]
    if not all(d or goes_on(c.call) for c, d in zip(aggregate.calls, derivations, strict=True)):
        return aggregate
    calls: list[NamedAggregate] = []
    items: list[Named] = list(named(aggregate.groups))
    _find(calls, COUNT_ALL, names)
    for one, derived in zip(aggregate.calls, derivations, strict=True):
        if derived is None:
            items.append(Named(one.name, _find(calls, one.call, iter([one.name]))))
            _find_beside(calls, one.call, names)
            continue
        columns = tuple(_find(calls, call, names) for call in derived.calls)
        items.append(Named(one.name, derived.value(columns)))
        for call in derived.calls:
            _find_beside(calls, call, names)
    inner = Aggregate(aggregate.child, aggregate.groups, tuple(calls))
    return Project(inner, tuple(items))


def _find_beside(calls: list[NamedAggregate], call: AggregateCall, names: Iterator[str]) -> None:
    """What is NULL without values, and has an inverse, must know whether there are any.

    What is merged needs the counts and sums of what it is over.
    """
    if call.kind in ("Sum", "BitXorAgg"):
        _find(calls, counted(call), names)
    if call.kind in MERGED:
        for other in beside(call):
            _find(calls, other, names)


def _find(calls: list[NamedAggregate], wanted: AggregateCall, names: Iterator[str]) -> ColumnRef:
    for one in calls:
        if one.call == wanted:
            return _reference(one)
    calls.append(NamedAggregate(next(names), wanted))
    return _reference(calls[-1])


def _reference(one: NamedAggregate) -> ColumnRef:
    return ColumnRef(one.name, one.call.type, one.call.nullable)


def _derived(call: AggregateCall, with_moments: bool) -> Derived | None:
    found = _average(call) or _quantified(call)
    return found or (moments(call) or spreads(call) if with_moments else None)


@dataclass(frozen=True, slots=True)
class Average:
    """An average as a sum and a count."""

    call: AggregateCall
    total: AggregateCall

    @property
    def calls(self) -> tuple[AggregateCall, ...]:
        """The sum and the count of its values."""
        return self.total, counted(self.total)

    def value(self, columns: tuple[ColumnRef, ...]) -> Expression:
        """Spark's own division; the sum is NULL where there are no values, and so is the result."""
        total, count = columns
        if DECIMAL.fullmatch(self.call.args[0].type):
            divisor: Expression = cast(count, "DECIMAL(20,0)")
            dividend: Expression = total
        else:
            divisor, dividend = cast(count, "DOUBLE"), cast(total, "DOUBLE")
        none = binary("EqualTo", "=", count, Literal("0L", "BIGINT"), "BOOLEAN")
        parts = ("CASE WHEN ", " THEN NULL ELSE ", " / ", " END")
        quotient = Call("CaseWhen", parts, (none, dividend, divisor), self.call.type)
        rounded = cast(quotient, self.call.type)
        decimal = DECIMAL.fullmatch(self.call.args[0].type)
        if decimal is None or not _rounds_twice(int(decimal[1]), int(decimal[2])):
            return rounded
        return _once_rounded(quotient, rounded, (total, count), int(decimal[1]), int(decimal[2]))


@dataclass(frozen=True, slots=True)
class Quantified:
    """Whether all conditions are true, or any of them, by how many are."""

    call: AggregateCall

    @property
    def calls(self) -> tuple[AggregateCall, ...]:
        """How many are true, and how many there are."""
        parts = ("count_if(", ")")
        true = replace(self.call, kind="CountIf", parts=parts, type="BIGINT", nullable=False)
        return true, counted(self.call)

    def value(self, columns: tuple[ColumnRef, ...]) -> Expression:
        """NULL if there are none."""
        true, count = columns
        enough = count if self.call.kind == "BoolAnd" else Literal("1L", "BIGINT")
        parts = ("CASE WHEN ", " > 0 THEN (", " >= ", ") END")
        return Call("CaseWhen", parts, (count, true, enough), "BOOLEAN")


def _quantified(call: AggregateCall) -> Quantified | None:
    if call.kind not in ("BoolAnd", "BoolOr") or call.distinct:
        return None
    return Quantified(call)


def _average(call: AggregateCall) -> Average | None:
    """The average as sum and count; None if it is not one, or not exact that way.

    Integers are summed exactly. The average of decimals is rounded twice here, first to the scale
    of Spark's division: it must be much finer than the result's, or the same.
    """
    call = _as_average(call)
    if call.kind != "Average" or call.distinct or call.parts[0] not in ("avg(", "mean("):
        return None
    argument = call.args[0]
    decimal = DECIMAL.fullmatch(argument.type)
    if decimal is not None:
        precision, scale = int(decimal[1]), int(decimal[2])
        if not _divides_exactly(precision, scale):
            return None
        type = f"DECIMAL({min(precision + 10, _LONGEST)},{scale})"
        total = AggregateCall("Sum", ("sum(", ")"), (argument,), type, filter=call.filter)
    elif argument.type == "BIGINT":
        wide = cast(argument, "DECIMAL(20,0)")
        total = AggregateCall("Sum", ("sum(", ")"), (wide,), "DECIMAL(30,0)", filter=call.filter)
    elif argument.type in _INTEGERS:
        total = AggregateCall("Sum", ("sum(", ")"), (argument,), "BIGINT", filter=call.filter)
    elif argument.type in _FLOATS:
        total = AggregateCall("Sum", ("sum(", ")"), (argument,), "DOUBLE", filter=call.filter)
    else:
        return None
    return Average(call, total)


def _as_average(call: AggregateCall) -> AggregateCall:
    """The averages over complete pairs, as Spark itself replaces them."""
    if call.kind not in ("RegrAvgX", "RegrAvgY") or call.distinct:
        return call
    first, second = call.args
    value = of_pair(second, first) if call.kind == "RegrAvgX" else of_pair(first, second)
    return replace(call, kind="Average", parts=("avg(", ")"), args=(value,))


def _once_rounded(
    quotient: Expression,
    rounded: Expression,
    ratio: tuple[Expression, Expression],
    precision: int,
    scale: int,
) -> Expression:
    """The average where the quotient was rounded up to a half, and the half up again.

    A half has one digit more than the average has. As whole numbers, it and the sum can be
    compared: half * count > sum says that the half is more than there is.
    """
    half = cast(quotient, f"DECIMAL({precision + 6},{scale + 5})")
    unit = f"CAST({10 ** (scale + 5)} AS DECIMAL({scale + 6},0))"
    least = f"CAST('0.{'1'.rjust(scale + 4, '0')}' AS {rounded.type})"
    parts = (
        "CASE WHEN ",
        " = ",
        " AND abs(",
        f") * {unit} % 10 = 5 AND CAST(abs(",
        f") * {unit} AS DECIMAL({precision + 6},0)) * CAST(",
        " AS DECIMAL(20,0)) > abs(",
        f") * {unit} THEN CASE WHEN ",
        " < 0 THEN CAST(",
        f" + {least} AS {rounded.type}) ELSE CAST(",
        f" - {least} AS {rounded.type}) END ELSE ",
        " END",
    )
    total, count = ratio
    args = (quotient, half, half, half, count, total, total, rounded, rounded, rounded)
    return Call("CaseWhen", parts, args, rounded.type)


def _divides_exactly(precision: int, scale: int) -> bool:
    """Whether dividing the sum by DECIMAL(20,0) keeps enough digits for the average's scale."""
    quotient, wanted = _scales(precision, scale)
    return quotient == wanted or quotient >= wanted + 6


def _rounds_twice(precision: int, scale: int) -> bool:
    """Whether the quotient is rounded before the average is, and sums are long enough to matter."""
    quotient, wanted = _scales(precision, scale)
    return precision > _ROUNDED_ONCE and quotient > wanted


def _scales(precision: int, scale: int) -> tuple[int, int]:
    """The scales of the sum divided by DECIMAL(20,0), and of the average."""
    digits = min(precision + 10, _LONGEST) - scale
    quotient = max(6, scale + 21)
    if digits + quotient > _LONGEST:
        quotient = max(_LONGEST - digits, min(quotient, 6))
    return quotient, min(scale + 4, _LONGEST)
