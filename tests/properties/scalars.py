"""Random scalar expressions, with the types and the nullability that Spark would give them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from rollview.algebra.expressions import Call, ColumnRef, Expression, Literal
from rollview.algebra.schema import Column
from tests.properties.values import (
    ARRAY,
    LONG_DECIMAL,
    MAP,
    NESTED,
    SMALL_DECIMAL,
    STRUCT,
    VALUES,
    random_value,
    sql,
)

NUMBERS = ("SMALLINT", "INT", "BIGINT", SMALL_DECIMAL, LONG_DECIMAL, "FLOAT", "DOUBLE")
COMPARISONS = {
    "EqualTo": "=",
    "LessThan": "<",
    "GreaterThanOrEqual": ">=",
}


def ref(column: Column) -> ColumnRef:
    """The expression that is this column."""
    return ColumnRef(column.name, column.type, column.nullable)


def literal(value: object, type: str) -> Literal:
    """A constant of a type."""
    return Literal(sql(value, type), type, value is None)


def operator(kind: str, sign: str, left: Expression, right: Expression, type: str) -> Call:
    """A binary operator that is NULL where an argument is."""
    return Call(kind, ("(", f" {sign} ", ")"), (left, right), type, left.nullable or right.nullable)


def equal(left: Expression, right: Expression) -> Call:
    """left = right."""
    return operator("EqualTo", "=", left, right, "BOOLEAN")


def null_safe(left: Expression, right: Expression) -> Call:
    """left <=> right."""
    return Call("EqualNullSafe", ("(", " <=> ", ")"), (left, right), "BOOLEAN", False)


def both(left: Expression, right: Expression) -> Call:
    """left AND right."""
    return operator("And", "AND", left, right, "BOOLEAN")


def one_of(left: Expression, right: Expression) -> Call:
    """left OR right."""
    return operator("Or", "OR", left, right, "BOOLEAN")


def is_null(value: Expression) -> Call:
    """value IS NULL."""
    return Call("IsNull", ("(", " IS NULL)"), (value,), "BOOLEAN", False)


def array(items: Sequence[Expression]) -> Call:
    """array(items)."""
    parts = ("array(", *[", "] * (len(items) - 1), ")")
    return Call("CreateArray", parts, tuple(items), f"ARRAY<{items[0].type}>", False)


def pair(first: Expression, second: Expression) -> Call:
    """named_struct('p', first, 'q', second)."""
    type = f"STRUCT<p: {first.type}, q: {second.type}>"
    parts = ("named_struct('p', ", ", 'q', ", ")")
    return Call("CreateNamedStruct", parts, (first, second), type, False)


def cast(value: Expression, type: str) -> Call:
    """CAST(value AS type)."""
    return Call("Cast", ("CAST(", f" AS {type})"), (value,), type, value.nullable)


class Scalars:
    """Expressions over some columns."""

    def __init__(self, rng: Random, columns: Sequence[Column]) -> None:
        self._rng = rng
        self._columns = columns

    def of(self, type: str, depth: int = 2) -> Expression:
        """An expression of a type."""
        own = [c for c in self._columns if c.type == type]
        dice = self._rng.random()
        if depth == 0 or dice < 0.3:
            return self._column(own) if own else self._constant(type)
        if dice < 0.36:
            return self._constant(type)
        if dice < 0.52:
            return self._general(type, depth - 1)
        if type == "BOOLEAN":
            return self.condition(depth - 1)
        return self._special(type, depth - 1)

    def _column(self, columns: list[Column]) -> ColumnRef:
        """A column, which Spark may think of as nullable though it is not."""
        column = self._rng.choice(columns)
        nullable = column.nullable or self._rng.random() < 0.1
        return ColumnRef(column.name, column.type, nullable)

    def _constant(self, type: str) -> Literal:
        if type not in VALUES:
            return literal(None, type)
        return literal(random_value(self._rng, type, nullable=True), type)

    def _general(self, type: str, depth: int) -> Expression:
        first, second = self.of(type, depth), self.of(type, depth)
        match self._rng.randrange(3):
            case 0:
                nullable = first.nullable and second.nullable
                return Call("Coalesce", ("coalesce(", ", ", ")"), (first, second), type, nullable)
            case 1:
                parts = ("if(", ", ", ", ", ")")
                args = (self.condition(depth), first, second)
                return Call("If", parts, args, type, first.nullable or second.nullable)
            case _:
                parts = ("CASE WHEN ", " THEN ", " END")
                return Call("CaseWhen", parts, (self.condition(depth), first), type, True)

    def _special(self, type: str, depth: int) -> Expression:
        one = self.of(type, depth)
        match type:
            case "INT":
                return self._integer(one, depth)
            case "BIGINT":
                return operator("Add", "+", one, cast(self.of("INT", depth), type), type)
            case "DECIMAL(12,2)":
                wide = operator("Subtract", "-", one, self.of(type, depth), "DECIMAL(13,2)")
                return cast(wide, type)
            case "DOUBLE":
                return operator("Multiply", "*", one, literal(1.5, type), type)
            case "STRING":
                return Call("Upper", ("upper(", ")"), (one,), type, one.nullable)
            case "DATE":
                parts = ("date_add(", ", ", ")")
                return Call("DateAdd", parts, (one, literal(1, "INT")), type, one.nullable)
            case _:
                return one

    def _integer(self, one: Expression, depth: int) -> Expression:
        match self._rng.randrange(6):
            case 0:
                return operator("Add", "+", one, self.of("INT", depth), "INT")
            case 1:
                return operator("Remainder", "%", one, literal(2, "INT"), "INT")
            case 2:
                text = self.of("STRING", depth)
                return Call("Length", ("length(", ")"), (text,), "INT", text.nullable)
            case 3:
                date = self.of("DATE", depth)
                return Call("Year", ("year(", ")"), (date,), "INT", date.nullable)
            case _:
                return self._inside(depth)

    def _inside(self, depth: int) -> Expression:
        """A number out of a nested value, of a column if there is one."""
        own = [c.type for c in self._columns if c.type in NESTED]
        type = self._rng.choice(own or NESTED)
        value = self.of(type, min(depth, 1))
        if type == STRUCT:
            return Call("GetStructField", ("(", ").p"), (value,), "INT", True)
        if type == MAP:
            return Call("GetMapValue", ("(", ")['a']"), (value,), "INT", True)
        if type == ARRAY and self._rng.random() < 0.5:
            return Call("Get", ("get(", ", ", ")"), (value, literal(0, "INT")), "INT", True)
        return Call("Size", ("array_size(", ")"), (value,), "INT", value.nullable)

    def condition(self, depth: int = 2) -> Expression:
        """A boolean expression."""
        dice = self._rng.random()
        if depth > 0 and dice < 0.2:
            joined = self._rng.choice((both, one_of, one_of))
            return joined(self.condition(depth - 1), self.condition(depth - 1))
        if depth > 0 and dice < 0.27:
            inner = self.condition(depth - 1)
            return Call("Not", ("(NOT ", ")"), (inner,), "BOOLEAN", inner.nullable)
        if not self._columns:
            return literal(True, "BOOLEAN")
        column = self._rng.choice(self._columns)
        if dice < 0.42:
            found = is_null(ref(column))
            if self._rng.random() < 0.25:
                return found
            return Call("Not", ("(NOT ", ")"), (found,), "BOOLEAN", False)
        if column.type == "BOOLEAN" and dice < 0.6:
            return ref(column)
        others = Scalars(self._rng, [c for c in self._columns if c != column])
        other = others.of(column.type, min(depth, 1))
        if dice < 0.5:
            return null_safe(ref(column), other)
        kind, sign = self._rng.choice(list(COMPARISONS.items()))
        return operator(kind, sign, ref(column), other, "BOOLEAN")
