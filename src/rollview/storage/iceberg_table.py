"""Iceberg tables as Iceberg's own objects: as they are now, not as a catalog remembers them."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from rollview.java_classes import load
from rollview.storage.tables import active

EMPTY = "none"  # the version of a table without a snapshot


def table_now(spark: SparkSession, name: str) -> Any:
    """The table of a catalog. Raises what Spark or Iceberg raise if there is none."""
    jvm: Any = spark._jvm
    util = jvm.org.apache.iceberg.spark.Spark3Util
    with active(spark):  # it looks for catalogs in the session of its thread
        table = util.loadIcebergTable(spark._jsparkSession, name)
    table.refresh()  # catalogs hand out what they remember, dropped tables too
    return table


def current_of(table: Any) -> str:
    """The version of a table: its newest snapshot."""
    snapshot = table.currentSnapshot()
    return EMPTY if snapshot is None else str(snapshot.snapshotId())


def file_lists(spark: SparkSession) -> Any:
    """The `IcebergFiles` object of this JVM, compiled at first use."""
    return load(spark, __package__, ("IcebergFiles",))


def spelled(version: str) -> str:
    """A version as `IcebergFiles` takes it."""
    return "" if version == EMPTY else version
