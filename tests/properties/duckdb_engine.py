"""Programs run on DuckDB: the engine of tests without a Java process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import duckdb
import sqlglot

from rollview.algebra.relations import Relation
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.prepare import Prepared, prepare
from rollview.runtime.propagate import Computed, propagate
from rollview.sql.render import render

Row = tuple[object, ...]


def to_duckdb(statement: str) -> str:
    """The Spark SQL of the renderer as DuckDB writes it."""
    return sqlglot.transpile(statement, read="spark", write="duckdb")[0]


class DuckEngine:
    """Every step is a temporary table."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._number = 0

    def compute(self, name: str, statement: str) -> Computed:
        self._number += 1
        table = f"step_{self._number}_{name}"
        self._connection.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS {to_duckdb(statement)}")
        rows = self._connection.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0]
        return Computed(table, int(rows))
