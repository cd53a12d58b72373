"""TPC-H and TPC-DS: queries and data out of DuckDB's extension packages, for Spark.

Data is made once at a tiny scale and kept as Delta tables under the cache folder; a session only
registers them. Two changes make the results comparable: output columns get distinct names, as a
view needs them, and a LIMIT gets a total order. A third makes them worth comparing: conditions that
select nothing from so little data are relaxed.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from importlib import resources
from pathlib import Path

import duckdb
import sqlglot
from pyspark.sql import SparkSession
from sqlglot import expressions as exp

from tests.corpus.loader import Query
from tests.roundtrip.relaxed import relaxed

SCALE = {
    "tpch": float(os.environ.get("ROLLVIEW_TPCH_SCALE", "0.01")),
    "tpcds": float(os.environ.get("ROLLVIEW_TPCDS_SCALE", "0.01")),
}
GENERATOR = {"tpch": "dbgen", "tpcds": "dsdgen"}


def load_benchmark(name: str) -> list[Query]:
    """The queries of ``tpch`` or ``tpcds`` in Spark's dialect."""
    rows = _connect(name).execute(f"SELECT query_nr, query FROM {name}_queries()").fetchall()
    return [
        Query(f"q{number:02}", name, _for_spark(name, number, text))
        for number, text in sorted(rows)
    ]


def create_benchmark_tables(spark: SparkSession, name: str) -> None:
    """Register the tables of a benchmark in a schema of its name; make their data if missing."""
    folder = _cache_folder() / f"{name}-{SCALE[name]}-duckdb-{duckdb.__version__}"
    if not folder.exists():
        building = Path(tempfile.mkdtemp(dir=_cache_folder()))
        export(name, SCALE[name], building / "parquet")
        _to_delta(spark, building)
        shutil.rmtree(building / "parquet")
        try:
            building.rename(folder)
        except OSError:  # another process was faster
            shutil.rmtree(building)
    spark.sql(f"CREATE SCHEMA IF NOT EXISTS {name}")
    for table in sorted(folder.iterdir()):
        spark.sql(f"CREATE TABLE IF NOT EXISTS {name}.{table.name} USING delta LOCATION '{table}'")


def _cache_folder() -> Path:
    default = Path(tempfile.gettempdir()) / "rollview-benchmark-data"
    folder = Path(os.environ.get("ROLLVIEW_BENCHMARK_DATA", default))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _connect(name: str) -> duckdb.DuckDBPyConnection:
    """A connection with the extension loaded from its package, which needs no network."""
    version = f"v{duckdb.__version__}"
    package = resources.files(f"duckdb_extension_{name}")
    with resources.as_file(
        package.joinpath("extensions", version, f"{name}.duckdb_extension")
    ) as path:
        connection = duckdb.connect()
        connection.execute(f"LOAD '{path}'")
    return connection


def export(name: str, scale: float, folder: Path) -> None:
    """Write the tables of a benchmark as Parquet files, one each, into a new folder."""
    connection = _connect(name)
    connection.execute(f"CALL {GENERATOR[name]}(sf={scale})")
    folder.mkdir()
    for (table,) in connection.execute("SHOW TABLES").fetchall():
        path = folder / f"{table}.parquet"
        connection.execute(f"COPY {table} TO '{path}' (FORMAT parquet)")


def _to_delta(spark: SparkSession, folder: Path) -> None:
    for path in sorted((folder / "parquet").iterdir()):
        rows = spark.read.parquet(str(path)).coalesce(1)
        rows.write.format("delta").save(str(folder / path.stem))


def _for_spark(name: str, number: int, text: str) -> str:
    (query,) = [tree for tree in sqlglot.parse(text, read="duckdb") if tree is not None]
    query = relaxed(name, number, query)
    _name_columns(query)
    _total_order(query)
    return query.sql(dialect="spark", pretty=True)


def _name_columns(query: exp.Expression) -> None:
    """Give every output column of the query a name of its own."""
    select = query
    while isinstance(select, exp.SetOperation):
        select = select.this
    seen: set[str] = set()
    for position, item in enumerate(select.expressions, 1):
        name = item.unnest().alias_or_name  # DISTINCT (x) is a column named x
        if isinstance(item, exp.Star) or name == "*":
            continue
        if not name or name.lower() in seen:
            item.replace(exp.alias_(item.unalias().copy(), f"{name or 'column'}_{position}"))
        seen.add(name.lower())


def _total_order(query: exp.Expression) -> None:
    """Append every output column to the order of a query with LIMIT: ties decide nothing then."""
    if query.args.get("limit") is None:
        return
    order = query.args.get("order") or exp.Order(expressions=[])
    names = query.named_selects
    if "*" not in names:
        ordinals = [exp.Ordered(this=exp.Literal.number(i)) for i in range(1, len(names) + 1)]
        order.set("expressions", [*order.expressions, *ordinals])
    elif not order.expressions:
        order.set("expressions", [exp.Ordered(this=exp.Var(this="ALL"))])
    query.set("order", order)
