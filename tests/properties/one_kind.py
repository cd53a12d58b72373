"""Changes of one kind, of one table, that keep what is declared."""

from __future__ import annotations

from collections.abc import Collection
from random import Random

from rollview.planning.self_maintained import Kind
from tests.properties.cases import Batch, Case, Change, Row
from tests.properties.holding import all_hold
from tests.properties.values import VALUES

_TRIES = 30
_MOST = 3


def batch_of(rng: Random, case: Case, table: str, kind: Kind, columns: Collection[str]) -> Batch:
    """Some rows that come, go, or change in these columns; none if none can."""
    batch: tuple[Change, ...] = ()
    wanted = rng.randint(1, _MOST)
    touched: list[Row] = []
    for _ in range(_TRIES):
        more = _statement(rng, case, table, kind, columns, touched)
        if more and all_hold(case, _after(case, (*batch, *more))):
            batch = (*batch, *more)
            touched += [change.row for change in more]
            wanted -= 1
        if not wanted:
            break
    return batch


def _statement(
    rng: Random, case: Case, table: str, kind: Kind, columns: Collection[str], touched: list[Row]
) -> Batch:
    schema = case.tables[table].columns
    if kind is Kind.INSERT:
        row = tuple(_value(rng, case, table, place) for place in range(len(schema)))
        return (Change(table, row, 1),)
    rows = [row for row in case.tables[table].rows if row not in touched]
    if not rows:
        return ()
    old = rng.choice(rows)
    if kind is Kind.DELETE:
        return (Change(table, old, -1),)
    places = [i for i, column in enumerate(schema) if column.name in columns]
    some = rng.sample(places, rng.randint(1, len(places)))
    new = tuple(_value(rng, case, table, i) if i in some else v for i, v in enumerate(old))
    return (Change(table, old, -1), Change(table, new, 1)) if new != old else ()


def _value(rng: Random, case: Case, table: str, place: int) -> object:
    """One that some table has in a column of this type, or any."""
    column = case.tables[table].columns[place]
    if column.nullable and rng.random() < 0.15:
        return None
    there = [
        row[i]
        for other in case.tables.values()
        for row in other.rows
        for i, c in enumerate(other.columns)
        if c.type == column.type and row[i] is not None
    ]
    return rng.choice(there if there and rng.random() < 0.6 else VALUES[column.type])


def _after(case: Case, batch: Batch) -> dict[str, list[Row]]:
    rows = {name: list(table.rows) for name, table in case.tables.items()}
    for change in batch:
        if change.weight > 0:
            rows[change.table].append(change.row)
        else:
            rows[change.table].remove(change.row)
    return rows
