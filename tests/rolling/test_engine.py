"""The statements rendered of propagation queries give on DuckDB what the interpreter gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from rollview.algebra.relations import Relation
from rollview.algebra.schema import Column
from rollview.maintenance.signed import WEIGHT
from rollview.rolling.stamped import POSITION
from tests.properties.duckdb_engine import DuckEngine, connect
from tests.properties.maintained import create
from tests.properties.seed import SEED
from tests.rolling.interpreter import Row, Table, evaluate
from tests.rolling.schedules import random_schedule, run

TYPES = {WEIGHT: "BIGINT", POSITION: "BIGINT"}


def test_queries_are_ordinary_statements() -> None:
    """The law holds of DuckDB's rows as well: `run` checks it."""
    connection = connect()
    engine = DuckEngine(connection)
    compared = 0

    def on_duckdb(relation: Relation, leaves: Mapping[str, Table]) -> list[Row]:
        nonlocal compared
        tables = {}
        for number, (name, (fields, rows)) in enumerate(leaves.items()):
            columns = tuple(Column(field, TYPES.get(field, "INT")) for field in fields)
            create(connection, f"leaf_{number}", columns, rows)
            tables[name] = f"leaf_{number}"
        found = engine.recomputed(relation, tables)
        assert Counter(found) == Counter(evaluate(relation, leaves))
        compared += 1
        return found

    for number in range(12):
        run(random_schedule(SEED, number), on_duckdb)
    assert compared > 30
    connection.close()
