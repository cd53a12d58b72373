"""The tables of TPC-H in a lake, and the stream that changes them."""

from __future__ import annotations

import subprocess
import sysconfig
import tempfile
from pathlib import Path

import rollview

TABLES = ("region", "nation", "supplier", "part", "partsupp", "customer", "orders", "lineitem")


def load(db: rollview.Session, scale: float) -> None:
    """The tables of TPC-H, in the order of their keys, as Delta tables of the lake."""
    there = {table.name for table in db.spark.catalog.listTables()}
    if not set(TABLES) - there:
        return
    program = Path(sysconfig.get_path("scripts"), "tpchgen-cli")
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "parquet", "-s", f"{scale:g}", "--output-dir", folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for table in TABLES:
            rows = db.spark.read.parquet(f"{folder}/{table}.parquet")
            # The feed lets a refresh read the rows that an UPDATE changed, not whole files.
            feed = {"delta.enableChangeDataFeed": "true"}
            rows.write.format("delta").options(**feed).mode("overwrite").saveAsTable(table)


def change(db: rollview.Session, number: int, part: float) -> None:
    """One batch of the stream, for a part of each table; other rows in every batch.

    New orders with their items come and the oldest go. Keys of orders are sparse, 8 of 32 in use;
    new ones lie above all others.
    """
    run = db.spark.sql
    few = max(1, int(int(run("SELECT count(*) FROM orders").collect()[0][0]) * part))
    [(oldest, newest)] = run(
        "SELECT max(k), (SELECT max(o_orderkey) FROM orders) FROM "
        f"(SELECT o_orderkey AS k FROM orders ORDER BY 1 LIMIT {few})"
    ).collect()
    for table, key in (("orders", "o_orderkey"), ("lineitem", "l_orderkey")):
        columns = db.spark.table(table).columns
        shown = ", ".join(f"{key} + {newest}" if c == key else c for c in columns)
        run(f"INSERT INTO {table} SELECT {shown} FROM {table} WHERE {key} <= {oldest}")
        run(f"DELETE FROM {table} WHERE {key} <= {oldest}")
    for table, assignment, condition in updates(number, part):
        run(f"UPDATE {table} SET {assignment} WHERE {condition}")


def updates(number: int, part: float) -> list[tuple[str, str, str]]:
    """The updates of one batch: the table, what is set, and for which rows."""
    slots = max(1, round(1 / part))
    turn = number % slots
    found = (
        ("lineitem", "l_extendedprice = l_extendedprice + 1", "l_orderkey DIV 32"),
        ("orders", "o_orderstatus = IF(o_orderstatus = 'F', 'O', 'F')", "o_orderkey DIV 32"),
        ("partsupp", "ps_supplycost = ps_supplycost + 1", "ps_partkey"),
        (
            "customer",
            "c_mktsegment = IF(c_mktsegment = 'BUILDING', 'MACHINERY', 'BUILDING')",
            "c_custkey",
        ),
    )
    return [(table, change, f"({key}) % {slots} = {turn}") for table, change, key in found]
