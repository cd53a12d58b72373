"""Programs run on DuckDB: the engine of tests without a Java process."""

from __future__ import annotations

import duckdb

from rollview.algebra.relations import Relation
from rollview.algebra.schema import Column
from rollview.analysis.range import Range
from rollview.runtime.at_hand import AtHand
from rollview.runtime.propagate import Computed
from rollview.sql.render import render
from tests.properties.at_hand import spelled
from tests.properties.dialect import MACROS, to_duckdb
from tests.properties.scalars import literal

_ORDERED = ("INT", "BIGINT", "SMALLINT", "STRING", "DATE", "TIMESTAMP")
Row = tuple[object, ...]


def connect() -> duckdb.DuckDBPyConnection:
    """An empty database in memory; tables are small, so its optimizer would cost, not save."""
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    connection.execute("PRAGMA disable_optimizer")
    connection.execute(MACROS)
    return connection


class DuckEngine:
    """Every step is a temporary table."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self.steps: list[str] = []

    def compute(self, name: str, statement: str) -> Computed:
        """Run the statement now and keep its rows under a name."""
        return self._create(name, to_duckdb(statement))

    def _create(self, name: str, query: str) -> Computed:
        table = f"step_{name}"
        self.steps.append(name)
        done = self._connection.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS {query}")
        return Computed(table, int(done.fetchall()[0][0]))

    def evaluate(self, name: str, wanted: AtHand) -> Computed | None:
        """Do what the form says, which is spelled as SQL here."""
        return self._create(name, spelled(wanted.form, wanted.tables))

    def range(self, computed: Computed, column: Column) -> Range | None:
        """The least and the greatest value of a column."""
        if column.type not in _ORDERED:
            return None
        low, high, nulls = self._connection.execute(
            f"SELECT min({column.name}), max({column.name}), count(*) > count({column.name})"
            f" FROM {computed.table}"
        ).fetchall()[0]
        if low is None:
            return None
        return Range(literal(low, column.type), literal(high, column.type), nulls)

    def rows(self, statement: str) -> list[Row]:
        """The rows of a statement in Spark SQL."""
        return self._connection.execute(to_duckdb(statement)).fetchall()

    def recomputed(self, relation: Relation, leaves: dict[str, str]) -> list[Row]:
        """The rows of a relation, recomputed."""
        return self.rows(render(relation, leaves))
