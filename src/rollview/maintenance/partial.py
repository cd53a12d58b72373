"""Aggregate calls that can go on from stored values: which, and from what.

The state of an aggregate is its own rows with further columns. How one call goes on from the
stored value and the added and removed rows is Quass (1996), section 4, and Barbier (2007), table
4.3; a min or max that may have lost its extremum is re-evaluated (Quass, section 5), and so is a
floating sum that lost rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rollview.algebra.expressions import (
    AggregateCall,
    Call,
    ColumnRef,
    Expression,
    Literal,
    binary,
)
from rollview.algebra.relations import Aggregate, Named, NamedAggregate, Project, Relation
from rollview.maintenance.signed import named

_INTEGERS = ("TINYINT", "SMALLINT", "INT", "BIGINT")
_FLOATS = ("FLOAT", "DOUBLE")
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")
_EVERYTHING = Literal("1", "INT")
COUNT_ALL = AggregateCall("Count", ("count(", ")"), (_EVERYTHING,), "BIGINT", False)
_LONGEST = 38
_KEPT_SCALE = 6  # Spark never gives up these digits of a decimal


def goes_on(call: AggregateCall) -> bool:
    """Whether the value can be derived from the stored one and the changes, at least on insert."""
    if call.distinct:
        return False
    match call.kind:
        case "Count":
            return True
        case "Sum":
            return call.parts[0] == "sum(" and _adds_exactly(call)
        case "Min" | "Max":
            return True
        case _:
            return False


def is_floating(type: str) -> bool:
    """Whether values of the type are approximate."""
    return type in _FLOATS


def _adds_exactly(call: AggregateCall) -> bool:
    """Whether sums can be added by +, which drops digits of the longest decimals."""
    type = call.args[0].type
    if type in _INTEGERS or type in _FLOATS:
        return True
    total = _DECIMAL.fullmatch(call.type)
    return total is not None and (int(total[1]) + 2 <= _LONGEST or int(total[2]) <= _KEPT_SCALE)


def extended(aggregate: Aggregate, names: Iterator[str]) -> Relation:
    """The aggregate with what its rule needs, under a projection that gives its own columns.

    Averages are replaced by sums and counts, sums get the count of their values beside them, and
    every group the count of its rows. If some call cannot go on anyway, only the calls stay.
    """
    if not all(goes_on(c.call) or _average(c.call) is not None for c in aggregate.calls):
        return aggregate
    calls: list[NamedAggregate] = []
    items: list[Named] = list(named(aggregate.groups))
    _find(calls, COUNT_ALL, names)
    for one in aggregate.calls:
        average = _average(one.call)
        if average is not None:
            total = _find(calls, average.total, names)
            count = _find(calls, average.count, names)
            items.append(Named(one.name, average.value(total, count)))
            continue
        items.append(Named(one.name, _find(calls, one.call, iter([one.name]))))
        if one.call.kind == "Sum":
            _find(calls, counted(one.call), names)
    inner = Aggregate(aggregate.child, aggregate.groups, tuple(calls))
    return Project(inner, tuple(items))


def counted(call: AggregateCall) -> AggregateCall:
    """How many values the call is over: the count that goes with it."""
    if not call.args[0].nullable and call.filter is None:
        return COUNT_ALL
    return AggregateCall("Count", ("count(", ")"), call.args, "BIGINT", False, filter=call.filter)


def _find(calls: list[NamedAggregate], wanted: AggregateCall, names: Iterator[str]) -> ColumnRef:
    for one in calls:
        if one.call == wanted:
            return _reference(one)
    calls.append(NamedAggregate(next(names), wanted))
    return _reference(calls[-1])


def _reference(one: NamedAggregate) -> ColumnRef:
    return ColumnRef(one.name, one.call.type, one.call.nullable)


@dataclass(frozen=True, slots=True)
class Average:
    """An average as a sum and a count."""

    call: AggregateCall
    total: AggregateCall
    count: AggregateCall

    def value(self, total: ColumnRef, count: ColumnRef) -> Expression:
        """Spark's own division; the sum is NULL where there are no values, and so is the result."""
        if _DECIMAL.fullmatch(self.call.args[0].type):
            divisor: Expression = _cast(count, "DECIMAL(20,0)")
            dividend: Expression = total
        else:
            divisor, dividend = _cast(count, "DOUBLE"), _cast(total, "DOUBLE")
        none = binary("EqualTo", "=", count, Literal("0L", "BIGINT"), "BOOLEAN")
        parts = ("CASE WHEN ", " THEN NULL ELSE ", " / ", " END")
        quotient = Call("CaseWhen", parts, (none, dividend, divisor), self.call.type)
        return _cast(quotient, self.call.type)


def _cast(value: Expression, type: str) -> Call:
    return Call("Cast", ("CAST(", f" AS {type})"), (value,), type, value.nullable)


def _average(call: AggregateCall) -> Average | None:
    """The average as sum and count; None if it is not one, or not exact that way.

    Integers are summed exactly. The average of decimals is rounded twice here, first to the scale
    of Spark's division: it must be much finer than the result's, or the same.
    """
    if call.kind != "Average" or call.distinct or call.parts[0] not in ("avg(", "mean("):
        return None
    argument = call.args[0]
    decimal = _DECIMAL.fullmatch(argument.type)
    if decimal is not None:
        precision, scale = int(decimal[1]), int(decimal[2])
        if not _divides_exactly(precision, scale):
            return None
        type = f"DECIMAL({min(precision + 10, _LONGEST)},{scale})"
        total = AggregateCall("Sum", ("sum(", ")"), (argument,), type, filter=call.filter)
    elif argument.type == "BIGINT":
        wide = _cast(argument, "DECIMAL(20,0)")
        total = AggregateCall("Sum", ("sum(", ")"), (wide,), "DECIMAL(30,0)", filter=call.filter)
    elif argument.type in _INTEGERS:
        total = AggregateCall("Sum", ("sum(", ")"), (argument,), "BIGINT", filter=call.filter)
    elif argument.type in _FLOATS:
        total = AggregateCall("Sum", ("sum(", ")"), (argument,), "DOUBLE", filter=call.filter)
    else:
        return None
    return Average(call, total, counted(total))


def _divides_exactly(precision: int, scale: int) -> bool:
    """Whether dividing the sum by DECIMAL(20,0) keeps enough digits for the average's scale."""
    total = min(precision + 10, _LONGEST)
    wanted = min(scale + 4, _LONGEST)
    digits = total - scale
    quotient = max(6, scale + 21)
    if digits + quotient > _LONGEST:
        quotient = max(_LONGEST - digits, min(quotient, 6))
    return quotient == wanted or quotient >= wanted + 6
