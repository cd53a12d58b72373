"""The view stores under test, each with a way to make rows and to look at them."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from rollview.storage import registry
from rollview.storage.base import Backing
from rollview.storage.change import Replace
from rollview.storage.delta_backing import DeltaBacking
from rollview.storage.files import LocalFiles
from rollview.storage.iceberg_backing import IcebergBacking
from rollview.storage.iceberg_commits import TAG
from rollview.storage.iceberg_table import table_now
from rollview.storage.memory import MemoryBacking, MemoryBags, MemoryDisk
from rollview.storage.segments import Segments
from rollview.storage.view_rows import DeltaViewRows, IcebergViewRows, ViewRows
from rollview.storage.view_store import ViewStore

TWO_MONTHS = 60 * 24 * 3600
COLUMNS = StructType([StructField("k", IntegerType(), False), StructField("v", StringType())])
DELTA = StructType([*COLUMNS.fields, StructField("weight", LongType(), False)])


@dataclass
class StoreUnderTest:
    """One store; `again` opens the same view as another process would.

    What others do to its table, each with proof that it was done: `compact` rewrites its files,
    `alter` sets a property, `vacuum` removes the files of old versions at once, and
    `lose_commit_records` lets the log be cleaned up to its newest checkpoint.
    """

    again: Callable[[], ViewStore[Any]]
    rows: Callable[[list[tuple[int, str | None]]], Any]
    delta: Callable[[list[tuple[int, str | None, int]]], Any]
    content: Callable[[Any], list[tuple[Any, ...]]]
    compact: Callable[[], None]
    alter: Callable[[], None]
    vacuum: Callable[[], None]
    lose_commit_records: Callable[[], None]
    folder: Path
    is_next: Callable[[str, str], bool] = lambda first, second: int(second) == int(first) + 1
    """Whether one version follows the other at once."""
    alters_version: bool = True
    """Whether `alter` makes a version: a property of an Iceberg table is in no snapshot."""
    seen: Callable[[], ViewRows] | None = None
    """The rows as what another view reads."""
    live_files: Callable[[], set[str]] | None = None
    """The data files of the newest version."""

    def all(self, rows: list[tuple[int, str | None]]) -> Replace[Any]:
        """The change to exactly these rows."""
        return Replace(self.rows(rows))


def memory_store(tmp_path: Path) -> StoreUnderTest:
    disk = MemoryDisk()

    def again() -> ViewStore[Any]:
        state = Segments(MemoryBags(LocalFiles()), LocalFiles(), str(tmp_path))
        return ViewStore("v", MemoryBacking(disk, "data"), state, LocalFiles(), str(tmp_path))

    return StoreUnderTest(
        again,
        rows=list,
        delta=list,
        content=lambda rows: sorted(rows, key=repr),
        compact=lambda: disk.rewrite("data"),
        alter=lambda: disk.rewrite("data"),
        vacuum=lambda: disk.vacuum("data"),
        lose_commit_records=lambda: disk.forget_metadata("data"),
        folder=tmp_path,
    )


def delta_store(spark: SparkSession, tmp_path: Path) -> StoreUnderTest:
    data = tmp_path / "data"
    own = spark.newSession()
    own.conf.set("spark.sql.files.maxRecordsPerFile", "1")  # so that there is much to compact
    own.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    own.conf.set("spark.sql.sources.parallelPartitionDiscovery.parallelism", "4")
    table = f"delta.`{data}`"

    def again() -> ViewStore[Any]:
        backing: Backing[Any] = DeltaBacking(own, str(data), "id", COLUMNS)
        state = registry.segments(own, LocalFiles(), str(tmp_path))
        return ViewStore("v", backing, state, LocalFiles(), str(tmp_path))

    def compact() -> None:
        own.conf.unset("spark.sql.files.maxRecordsPerFile")
        before = _data_files(own, table)
        own.sql(f"OPTIMIZE {table}")
        assert before > _data_files(own, table) == 1

    def alter() -> None:
        own.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('team' = 'blue')")

    def vacuum() -> None:
        own.sql(f"VACUUM {table} RETAIN 0 HOURS")
        assert len(list(data.glob("*.parquet"))) == _data_files(own, table)

    return StoreUnderTest(
        again,
        rows=lambda rows: own.createDataFrame(rows, COLUMNS),
        delta=lambda rows: own.createDataFrame(rows, DELTA),
        content=lambda frame: sorted((tuple(row) for row in frame.collect()), key=repr),
        compact=compact,
        alter=alter,
        vacuum=vacuum,
        lose_commit_records=lambda: _clean_log(own, data),
        folder=tmp_path,
        seen=lambda: DeltaViewRows(spark, "v", str(data), COLUMNS),
        live_files=lambda: _live_in_log(data),
    )


def iceberg_store(spark: SparkSession, tmp_path: Path) -> StoreUnderTest:
    own = spark.newSession()
    own.conf.set("spark.sql.shuffle.partitions", "1")
    # Every plan is run once, over a few rows: compiling it costs more than running it does.
    own.conf.set("spark.sql.codegen.wholeStage", "false")
    own.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    parts = ["iceberg", "behaviours", f"v_{uuid.uuid4().hex}"]
    name, data = ".".join(parts), tmp_path / "data"

    def again() -> ViewStore[Any]:
        backing: Backing[Any] = IcebergBacking(own, parts, str(data), COLUMNS)
        state = registry.segments(own, LocalFiles(), str(tmp_path))
        return ViewStore("v", backing, state, LocalFiles(), str(tmp_path))

    def snapshots() -> list[str]:
        rows = own.sql(f"SELECT snapshot_id FROM {name}.snapshots ORDER BY committed_at").collect()
        return [str(row[0]) for row in rows]

    def compact() -> None:
        before = len(snapshots())
        options = "map('rewrite-all', 'true')"
        own.sql(
            f"CALL iceberg.system.rewrite_data_files("
            f"table => '{'.'.join(parts[1:])}', options => {options})"
        )
        assert len(snapshots()) == before + 1
        assert len(_live_in_snapshot(own, name)) == 1

    def alter() -> None:
        before = _metadata(own, name)
        own.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('team' = 'blue')")
        assert _metadata(own, name) != before

    def expire() -> None:
        table = table_now(own, name)
        table.expireSnapshots().expireOlderThan(_soon()).retainLast(1).commit()

    def vacuum() -> None:
        expire()
        assert len(snapshots()) <= 2  # the newest, and that of the newest refresh

    def lose_commit_records() -> None:
        """Somebody removes the tag, too, and expires all but the newest snapshot."""
        table_now(own, name).manageSnapshots().removeTag(TAG).commit()
        expire()
        assert len(snapshots()) == 1

    def is_next(first: str, second: str) -> bool:
        parent = table_now(own, name).snapshot(int(second)).parentId()
        return str(parent) == first

    return StoreUnderTest(
        again,
        rows=lambda rows: own.createDataFrame(rows, COLUMNS),
        delta=lambda rows: own.createDataFrame(rows, DELTA),
        content=lambda frame: sorted((tuple(row) for row in frame.collect()), key=repr),
        compact=compact,
        alter=alter,
        vacuum=vacuum,
        lose_commit_records=lose_commit_records,
        folder=tmp_path,
        is_next=is_next,
        alters_version=False,
        seen=lambda: IcebergViewRows(own, "v", name, str(data), COLUMNS),
        live_files=lambda: _live_in_snapshot(own, name),
    )


def _live_in_log(data: Path) -> set[str]:
    """By the log alone: what was added and not removed."""
    live: set[str] = set()
    for record in sorted((data / "_delta_log").glob("*.json")):
        actions = [json.loads(line) for line in record.read_text().splitlines()]
        live -= {action["remove"]["path"] for action in actions if "remove" in action}
        live |= {action["add"]["path"] for action in actions if "add" in action}
    return live


def _live_in_snapshot(spark: SparkSession, name: str) -> set[str]:
    return {row[0] for row in spark.sql(f"SELECT file_path FROM {name}.files").collect()}


def _metadata(spark: SparkSession, name: str) -> str:
    rows = spark.sql(f"SELECT file FROM {name}.metadata_log_entries ORDER BY timestamp").collect()
    return str(rows[-1][0])


def _soon() -> int:
    return int(time.time() * 1000) + 1000


def _data_files(spark: SparkSession, table: str) -> int:
    return int(spark.sql(f"DESCRIBE DETAIL {table}").collect()[0]["numFiles"])


def _clean_log(spark: SparkSession, data: Path) -> None:
    """Delta's own log clean-up, at a checkpoint of a table that is two months old."""
    jvm: Any = spark._jvm
    old = time.time() - TWO_MONTHS
    for record in (data / "_delta_log").glob("*.json"):
        os.utime(record, (old, old))
    logs = jvm.org.apache.spark.sql.delta.DeltaLog
    logs.clearCache()
    none = jvm.scala.Option.empty()
    log = logs.forTable(spark._jsparkSession, str(data))
    log.checkpoint(log.update(False, none, none), none)
    log.doLogCleanup(log.update(False, none, none), none)
    logs.clearCache()
    assert len(list((data / "_delta_log").glob("*.json"))) == 1


ON_SPARK = {"delta": delta_store, "iceberg": iceberg_store}
