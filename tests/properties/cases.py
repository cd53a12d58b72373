"""A case: tables with rows, a view over them, and batches of changes, one per refresh."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from rollview.algebra.relations import Relation, Scan
from rollview.algebra.schema import Column, Schema
from rollview.algebra.traverse import walk
from rollview.analysis.constraints import NONE, Constraints
from tests.properties.trees import random_view
from tests.properties.values import is_compared, random_type, random_value

Row = tuple[object, ...]
Bag = Counter[Row]


@dataclass(frozen=True)
class Change:
    """One row that is added to a table (weight 1) or removed from it (-1)."""

    table: str
    row: Row
    weight: int


Batch = tuple[Change, ...]


@dataclass(frozen=True)
class Table:
    """The columns and the first rows of a base table."""

    columns: Schema
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Case:
    """Everything that a run of the laws needs."""

    tables: Mapping[str, Table]
    relation: Relation
    batches: tuple[Batch, ...]
    constraints: Constraints = NONE
    breaks: bool = False
    """Whether the changes may break what is declared; nothing is trusted then."""


View = Callable[[Random, Mapping[str, Schema], int], Relation]


def random_case(rng: Random, depth: int = 5, view: View = random_view) -> Case:
    """A case; small ones are more likely than large ones."""
    key = rng.choice(("INT", "INT", "STRING", random_type(rng)))
    key = key if is_compared(key) else "INT"
    tables = {f"t{i}": random_table(rng, "abcd"[i], key) for i in range(rng.choice((1, 2, 2, 3)))}
    schemas = {name: table.columns for name, table in tables.items()}
    relation = view(rng, schemas, min(rng.choice((1, 2, 2, 3, 3, 4, 5)), depth))
    read = {node.source for node in walk(relation) if isinstance(node, Scan)}
    used = {name: table for name, table in tables.items() if name in read or rng.random() < 0.1}
    used = used or tables
    return Case(used, relation, random_batches(rng, used))


def random_table(rng: Random, prefix: str, key: str) -> Table:
    """A table whose first column, of type ``key``, is what tables are joined on."""
    types = [key, *(random_type(rng) for _ in range(rng.randint(1, 3)))]
    columns = tuple(
        Column(f"{prefix}{i}", type, rng.random() < 0.7) for i, type in enumerate(types)
    )
    rows = [_row(rng, columns) for _ in range(rng.choice((0, 3, 5, 5, 7, 7, 9, 9)))]
    rows += [rng.choice(rows) for _ in range(rng.randint(0, 3)) if rows]
    return Table(columns, tuple(rows))


def _row(rng: Random, columns: Schema) -> Row:
    return tuple(random_value(rng, c.type, c.nullable) for c in columns)


def random_batches(rng: Random, tables: Mapping[str, Table]) -> tuple[Batch, ...]:
    """One to three batches; the tables change one at a time, or several, or all."""
    present = {name: list(table.rows) for name, table in tables.items()}
    batches = []
    for _ in range(rng.choice((1, 1, 2, 3))):
        touched = rng.sample(sorted(tables), rng.randint(1, len(tables)))
        batch: list[Change] = []
        for name in touched:
            for _ in range(rng.choice((1, 1, 2, 3))):
                batch += _changes(rng, name, tables[name].columns, present[name])
        batches.append(tuple(batch))
    return tuple(batches)


def _changes(rng: Random, table: str, columns: Schema, rows: list[Row]) -> list[Change]:
    """One statement against a table; ``rows`` are brought up to date."""
    dice = rng.random()
    if not rows or dice < 0.35:
        new = rng.choice(rows) if rows and rng.random() < 0.2 else _row(rng, columns)
        rows.append(new)
        return [Change(table, new, 1)]
    old = rng.choice(rows)
    if dice < 0.55:
        rows.remove(old)
        return [Change(table, old, -1)]
    if dice < 0.85:
        place = rng.randrange(len(columns))
        fresh = random_value(rng, columns[place].type, columns[place].nullable)
        new = (*old[:place], fresh, *old[place + 1 :])
        rows[rows.index(old)] = new
        return [Change(table, old, -1), Change(table, new, 1)]
    if dice < 0.9:
        everything = [Change(table, row, -1) for row in rows]
        rows.clear()
        return everything
    passing = _row(rng, columns)
    if rng.random() < 0.5:
        return [Change(table, passing, 1), Change(table, passing, -1)]
    return [Change(table, old, -1), Change(table, old, 1)]
