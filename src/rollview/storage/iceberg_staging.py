"""Reading chosen files of an Iceberg table, and writing files that no snapshot has yet.

Both ways are those of Iceberg's own compaction: files to read are tasks that are set down under a
key, and files written under a key are picked up by it. A commit of our own can so replace the very
files that it concerns, and the difference of two snapshots is read from just the files in it.
"""

from __future__ import annotations

import threading
import uuid
from collections import OrderedDict
from contextlib import suppress
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from rollview.storage.tables import active

# Rows are read when Spark plans a query with them, which may be any time; so many sets of files
# are remembered, the oldest is forgotten first. One run has one for each source that changed.
_REMEMBERED = 256
_LINEAGE = ("_row_id", "_last_updated_sequence_number")  # which format 3 wants to be told
_lock = threading.Lock()
_staged: OrderedDict[str, tuple[Any, Any]] = OrderedDict()  # by key: the JVM and the table


def is_supported(spark: SparkSession) -> bool:
    """Whether this Iceberg, 1.11 or newer, reads and writes files by such keys."""
    jvm: Any = spark._jvm
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    try:
        loader.loadClass("org.apache.iceberg.spark.SparkRewriteTableCatalog")
    except Py4JError:
        return False
    return True


def rows_in(spark: SparkSession, table: Any, tasks: Any) -> DataFrame:
    """The rows of these files, deletes applied, in the present columns; tasks are not empty."""
    jvm: Any = spark._jvm
    key = _new_key()
    jvm.org.apache.iceberg.spark.SparkTableCache.get().add(key, table)
    jvm.org.apache.iceberg.spark.ScanTaskSetManager.get().stageTasks(table, key, tasks)
    _remember(key, jvm, table)
    with active(spark):
        return spark.read.format("iceberg").load(key)


def written(table: Any, rows: DataFrame) -> list[Any]:
    """Write rows as data files of the table that belong to no snapshot; returns those."""
    spark = rows.sparkSession
    jvm: Any = spark._jvm
    key = _new_key()
    tables = jvm.org.apache.iceberg.spark.SparkTableCache.get()
    results = jvm.org.apache.iceberg.spark.FileRewriteCoordinator.get()
    tables.add(key, table)
    try:
        with active(spark):
            _with_lineage(jvm, table, rows).write.format("iceberg").mode("append").save(key)
        return list(results.fetchNewFiles(table, key))
    finally:
        results.clearRewrite(table, key)
        tables.remove(key)


def _with_lineage(jvm: Any, table: Any, rows: DataFrame) -> DataFrame:
    """Rows of format 3 have an id; those that come without one get theirs by the commit."""
    if not jvm.org.apache.iceberg.TableUtil.supportsRowLineage(table):
        return rows
    absent = [name for name in _LINEAGE if name not in rows.columns]
    return rows.select("*", *[F.lit(None).cast("bigint").alias(name) for name in absent])


def _new_key() -> str:
    return f"rollview-{uuid.uuid4().hex}"


def _remember(key: str, jvm: Any, table: Any) -> None:
    with _lock:
        _staged[key] = (jvm, table)
        while len(_staged) > _REMEMBERED:
            old, (where, whose) = _staged.popitem(last=False)
            with suppress(Py4JError, OSError):  # a Java process that is gone has forgotten all
                spark = where.org.apache.iceberg.spark
                spark.ScanTaskSetManager.get().removeTasks(whose, old)
                spark.SparkTableCache.get().remove(old)
