"""Scalar and aggregate expressions: small trees around Spark's own text.

A `Call` keeps the Catalyst class it came from (``kind``), so that analyses can recognise a
comparison or a sum, and the text between its arguments (``parts``), so that it is printed back
exactly as Spark writes it. No Spark function is re-implemented here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rollview.errors import InternalError

_COLLATED = "STRING COLLATE "


@dataclass(frozen=True, slots=True)
class ColumnRef:
    """A reference to a column of the input; names are unique within one view definition."""

    name: str
    type: str
    nullable: bool = True

    @property
    def deterministic(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant, as the text that Spark prints for it."""

    text: str
    type: str
    nullable: bool = False

    @property
    def deterministic(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Call:
    """Any other scalar expression: text pieces with one argument between each two of them."""

    kind: str
    parts: tuple[str, ...]
    args: tuple[Expression, ...]
    type: str
    nullable: bool = True
    deterministic: bool = True

    def __post_init__(self) -> None:
        _check_parts(self.kind, self.parts, self.args)


@dataclass(frozen=True, slots=True)
class AggregateCall:
    """One aggregate function over a group, with its DISTINCT and FILTER."""

    kind: str
    parts: tuple[str, ...]
    args: tuple[Expression, ...]
    type: str
    nullable: bool = True
    deterministic: bool = True
    distinct: bool = False
    filter: Expression | None = None

    def __post_init__(self) -> None:
        _check_parts(self.kind, self.parts, self.args)


@dataclass(frozen=True, slots=True)
class WindowCall:
    """A function evaluated over a frame; partitioning and order belong to the Window relation."""

    function: Expression | AggregateCall
    frame: str

    @property
    def type(self) -> str:
        return self.function.type

    @property
    def nullable(self) -> bool:
        return self.function.nullable

    @property
    def deterministic(self) -> bool:
        return self.function.deterministic


@dataclass(frozen=True, slots=True)
class SortKey:
    """One key of an ordering."""

    expression: Expression
    ascending: bool = True
    nulls_first: bool = True


Expression = ColumnRef | Literal | Call


def _check_parts(kind: str, parts: tuple[str, ...], args: tuple[Expression, ...]) -> None:
    if len(parts) != len(args) + 1:
        raise InternalError(f"{kind} has {len(args)} arguments but {len(parts)} pieces of text")


def column(name: str, type: str, nullable: bool = True) -> ColumnRef:
    """A column reference, spelled shortly for hand-written algebra."""
    return ColumnRef(name, type, nullable)


def function(name: str, *args: Expression, type: str, kind: str | None = None) -> Call:
    """A call of a Spark function by name, for hand-written algebra."""
    parts = (f"{name}(", *[", "] * (len(args) - 1), ")") if args else (f"{name}()",)
    return Call(kind or name, parts, args, type)


def binary(kind: str, operator: str, left: Expression, right: Expression, type: str) -> Call:
    """A binary operator in parentheses, for hand-written algebra."""
    return Call(kind, ("(", f" {operator} ", ")"), (left, right), type)


def cast(value: Expression, type: str) -> Call:
    """A value as another type, for hand-written algebra."""
    return Call("Cast", ("CAST(", f" AS {type})"), (value,), type, value.nullable)


def typed(value: Expression, type: str) -> Expression:
    """The value in a type, which it may have already."""
    return value if value.type == type else cast(value, type)


def is_collated(type: str) -> bool:
    """Whether strings of a type may be equal that are not the same."""
    return type.startswith(_COLLATED)


def spelling(value: Expression) -> Expression:
    """A collated string as what it is; any other value as it is."""
    if not is_collated(value.type):
        return value
    return Call("Collate", ("(", " COLLATE UTF8_BINARY)"), (value,), "STRING", value.nullable)


def spelled(value: Expression, type: str) -> Expression:
    """The value of a collated type that is spelled like this."""
    name = type.removeprefix(_COLLATED)
    return Call("Collate", ("(", f" COLLATE {name})"), (value,), type, value.nullable)


def is_null(value: Expression) -> Call:
    """Whether there is no value."""
    return Call("IsNull", ("(", " IS NULL)"), (value,), "BOOLEAN", False)


def is_known(value: Expression) -> Call:
    """Whether there is a value."""
    return Call("IsNotNull", ("(", " IS NOT NULL)"), (value,), "BOOLEAN", False)


def conjuncts(condition: Expression | None) -> tuple[Expression, ...]:
    """The parts of a condition that must all be true."""
    if condition is None:
        return ()
    if isinstance(condition, Call) and condition.kind == "And":
        return tuple(part for arg in condition.args for part in conjuncts(arg))
    return (condition,)


def conjunction(parts: Iterable[Expression]) -> Expression | None:
    """One condition of all parts; None if there are none."""
    whole: Expression | None = None
    for part in parts:
        whole = part if whole is None else binary("And", "AND", whole, part, "BOOLEAN")
    return whole


def same(left: Expression, right: Expression) -> Call:
    """Whether two values are the same, NULL being the same as NULL."""
    if left.nullable or right.nullable:
        return Call("EqualNullSafe", ("(", " <=> ", ")"), (left, right), "BOOLEAN", False)
    return Call("EqualTo", ("(", " = ", ")"), (left, right), "BOOLEAN", False)
