"""Necessary and sufficient: exactly the rows are relevant that some rows of the others go with.

The others take all values of a domain wider than the number of variables times the largest
constant, so that a solution over all integers is one over the domain (Rosenkrantz and Hunt 1980).
"""

from __future__ import annotations

from random import Random

import duckdb
import pytest

from rollview.algebra.expressions import Expression
from rollview.analysis.relevance.changes import relevance
from rollview.sql.expressions import text
from tests.analysis.relevance.systems import (
    DECIMAL,
    Tables,
    constant,
    random_system,
    random_tables,
    view,
)
from tests.properties.dialect import to_duckdb
from tests.properties.duckdb_engine import connect
from tests.properties.seed import SEED

CASES = 40
LARGEST, MOST = 2, 4
NEAR = LARGEST * MOST + 1
"""Values of the changed row, from minus this."""
FAR = NEAR + MOST * (LARGEST + 1)
"""Values of all others, from minus this."""


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    found = connect()
    found.execute("PRAGMA enable_optimizer")
    return found


def domain(tables: Tables, name: str, far: int, step: float) -> str:
    """All values of a column of a table."""
    count = int(far / step)
    numbers = f"SELECT unnest(range(-{count}, {count + 1})) AS i"
    match tables.type:
        case "DATE":
            value = f"CAST({constant(0, 'DATE').text} + CAST(i AS INT) AS DATE)"
        case _:
            value = f"CAST(i * {step} AS {tables.type})"
    return f"SELECT {value} AS {name} FROM ({numbers})"


def grid(tables: Tables, table: str, far: int, step: float = 1) -> str:
    names = dict(tables.columns)[table]
    parts = ", ".join(f"({domain(tables, name, far, step)})" for name in names)
    return f"SELECT {', '.join(names)} FROM {parts}"


def relevant_rows(
    connection: duckdb.DuckDBPyConnection, tables: Tables, predicate: Expression | None
) -> set[tuple[object, ...]]:
    where = "" if predicate is None else f" WHERE {text(predicate)}"
    statement = to_duckdb(f"SELECT * FROM ({grid(tables, 'r', NEAR)}){where}")
    return set(connection.execute(statement).fetchall())


def rows_with_partners(
    connection: duckdb.DuckDBPyConnection, tables: Tables, condition: Expression, step: float
) -> set[tuple[object, ...]]:
    names = ", ".join(tables.changed)
    others = ", ".join(f"({grid(tables, table, FAR, step)})" for table, _ in tables.columns[1:])
    statement = to_duckdb(
        f"SELECT DISTINCT {names} FROM ({grid(tables, 'r', NEAR)}), {others}"
        f" WHERE {text(condition)}"
    )
    return set(connection.execute(statement).fetchall())


def assert_exact(
    connection: duckdb.DuckDBPyConnection, rng: Random, type: str, *, most: int, ways: int = 1
) -> bool:
    """Both directions; whether some row was irrelevant."""
    tables = random_tables(rng, type, most)
    system = random_system(rng, tables.names, LARGEST, ways)
    relation = view(system, tables)
    found = relevance(relation).predicates.get(tables.scan("r"))
    step = 0.25 if type == DECIMAL else 1
    expected = rows_with_partners(connection, tables, relation.condition, step)
    assert relevant_rows(connection, tables, found) == expected, (SEED, system, found)
    return found is not None


@pytest.mark.parametrize("type", ["INT", "BIGINT", "DATE"])
def test_conjunctions_are_decided_exactly(type: str, connection: duckdb.DuckDBPyConnection) -> None:
    rng = Random(f"{SEED}-{type}")
    cut = [assert_exact(connection, rng, type, most=MOST) for _ in range(CASES)]
    assert sum(cut) > CASES // 4


def test_disjunctions_are_decided_one_by_one(connection: duckdb.DuckDBPyConnection) -> None:
    rng = Random(f"{SEED}-ways")
    cut = [assert_exact(connection, rng, "INT", most=3, ways=2) for _ in range(CASES)]
    assert any(cut)


def test_between_decimals_there_are_others(connection: duckdb.DuckDBPyConnection) -> None:
    """Strict stays strict; a quarter is fine enough for three variables between two integers."""
    rng = Random(f"{SEED}-dense")
    cut = [assert_exact(connection, rng, DECIMAL, most=3) for _ in range(CASES // 2)]
    assert any(cut)
