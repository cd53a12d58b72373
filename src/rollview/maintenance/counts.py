"""How many values an aggregate call is over: the count that its stored value goes with.

A sum of no values is NULL, and so is every function of sums, so each of them needs such a count.
Calls over the same values share one. A `strict` value is NULL where one of its arguments is, and
nowhere else: its values are counted by its arguments, pairs by Spark's own count of pairs.
"""

from __future__ import annotations

from dataclasses import replace

from rollview.algebra.expressions import AggregateCall, Call, Expression, Literal

_EVERYTHING = Literal("1", "INT")
_STRICT = "Strict"
COUNT_ALL = AggregateCall("Count", ("count(", ")"), (_EVERYTHING,), "BIGINT", False)


def counted(call: AggregateCall) -> AggregateCall:
    """How many values the call is over: the count that goes with it."""
    value = call.args[0]
    if isinstance(value, Call) and value.kind == _STRICT:
        return count_of(value.args, call.filter)
    return count_of((value,), call.filter)


def count_of(values: tuple[Expression, ...], filter: Expression | None) -> AggregateCall:
    """The count of the rows in which none of one or two values is NULL."""
    # In one order, so that calls over the same pairs find the same count.
    nullable = tuple(sorted({value for value in values if value.nullable}, key=repr))
    if not nullable:
        return replace(COUNT_ALL, filter=filter)
    if len(nullable) == 2:
        parts = ("regr_count(", ", ", ")")
        return AggregateCall("RegrCount", parts, nullable, "BIGINT", False, filter=filter)
    return AggregateCall("Count", ("count(", ")"), nullable, "BIGINT", False, filter=filter)


def strict(parts: tuple[str, ...], args: tuple[Expression, ...], type: str) -> Call:
    """A value that is NULL exactly where one of its arguments is."""
    return Call(_STRICT, parts, args, type, any(value.nullable for value in args))


def of_pair(value: Expression, other: Expression) -> Expression:
    """The value where the other one of the pair is there, too; elsewhere NULL."""
    if not other.nullable:
        return value
    return strict(("if((", " IS NULL), NULL, ", ")"), (other, value), value.type)
