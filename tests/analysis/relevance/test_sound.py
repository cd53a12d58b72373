"""Whatever the condition: a row for which it is true passes the predicate."""

from __future__ import annotations

from random import Random

from rollview.algebra.relations import Filter, Scan
from rollview.analysis.relevance.changes import relevance
from rollview.sql.expressions import text
from tests.properties.cases import random_table
from tests.properties.comparisons import conditional_case, random_condition
from tests.properties.dialect import to_duckdb
from tests.properties.duckdb_engine import connect
from tests.properties.maintained import create
from tests.properties.scalars import Scalars
from tests.properties.seed import SEED
from tests.properties.values import is_compared

CASES = 250


def test_no_row_is_lost_to_a_filter() -> None:
    """Conditions of all kinds: those that are looked into, and any other ones."""
    rng, connection = Random(f"{SEED}-sound"), connect()
    cut = 0
    for number in range(CASES):
        if number % 2:
            table = random_table(rng, "a", "INT")
            comparable = [c for c in table.columns if is_compared(c.type)]
            condition = Scalars(rng, comparable).condition()
        else:
            table = next(iter(conditional_case(rng).tables.values()))
            condition = random_condition(rng, table.columns, 3)
        scan = Scan("t", tuple(c.name for c in table.columns), table.columns)
        wanted = relevance(Filter(scan, condition)).of_source("t")
        if wanted is None:
            continue
        create(connection, "t", table.columns, table.rows)
        lost = f"({text(condition)}) AND (({text(wanted)}) IS NOT TRUE)"
        rows = connection.execute(to_duckdb(f"SELECT * FROM t WHERE {lost}")).fetchall()
        assert not rows, (SEED, number, text(condition), text(wanted))
        cut += 1
    assert cut > CASES // 3
