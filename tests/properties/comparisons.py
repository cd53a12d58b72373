"""Random conditions of the kind that decides which changes can matter, and views around them.

``x op y + c`` and ``x op c`` over all types that are looked into, under AND, OR, NOT and IN, with
NULLs; in filters and in joins of every kind, below and above what groups, ranks, counts and unites.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from rollview.algebra.expressions import (
    AggregateCall,
    Call,
    ColumnRef,
    Expression,
    Literal,
    SortKey,
    WindowCall,
    conjunction,
)
from rollview.algebra.relations import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    JoinKind,
    Named,
    NamedAggregate,
    NamedWindow,
    Project,
    Relation,
    Scan,
    Union,
    Window,
)
from rollview.algebra.schema import Column, Schema
from rollview.analysis.order import canonical
from tests.properties.cases import Case, Table, random_batches
from tests.properties.scalars import both, cast, is_null, literal, null_safe, one_of, operator, ref
from tests.properties.values import SMALL_DECIMAL, VALUES, random_value

SIGNS = {
    "EqualTo": "=",
    "LessThan": "<",
    "LessThanOrEqual": "<=",
    "GreaterThan": ">",
    "GreaterThanOrEqual": ">=",
}
_NUMBERS = ("INT", "BIGINT", "SMALLINT", SMALL_DECIMAL)
_TYPES = ("INT", "INT", "INT", "BIGINT", "SMALLINT", SMALL_DECIMAL, "DATE", "DATE", "STRING")
_MORE = ("BOOLEAN", "TIMESTAMP", "TIMESTAMP_NTZ", "DOUBLE")
_KINDS = tuple(kind for kind in JoinKind if kind is not JoinKind.SINGLE)


def random_condition(rng: Random, columns: Sequence[Column], depth: int = 2) -> Expression:
    """A condition over some columns."""
    dice = rng.random()
    if depth > 0 and dice < 0.45:
        joined = rng.choice((both, both, one_of))
        return joined(
            random_condition(rng, columns, depth - 1), random_condition(rng, columns, depth - 1)
        )
    if depth > 0 and dice < 0.55:
        inner = random_condition(rng, columns, depth - 1)
        return Call("Not", ("(NOT ", ")"), (inner,), "BOOLEAN", inner.nullable)
    return _atom(rng, columns)


def _atom(rng: Random, columns: Sequence[Column]) -> Expression:
    column = rng.choice(columns)
    dice = rng.random()
    if dice < 0.1:
        return is_null(ref(column))
    if column.type == "BOOLEAN" and dice < 0.5:
        return ref(column)
    if dice < 0.2:
        return _in(rng, column)
    other = _other(rng, column, columns)
    if dice < 0.3:
        return null_safe(ref(column), other)
    kind = rng.choice(list(SIGNS))
    one, two = _typed(ref(column), other)
    return operator(kind, SIGNS[kind], one, two, "BOOLEAN")


def _in(rng: Random, column: Column) -> Expression:
    items = [_constant(rng, column.type) for _ in range(rng.choice((1, 2, 3, 10)))]
    parts = ("(", " IN (", *[", "] * (len(items) - 1), "))")
    return Call("In", parts, (ref(column), *items), "BOOLEAN", True)


def _constant(rng: Random, type: str) -> Literal:
    return literal(random_value(rng, type, rng.random() < 0.2), type)


def _other(rng: Random, column: Column, columns: Sequence[Column]) -> Expression:
    """A constant, another column, or that with something added to it."""
    alike = [c for c in columns if c != column and _is_compared(c.type, column.type)]
    if not alike or rng.random() < 0.35:
        return _constant(rng, column.type)
    return shifted(rng, ref(rng.choice(alike)))


def shifted(rng: Random, value: ColumnRef) -> Expression:
    """The column, or what lies a little beside it."""
    if rng.random() < 0.5:
        return value
    number = rng.choice((-2, -1, 1, 2))
    match value.type:
        case "INT" | "BIGINT":
            amount = literal(number, value.type)
            kind, sign = rng.choice((("Add", "+"), ("Subtract", "-")))
            return operator(kind, sign, value, amount, value.type)
        case "DATE":
            parts = ("date_add(", ", ", ")")
            days = literal(number * 300, "INT")
            moved = Call("DateAdd", parts, (value, days), "DATE", value.nullable)
            return cast(moved, "DATE")
        case _:
            return value


def _is_compared(one: str, two: str) -> bool:
    return one == two or (one in _NUMBERS and two in _NUMBERS)


def _typed(one: Expression, two: Expression) -> tuple[Expression, Expression]:
    """Both in a type that holds both, as Spark's analyzer has it."""
    if one.type == two.type:
        return one, two
    wide = "BIGINT" if SMALL_DECIMAL not in (one.type, two.type) else "DECIMAL(22,2)"
    return tuple(e if e.type == wide else cast(e, wide) for e in (one, two))  # type: ignore[return-value]


