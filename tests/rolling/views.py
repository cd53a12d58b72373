"""Random joins of two to five relations, with filters and projections between them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from rollview.algebra.expressions import ColumnRef, Expression, Literal, binary, is_null, same
from rollview.algebra.relations import Filter, Join, JoinKind, Named, Project, Relation, Scan
from rollview.algebra.schema import Column
from rollview.maintenance.signed import references

INT = "INT"


def scan(source: str, number: int) -> Scan:
    """Relation ``number`` of a view: a source with columns of its own."""
    columns = (Column(f"k{number}", INT, False), Column(f"v{number}", INT, True))
    return Scan(source, ("k", "v"), columns)


def chain(sources: Sequence[str]) -> Relation:
    """All relations joined by their first column, in a row."""
    whole: Relation = scan(sources[0], 1)
    for number, source in enumerate(sources[1:], 2):
        condition = same(references(whole.columns)[-2], ColumnRef(f"k{number}", INT, False))
        whole = Join(JoinKind.INNER, whole, scan(source, number), condition)
    return whole


def random_view(rng: Random, sources: Sequence[str]) -> Relation:
    """A join of these sources in this order."""
    parts = [_plain(rng, scan(source, number)) for number, source in enumerate(sources, 1)]
    whole = _joined(rng, parts)
    if rng.random() < 0.6:
        columns = references(whole.columns)
        kept = rng.sample(columns, rng.randint(1, len(columns)))
        whole = Project(whole, tuple(Named(f"out_{c.name}", c) for c in kept))
    return whole


def _plain(rng: Random, relation: Relation) -> Relation:
    if rng.random() < 0.2:
        relation = Filter(relation, _condition(rng, references(relation.columns)))
    if rng.random() < 0.15:
        key, value = references(relation.columns)
        one = Literal("1", INT)
        more = binary("Add", "+", value, one, INT)
        relation = Project(relation, (Named(key.name, key), Named(value.name, more)))
    return relation


def _condition(rng: Random, columns: Sequence[ColumnRef]) -> Expression:
    chosen = rng.choice(list(columns))
    if rng.random() < 0.3:
        return is_null(chosen)
    return binary("GreaterThanOrEqual", ">=", chosen, Literal("1", INT), "BOOLEAN")


def _compared(rng: Random, relation: Relation) -> ColumnRef:
    """A column to join by, mostly one in which most rows have the same value."""
    columns = references(relation.columns)
    return rng.choice(columns if rng.random() < 0.3 else columns[::2])


def _joined(rng: Random, parts: list[Relation]) -> Relation:
    if len(parts) == 1:
        return parts[0]
    cut = rng.randint(1, len(parts) - 1)
    left, right = _joined(rng, parts[:cut]), _joined(rng, parts[cut:])
    one, two = _compared(rng, left), _compared(rng, right)
    dice = rng.random()
    if dice < 0.1:
        return Join(JoinKind.CROSS, left, right)
    condition: Expression = binary("EqualTo", "=", one, two, "BOOLEAN")
    if dice < 0.2:
        condition = same(one, two)
    elif dice < 0.3:
        condition = binary("LessThan", "<", one, two, "BOOLEAN")
    whole: Relation = Join(JoinKind.INNER, left, right, condition)
    if rng.random() < 0.1:
        whole = Filter(whole, _condition(rng, references(whole.columns)))
    if rng.random() < 0.1:
        columns = references(whole.columns)
        items = tuple(Named(f"{c.name}_again", c) for c in columns)
        whole = Project(whole, items)
    return whole
