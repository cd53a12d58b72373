"""Random systems of ``x op y + c``, as views: a changed table ``r`` among others.

The class of Rosenkrantz and Hunt that Blakeley, Larson, Tompa (1986), section 4, decide exactly.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random

from rollview.algebra.expressions import Call, ColumnRef, Expression, Literal, binary, conjunction
from rollview.algebra.relations import Join, JoinKind, Relation, Scan
from rollview.algebra.schema import Column
from tests.properties.comparisons import SIGNS

EPOCH = datetime.date(2000, 1, 1)
DECIMAL = "DECIMAL(12,2)"


@dataclass(frozen=True)
class Comparison:
    """``one kind two + number``; without ``two``, ``one kind number``."""

    kind: str
    one: str
    two: str | None
    number: int


System = tuple[tuple[Comparison, ...], ...]
"""Any of these conjunctions."""


@dataclass(frozen=True)
class Tables:
    """The columns of each table, ``r`` first, all of one type."""

    columns: tuple[tuple[str, tuple[str, ...]], ...]
    type: str = "INT"

    @property
    def names(self) -> list[str]:
        return [name for _, names in self.columns for name in names]

    @property
    def changed(self) -> tuple[str, ...]:
        return self.columns[0][1]

    def scan(self, table: str) -> Scan:
        names = dict(self.columns)[table]
        return Scan(table, names, tuple(Column(name, self.type, False) for name in names))


def random_tables(rng: Random, type: str = "INT", most: int = 4) -> Tables:
    """One to three tables, with as many columns together as are allowed at most."""
    width = rng.randint(2, most)
    own = rng.randint(1, min(2, width - 1))
    rest = [f"s{i}" for i in range(width - own)]
    split = rng.randint(1, len(rest))
    others = [("s", tuple(rest[:split])), ("t", tuple(rest[split:]))]
    return Tables((("r", tuple(f"r{i}" for i in range(own))), *(o for o in others if o[1])), type)


def random_system(rng: Random, names: Sequence[str], largest: int, ways: int = 1) -> System:
    """Some conjunctions of comparisons without <>."""
    return tuple(
        tuple(_comparison(rng, names, largest) for _ in range(rng.randint(1, len(names) + 2)))
        for _ in range(ways)
    )


def _comparison(rng: Random, names: Sequence[str], largest: int) -> Comparison:
    one, two = rng.sample(list(names), 2)
    kind = rng.choice(list(SIGNS))
    other = two if rng.random() < 0.75 else None
    return Comparison(kind, one, other, rng.randint(-largest, largest))


def view(system: System, tables: Tables) -> Relation:
    """The tables joined under the system."""
    whole: Expression | None = None
    for part in system:
        every = conjunction(_expression(one, tables.type) for one in part)
        assert every is not None
        whole = every if whole is None else binary("Or", "OR", whole, every, "BOOLEAN")
    first, *others = (tables.scan(name) for name, _ in tables.columns)
    joined: Relation = first
    for scan in others[:-1]:
        joined = Join(JoinKind.CROSS, joined, scan)
    return Join(JoinKind.INNER, joined, others[-1], whole)


def _expression(comparison: Comparison, type: str) -> Expression:
    left = ColumnRef(comparison.one, type, False)
    right: Expression = constant(comparison.number, type)
    if comparison.two is not None:
        right = _sum(ColumnRef(comparison.two, type, False), comparison.number)
    return binary(comparison.kind, SIGNS[comparison.kind], left, right, "BOOLEAN")


def _sum(value: ColumnRef, number: int) -> Expression:
    if number == 0:
        return value
    if value.type == "DATE":
        days = Literal(str(number), "INT")
        return Call("DateAdd", ("date_add(", ", ", ")"), (value, days), "DATE", False)
    wide = "DECIMAL(13,2)" if value.type == DECIMAL else value.type
    return binary("Add", "+", value, constant(number, value.type), wide)


def constant(number: int | Decimal, type: str) -> Literal:
    """A number as a constant: of dates, the days since some day."""
    match type:
        case "DATE":
            return Literal(f"DATE '{EPOCH + datetime.timedelta(days=int(number))}'", type)
        case "INT":
            return Literal(str(number), type)
        case _:
            return Literal(f"CAST({number} AS {type})", type)
