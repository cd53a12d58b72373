"""The view stores under test, each with a way to make rows and to look at them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.types import IntegerType, StringType, StructField, StructType

from rollview.storage.base import Backing
from rollview.storage.delta_lake import DeltaBacking
from rollview.storage.files import LocalFiles
from rollview.storage.memory import MemoryBacking, MemoryDisk
from rollview.storage.view_store import ViewStore

COLUMNS = StructType([StructField("k", IntegerType(), False), StructField("v", StringType())])


@dataclass
class StoreUnderTest:
    """One store; `again` opens the same view as another process would."""

    again: Callable[[], ViewStore[Any]]
    rows: Callable[[list[tuple[int, str | None]]], Any]
    content: Callable[[Any], list[tuple[Any, ...]]]
    compact: Callable[[], None]
    lose_commit_records: Callable[[], None]
    folder: Path


def memory_store(tmp_path: Path) -> StoreUnderTest:
    disk = MemoryDisk()

    def again() -> ViewStore[Any]:
        return ViewStore("v", MemoryBacking(disk, "data"), LocalFiles(), str(tmp_path))

    return StoreUnderTest(
        again,
        rows=list,
        content=lambda rows: sorted(rows),
        compact=lambda: disk.rewrite("data"),
        lose_commit_records=lambda: disk.forget_metadata("data"),
        folder=tmp_path,
    )


def delta_store(spark: SparkSession, tmp_path: Path) -> StoreUnderTest:
    data = tmp_path / "data"

    def again() -> ViewStore[Any]:
        backing: Backing[Any] = DeltaBacking(spark, str(data), "id", COLUMNS)
        return ViewStore("v", backing, LocalFiles(), str(tmp_path))

    def lose_commit_records() -> None:
        jvm: Any = spark._jvm
        none = jvm.scala.Option.empty()
        log = jvm.org.apache.spark.sql.delta.DeltaLog.forTable(spark._jsparkSession, str(data))
        log.checkpoint(log.update(False, none, none), none)
        newest = f"{log.unsafeVolatileSnapshot().version():020}.json"
        for record in (data / "_delta_log").glob("*.json"):
            if record.name < newest:
                record.unlink()
        jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()

    def compact() -> None:
        spark.sql(f"ALTER TABLE delta.`{data}` SET TBLPROPERTIES ('team' = 'blue')")

    return StoreUnderTest(
        again,
        rows=lambda rows: spark.createDataFrame(rows, COLUMNS),
        content=lambda frame: sorted(tuple(row) for row in frame.collect()),
        compact=compact,
        lose_commit_records=lose_commit_records,
        folder=tmp_path,
    )
