"""A call over the stored, the added and the removed rows of a group, and sums of these three."""

from __future__ import annotations

from dataclasses import dataclass

from rollview.algebra.expressions import Call, ColumnRef, Expression, Literal, binary
from rollview.algebra.relations import NamedAggregate

ZERO = Literal("0L", "BIGINT")


@dataclass(frozen=True, slots=True)
class Sides:
    """The stored value (NULL if the group is new), and what is computed of the changes."""

    old: ColumnRef
    plus: ColumnRef
    minus: ColumnRef
    parts: tuple[NamedAggregate, ...]


def total(sides: Sides) -> Expression:
    """old + plus - minus, as far as there are any."""
    grown = binary("Add", "+", or_zero(sides.old), or_zero(sides.plus), sides.old.type)
    return binary("Subtract", "-", grown, or_zero(sides.minus), sides.old.type)


def or_zero(value: ColumnRef) -> Expression:
    """The value, or zero where there is none."""
    if not value.nullable:
        return value
    zero = Literal(f"CAST(0 AS {value.type})", value.type)
    return Call("Coalesce", ("coalesce(", ", ", ")"), (value, zero), value.type, False)


def above_zero(value: Expression) -> Expression:
    """Whether a count is of anything."""
    return binary("GreaterThan", ">", value, ZERO, "BOOLEAN")


def both(one: Expression, two: Expression) -> Expression:
    """Whether both conditions are true."""
    return binary("And", "AND", one, two, "BOOLEAN")


def either(conditions: list[Expression]) -> Expression | None:
    """One condition that is true if any of these is."""
    whole: Expression | None = None
    for condition in conditions:
        whole = condition if whole is None else binary("Or", "OR", whole, condition, "BOOLEAN")
    return whole


def negation(condition: Expression) -> Expression:
    """True where the condition is not."""
    return Call("Not", ("(NOT ", ")"), (condition,), "BOOLEAN", condition.nullable)


def negative(value: Expression) -> Expression:
    """The value with the other sign."""
    return Call("UnaryMinus", ("(- ", ")"), (value,), value.type, value.nullable)
