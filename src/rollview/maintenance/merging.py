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
    cast,
    conjunction,
    is_known,
    is_null,
)
from rollview.algebra.relations import Aggregate, Named, NamedAggregate
from rollview.errors import InternalError
from rollview.maintenance.counts import COUNT_ALL, counted
from rollview.maintenance.partial import is_floating
from rollview.maintenance.sides import Sides, above_zero, both, either, or_zero, total
from rollview.maintenance.signed import ADDED, REMOVED
from rollview.maintenance.spreads import MERGED, merged

LOST_EXTREMUM = "a min or max is removed"
LOST_BITS = "a bit_and or bit_or loses rows"
LOST_DIGITS = "a floating sum loses rows"
LOST_DISTANCES = "a floating variance or its like loses rows or digits"
OVERFLOW = "a sum overflows"
_LONG, _LONG_SUM = "DECIMAL(20,0)", "DECIMAL(30,0)"


@dataclass(frozen=True, slots=True)
class Merge:
    """One call: what is computed of the changes, the new value, and when that cannot be told.

    ``because`` says the latter in words. ``together`` are columns that must be computed before.
    """

    name: str
    parts: tuple[NamedAggregate, ...]
    value: Expression
    anew: Expression | None = None
    because: str = ""
    together: tuple[Named, ...] = ()


def merges(
    aggregate: Aggregate, stored: Mapping[str, str], fresh: Callable[[str], str]
) -> tuple[Merge, ...]:
    """One merge per call; ``stored`` gives the name under which a column's old value stands."""
    sides = {one.call: _sides(one, stored[one.name], fresh) for one in aggregate.calls}
    return tuple(_merge(one, sides) for one in aggregate.calls)


def _sides(one: NamedAggregate, stored: str, fresh: Callable[[str], str]) -> Sides:
    call = one.call
    plus = NamedAggregate(fresh("__plus"), _only(call, ADDED))
    minus = NamedAggregate(fresh("__minus"), _only(call, REMOVED))
    old = ColumnRef(stored, call.type)
    return Sides(old, _column(plus), _column(minus), (plus, minus))


def _column(one: NamedAggregate) -> ColumnRef:
    return ColumnRef(one.name, one.call.type, one.call.nullable)


def _only(call: AggregateCall, sign: Expression) -> AggregateCall:
    parts = (sign,) if call.filter is None else (call.filter, sign)
    return replace(call, filter=conjunction(parts))


def _merge(one: NamedAggregate, sides: Mapping[AggregateCall, Sides]) -> Merge:
    own = sides[one.call]
    match one.call.kind:
        case "Count" | "CountIf" | "RegrCount":
            return Merge(one.name, own.parts, total(own))
        case "Sum":
            return _sum(one, own, sides[counted(one.call)])
        case "Min" | "Max":
            return _extremum(one, own)
        case "BitXorAgg":
            return _exclusive(one, own, sides[counted(one.call)])
        case "BitAndAgg" | "BitOrAgg":
            return _bits(one, own)
        case kind if kind in MERGED:
            new = merged(one.call, sides)
            lost = LOST_DISTANCES
            return Merge(one.name, new.parts, new.value, new.anew, lost, new.together)
        case kind:
            raise InternalError(f"{kind} does not go on from a stored value")


def row_count(aggregate: Aggregate) -> str:
    """The name of the column that counts the rows of each group."""
    for one in aggregate.calls:
        if one.call == COUNT_ALL:
            return one.name
    raise InternalError("the groups are not counted")


