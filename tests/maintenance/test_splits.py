"""However a batch is split, the view is the same: every place to cut it, and one by one.

`tests.properties.test_laws` cuts each case at one place; here a few cases are cut at all of them.
"""

from __future__ import annotations

import duckdb
import pytest

from tests.properties.bags import assert_same
from tests.properties.cases import Batch, Case, Row
from tests.properties.duckdb_engine import connect
from tests.properties.maintained import Maintained
from tests.properties.run import numbered_case
from tests.properties.seed import SEED
from tests.properties.values import VALUES

DRAWN, SPLIT = 600, 15
FROM, TO = 3, 6  # changes of a batch that is worth splitting, and not too long


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    return connect()


CASES = {number: numbered_case(SEED, number) for number in range(DRAWN)}


def splits(batch: Batch) -> list[tuple[Batch, ...]]:
    """The whole, every cut in two, and each change alone."""
    cuts = [(batch[:place], batch[place:]) for place in range(1, len(batch))]
    return [(batch,), *cuts, tuple((change,) for change in batch)]


def can_be_cut(case: Case) -> bool:
    """Whether the first batch is of the wanted length, in which no row goes before it is there."""
    return FROM <= len(case.batches[0]) <= TO


CUT = [number for number, case in CASES.items() if can_be_cut(case)][:SPLIT]


def test_there_is_enough_to_split() -> None:
    assert len(CUT) == SPLIT


@pytest.mark.parametrize("number", CUT)
def test_any_split_gives_the_same_view(number: int, connection: duckdb.DuckDBPyConnection) -> None:
    case = CASES[number]
    found = None
    for parts in splits(case.batches[0]):
        view = Maintained(case, connection)
        for part in parts:
            view.refresh(part)
        if found is not None:
            assert_same(f"seed {SEED}, case {number}, {[len(p) for p in parts]}", view.view, found)
        found = view.view


def meetings(batch: Batch) -> set[tuple[str, Row]]:
    """The rows that a batch both adds and removes."""
    added = {(c.table, c.row) for c in batch if c.weight > 0}
    return added & {(c.table, c.row) for c in batch if c.weight < 0}


def moved_twice(batch: Batch) -> bool:
    """Whether a row that an update made is updated or removed by the same batch."""
    made: set[tuple[str, Row]] = set()
    for change in batch:
        if change.weight < 0 and (change.table, change.row) in made:
            return True
        if change.weight > 0:
            made.add((change.table, change.row))
    return False


def test_batches_are_in_conflict_with_themselves() -> None:
    batches = [batch for case in CASES.values() for batch in case.batches]
    assert sum(bool(meetings(batch)) for batch in batches) > len(batches) / 50
    assert any(moved_twice(batch) for batch in batches)
    assert {len(case.batches) for case in CASES.values()} == {1, 2, 3}


def test_tables_have_duplicates_and_every_kind_of_value_that_is_asked_for() -> None:
    tables = [table for case in CASES.values() for table in case.tables.values()]
    twice = [t for t in tables if len(set(map(repr, t.rows))) < len(t.rows)]
    assert len(twice) > len(tables) / 10
    cells = [(c.type, row[i]) for t in tables for i, c in enumerate(t.columns) for row in t.rows]
    null = {type for type, value in cells if value is None}
    assert null == set(VALUES)
    words = ("DECIMAL", "STRING", "DATE", "ARRAY<", "STRUCT<", "MAP<")
    assert all(any(type.startswith(word) for type in VALUES) for word in words)