def conditional_case(rng: Random) -> Case:
    """Tables of comparable columns, a view with conditions over them, and changes."""
    tables = {f"t{i}": _table(rng, "abc"[i]) for i in range(rng.choice((1, 2, 2, 3)))}
    schemas = {name: table.columns for name, table in tables.items()}
    view = canonical(_View(rng, schemas).made(rng.choice((1, 2, 2, 3))))
    return Case(tables, view, random_batches(rng, tables))


def _table(rng: Random, prefix: str) -> Table:
    types = ["INT", *(rng.choice((*_TYPES, *_TYPES, *_MORE)) for _ in range(rng.randint(1, 3)))]
    columns = tuple(Column(f"{prefix}{i}", t, rng.random() < 0.6) for i, t in enumerate(types))
    rows = tuple(
        tuple(random_value(rng, c.type, c.nullable) for c in columns)
        for _ in range(rng.choice((0, 4, 6, 8, 8)))
    )
    return Table(columns, rows)


class _View:
    """A view in the making; names are used once."""

    def __init__(self, rng: Random, tables: Mapping[str, Schema]) -> None:
        self._rng = rng
        self._tables = tables
        self._number = 0

    def _fresh(self) -> str:
        self._number += 1
        return f"c{self._number}"

    def made(self, depth: int) -> Relation:
        """A view of some depth."""
        if depth == 0:
            return self._scan()
        if self._rng.random() < 0.3:
            made = self._above(depth - 1)
            return Filter(made, random_condition(self._rng, made.columns))
        makers = (self._filter, self._join, self._join, self._above)
        return self._rng.choice(makers)(depth - 1)

    def _scan(self) -> Relation:
        table = self._rng.choice(list(self._tables))
        columns = self._tables[table]
        named = tuple(Column(self._fresh(), c.type, c.nullable) for c in columns)
        return Scan(table, tuple(c.name for c in columns), named)

    def _filter(self, depth: int) -> Relation:
        child = self.made(depth)
        return Filter(child, random_condition(self._rng, child.columns))

    def _join(self, depth: int) -> Relation:
        left, right = self.made(depth), self.made(self._rng.randint(0, depth))
        kind = self._rng.choice((*_KINDS, JoinKind.INNER, JoinKind.INNER, JoinKind.LEFT))
        both_sides = (*left.columns, *right.columns)
        parts = [random_condition(self._rng, both_sides, 1)]
        pairs = [(a, b) for a in left.columns for b in right.columns if a.type == b.type]
        if pairs:
            one, two = self._rng.choice(pairs)
            parts.append(
                operator("EqualTo", "=", ref(one), shifted(self._rng, ref(two)), "BOOLEAN")
            )
        flag = self._fresh() if kind is JoinKind.EXISTENCE else None
        condition = None if kind is JoinKind.CROSS else conjunction(parts)
        return Join(kind, left, right, condition, flag)

    def _above(self, depth: int) -> Relation:
        child = self.made(depth)
        match self._rng.randrange(5):
            case 0:
                group = tuple(ref(c) for c in child.columns[:1])
                count = AggregateCall(
                    "Count", ("count(", ")"), (literal(1, "INT"),), "BIGINT", False
                )
                return Aggregate(child, group, (NamedAggregate(self._fresh(), count),))
            case 1:
                return Distinct(child)
            case 2:
                other = self._like(child)
                columns = tuple(Column(self._fresh(), c.type, True) for c in child.columns)
                return Union((child, other), columns)
            case 3:
                rank = WindowCall(Call("Rank", ("rank()",), (), "INT", False), "")
                order = (SortKey(ref(child.columns[-1])),)
                by = (ref(child.columns[0]),)
                return Window(child, by, order, (NamedWindow(self._fresh(), rank),))
            case _:
                items = [Named(self._fresh(), shifted(self._rng, ref(c))) for c in child.columns]
                return Project(child, tuple(items))

    def _like(self, relation: Relation) -> Relation:
        """Other rows of the same types: constants where there is no such column."""
        other = self._scan()
        items = []
        for column in relation.columns:
            alike = [ref(c) for c in other.columns if c.type == column.type]
            constant = literal(VALUES[column.type][0], column.type)
            items.append(Named(self._fresh(), self._rng.choice([*alike, constant])))
        return Project(other, tuple(items))