def _sum(one: NamedAggregate, own: Sides, count: Sides) -> Merge:
    """NULL if no value is left; unknown where it overflows, or where digits may be lost.

    Old, added and removed values may overflow together, or each of them alone, where what comes out
    does not. So long integers are added as decimals, and the longest decimals are NULL where they
    overflow. What comes out too long is left to Spark's own sum, which fails, wraps around or is
    NULL, by the settings of the view.
    """
    value = _if_any(count, "CAST(", total(own), one.call.type)
    if is_floating(one.call.args[0].type):
        return Merge(one.name, own.parts, value, above_zero(count.minus), LOST_DIGITS)
    if one.call.args[0].type == "BIGINT":
        return _long_sum(one, own, count)
    if not one.call.type.startswith("DECIMAL"):
        return Merge(one.name, own.parts, value)
    own = _tried(own)
    known = _function("try_add", or_zero(own.old), or_zero(own.plus))
    known = _function("try_subtract", known, or_zero(own.minus))
    value = _if_any(count, "TRY_CAST(", known, one.call.type)
    overflowed = [
        both(is_null(own.old), above_zero(or_zero(count.old))),
        both(is_null(own.plus), above_zero(count.plus)),
        both(is_null(own.minus), above_zero(count.minus)),
        both(is_null(value), above_zero(total(count))),
    ]
    return Merge(one.name, own.parts, value, either(overflowed), OVERFLOW)


def _long_sum(one: NamedAggregate, own: Sides, count: Sides) -> Merge:
    """The stored sum is as long as Spark's; what is added to it is not bound to that length."""
    parts = tuple(replace(part, call=_widened(part.call)) for part in own.parts)
    plus, minus = (or_zero(_column(part)) for part in parts)
    grown = binary("Add", "+", cast(or_zero(own.old), _LONG), plus, _LONG_SUM)
    summed = binary("Subtract", "-", grown, minus, _LONG_SUM)
    value = _if_any(count, "TRY_CAST(", summed, one.call.type)
    overflowed = both(is_null(value), above_zero(total(count)))
    return Merge(one.name, parts, value, overflowed, OVERFLOW)


def _widened(call: AggregateCall) -> AggregateCall:
    """A sum with room for any number of rows."""
    return replace(call, args=(cast(call.args[0], _LONG),), type=_LONG_SUM)


def _tried(sides: Sides) -> Sides:
    """The sums of the changes, NULL where they overflow, whatever the settings say."""
    parts = tuple(
        replace(part, call=replace(part.call, parts=("try_sum(", ")"))) for part in sides.parts
    )
    return replace(sides, parts=parts)


def _if_any(count: Sides, opening: str, value: Expression, type: str) -> Expression:
    """The value in a type, or NULL if the group is left without values."""
    parts = ("CASE WHEN ", f" > 0 THEN {opening}", f" AS {type}) END")
    return Call("CaseWhen", parts, (total(count), value), type)


def _function(name: str, left: Expression, right: Expression) -> Expression:
    return Call(name, (f"{name}(", ", ", ")"), (left, right), left.type)


def _extremum(one: NamedAggregate, own: Sides) -> Merge:
    """The extremum of old and added values, unless a removed one may have been it."""
    least, before = ("least(", "<=") if one.call.kind == "Min" else ("greatest(", ">=")
    value = Call(one.call.kind, (least, ", ", ")"), (own.old, own.plus), one.call.type)
    reached = binary("Compare", before, own.minus, value, "BOOLEAN")
    true = Literal("TRUE", "BOOLEAN")
    known = Call("Coalesce", ("coalesce(", ", ", ")"), (reached, true), "BOOLEAN", False)
    unsure = both(is_known(own.minus), known)
    return Merge(one.name, own.parts, value, unsure, LOST_EXTREMUM)


def _exclusive(one: NamedAggregate, own: Sides, count: Sides) -> Merge:
    """An exclusive or is its own inverse; NULL if no value is left."""
    bits = or_zero(own.old)
    for side in (own.plus, own.minus):
        bits = binary("BitwiseXor", "^", bits, or_zero(side), one.call.type)
    parts = ("CASE WHEN ", " > 0 THEN ", " END")
    value = Call("CaseWhen", parts, (total(count), bits), one.call.type)
    return Merge(one.name, own.parts, value)


def _bits(one: NamedAggregate, own: Sides) -> Merge:
    """The bits of old and added values; what the removed ones had decided cannot be told."""
    sign = " & " if one.call.kind == "BitAndAgg" else " | "
    parts = ("coalesce((", sign, "), ", ", ", ")")
    value = Call(one.call.kind, parts, (own.old, own.plus, own.old, own.plus), one.call.type)
    return Merge(one.name, own.parts, value, is_known(own.minus), LOST_BITS)
