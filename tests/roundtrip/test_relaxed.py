"""Every TPC query that is a view in the proof has rows, so that a comparison of it can fail."""

from __future__ import annotations

import pytest
import sqlglot

from tests.roundtrip.benchmark_queries import GENERATOR, SCALE, _connect
from tests.roundtrip.relaxed import STAY_EMPTY, relaxed

Row = tuple[object, ...]


def says_something(rows: list[Row]) -> bool:
    """Whether there is a row that an aggregate of nothing would not have."""
    return any(value is not None and value != 0 for row in rows for value in row)


@pytest.mark.parametrize("name", ["tpch", "tpcds"])
def test_only_the_queries_that_are_listed_are_empty(name: str) -> None:
    connection = _connect(name)
    connection.execute("SET threads = 1")
    connection.execute(f"CALL {GENERATOR[name]}(sf={SCALE[name]})")
    queries = connection.execute(f"SELECT query_nr, query FROM {name}_queries()").fetchall()
    empty = set()
    for number, text in queries:
        query = relaxed(name, number, sqlglot.parse_one(text, read="duckdb"))
        rows = connection.execute(query.sql(dialect="duckdb")).fetchall()
        if not says_something(rows):
            empty.add(number)
    assert empty == STAY_EMPTY[name]


def test_a_condition_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ValueError, match="tpch q17 has no condition"):
        relaxed("tpch", 17, sqlglot.parse_one("SELECT 1 AS one"))
