"""How the value of one aggregate call goes on from the stored value and the changes of its group.

``old`` is the stored value (NULL if the group is new), ``plus`` and ``minus`` are the same
aggregate over the added and the removed rows. Changes need not be net: a row that was added and
removed on the way may be in both, which sums do not notice and which `_extremum` allows for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from rollview.algebra.expressions import (
    AggregateCall,
    Call,
    ColumnRef,
    Expression,
    Literal,
    binary,
    conjunction,
    is_known,
    is_null,
)
from rollview.algebra.relations import Aggregate, NamedAggregate
from rollview.errors import InternalError
from rollview.maintenance.counts import COUNT_ALL, counted
from rollview.maintenance.partial import is_floating
from rollview.maintenance.signed import ADDED, REMOVED

ZERO = Literal("0L", "BIGINT")
LOST_EXTREMUM = "a min or max is removed"
LOST_BITS = "a bit_and or bit_or loses rows"
LOST_DIGITS = "a floating sum loses rows"
OVERFLOW = "a decimal sum overflows"


@dataclass(frozen=True, slots=True)
class Merge:
    """One call: what is computed of the changes, the new value, and when that cannot be told.

    ``because`` says the latter in words.
    """

    name: str
    parts: tuple[NamedAggregate, ...]
    value: Expression
    anew: Expression | None = None
    because: str = ""


@dataclass(frozen=True, slots=True)
class _Sides:
    """A call over the stored, the added and the removed rows."""

    old: ColumnRef
    plus: ColumnRef
    minus: ColumnRef
    parts: tuple[NamedAggregate, ...]


def merges(
    aggregate: Aggregate, stored: Mapping[str, str], fresh: Callable[[str], str]
) -> tuple[Merge, ...]:
    """One merge per call; ``stored`` gives the name under which a column's old value stands."""
    sides = {one.call: _sides(one, stored[one.name], fresh) for one in aggregate.calls}
    return tuple(_merge(one, sides) for one in aggregate.calls)


def _sides(one: NamedAggregate, stored: str, fresh: Callable[[str], str]) -> _Sides:
    call = one.call
    plus = NamedAggregate(fresh("__plus"), _only(call, ADDED))
    minus = NamedAggregate(fresh("__minus"), _only(call, REMOVED))
    old = ColumnRef(stored, call.type)
    return _Sides(old, _column(plus), _column(minus), (plus, minus))


def _column(one: NamedAggregate) -> ColumnRef:
    return ColumnRef(one.name, one.call.type, one.call.nullable)


def _only(call: AggregateCall, sign: Expression) -> AggregateCall:
    parts = (sign,) if call.filter is None else (call.filter, sign)
    return replace(call, filter=conjunction(parts))


def _merge(one: NamedAggregate, sides: Mapping[AggregateCall, _Sides]) -> Merge:
    own = sides[one.call]
    match one.call.kind:
        case "Count" | "CountIf" | "RegrCount":
            return Merge(one.name, own.parts, _total(own))
        case "Sum":
            return _sum(one, own, sides[counted(one.call)])
        case "Min" | "Max":
            return _extremum(one, own)
        case "BitXorAgg":
            return _exclusive(one, own, sides[counted(one.call)])
        case "BitAndAgg" | "BitOrAgg":
            return _bits(one, own)
        case kind:
            raise InternalError(f"{kind} does not go on from a stored value")


def row_count(aggregate: Aggregate) -> str:
    """The name of the column that counts the rows of each group."""
    for one in aggregate.calls:
        if one.call == COUNT_ALL:
            return one.name
    raise InternalError("the groups are not counted")


def _total(sides: _Sides) -> Expression:
    """old + plus - minus, as far as there are any."""
    grown = binary("Add", "+", _or_zero(sides.old), _or_zero(sides.plus), sides.old.type)
    return binary("Subtract", "-", grown, _or_zero(sides.minus), sides.old.type)


def _or_zero(value: ColumnRef) -> Expression:
    if not value.nullable:
        return value
    zero = Literal(f"CAST(0 AS {value.type})", value.type)
    return Call("Coalesce", ("coalesce(", ", ", ")"), (value, zero), value.type, False)


def _sum(one: NamedAggregate, own: _Sides, count: _Sides) -> Merge:
    """NULL if no value is left; unknown where a part overflowed, or where digits may be lost."""
    parts = ("CASE WHEN ", " > 0 THEN CAST(", f" AS {one.call.type}) END")
    value = Call("CaseWhen", parts, (_total(count), _total(own)), one.call.type)
    if is_floating(one.call.args[0].type):
        return Merge(one.name, own.parts, value, _above_zero(count.minus), LOST_DIGITS)
    if not one.call.type.startswith("DECIMAL"):
        return Merge(one.name, own.parts, value)
    overflowed = [
        _both(is_null(own.old), _above_zero(_or_zero(count.old))),
        _both(is_null(own.plus), _above_zero(count.plus)),
        _both(is_null(own.minus), _above_zero(count.minus)),
        _both(is_null(value), _above_zero(_total(count))),
    ]
    return Merge(one.name, own.parts, value, either(overflowed), OVERFLOW)


def _extremum(one: NamedAggregate, own: _Sides) -> Merge:
    """The extremum of old and added values, unless a removed one may have been it."""
    least, before = ("least(", "<=") if one.call.kind == "Min" else ("greatest(", ">=")
    both = (own.old, own.plus)
    value = Call(one.call.kind, (least, ", ", ")"), both, one.call.type)
    reached = binary("Compare", before, own.minus, value, "BOOLEAN")
    true = Literal("TRUE", "BOOLEAN")
    known = Call("Coalesce", ("coalesce(", ", ", ")"), (reached, true), "BOOLEAN", False)
    unsure = _both(is_known(own.minus), known)
    return Merge(one.name, own.parts, value, unsure, LOST_EXTREMUM)


def _exclusive(one: NamedAggregate, own: _Sides, count: _Sides) -> Merge:
    """An exclusive or is its own inverse; NULL if no value is left."""
    bits = _or_zero(own.old)
    for side in (own.plus, own.minus):
        bits = binary("BitwiseXor", "^", bits, _or_zero(side), one.call.type)
    parts = ("CASE WHEN ", " > 0 THEN ", " END")
    value = Call("CaseWhen", parts, (_total(count), bits), one.call.type)
    return Merge(one.name, own.parts, value)


def _bits(one: NamedAggregate, own: _Sides) -> Merge:
    """The bits of old and added values; what the removed ones had decided cannot be told."""
    sign = " & " if one.call.kind == "BitAndAgg" else " | "
    parts = ("coalesce((", sign, "), ", ", ", ")")
    value = Call(one.call.kind, parts, (own.old, own.plus, own.old, own.plus), one.call.type)
    return Merge(one.name, own.parts, value, is_known(own.minus), LOST_BITS)


def either(conditions: list[Expression]) -> Expression | None:
    """One condition that is true if any of these is."""
    whole: Expression | None = None
    for condition in conditions:
        whole = condition if whole is None else binary("Or", "OR", whole, condition, "BOOLEAN")
    return whole


def negation(condition: Expression) -> Expression:
    """True where the condition is not."""
    return Call("Not", ("(NOT ", ")"), (condition,), "BOOLEAN", condition.nullable)


def _both(one: Expression, two: Expression) -> Expression:
    return binary("And", "AND", one, two, "BOOLEAN")


def _above_zero(value: Expression) -> Expression:
    return binary("GreaterThan", ">", value, ZERO, "BOOLEAN")
