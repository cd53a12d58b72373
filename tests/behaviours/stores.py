"""The view stores under test, each with a way to make rows and to look at them."""

from __future__ import annotations

import os
import time
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
from rollview.storage.memory import MemoryBacking, MemoryBags, MemoryDisk
from rollview.storage.segments import Segments
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
    )


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
