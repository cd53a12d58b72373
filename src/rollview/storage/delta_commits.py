"""How stored rows get into a Delta table, under a refresh number: the same ways, twice.

`Direct` is what is used; `ByWriter` takes nothing but Delta's public interfaces, for versions whose
own objects are others than those we know. Rows and changes are given as they are stored.

`compact` is a commit without a number: it moves rows between files and changes none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol
from urllib.parse import unquote

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from rollview.storage.base import WEIGHT
from rollview.storage.delta_log import snapshot
from rollview.storage.delta_transaction import (
    CHANGE_TYPE,
    DeltaTransaction,
    is_supported,
    transaction,
)
from rollview.storage.encoding import is_loosely_identified, quoted
from rollview.storage.signed import arriving, is_small, layout, leaving, staying, touched
from rollview.storage.tables import SESSION_CATALOG, WHOLE_TIMESTAMPS, settings

_FILE_BYTES = 32 * 2**20
_FEW_FILES = 16  # smaller ones than that, which a table may have
# Files of that size stay as they are, so that what a compaction writes does not grow with the view.
_COMPACTION = {
    "spark.databricks.delta.optimize.minFileSize": str(_FILE_BYTES),
    "spark.databricks.delta.optimize.maxFileSize": str(_FILE_BYTES),
    "spark.sql.files.maxRecordsPerFile": "0",
    **WHOLE_TIMESTAMPS,
}


class Commits(Protocol):
    """Commits of one table; each does nothing if its number, or a higher one, is committed."""

    def replace(self, rows: DataFrame, number: int, metadata: str) -> None:
        """Commit rows instead of all others."""

    def append(self, rows: DataFrame, number: int, metadata: str) -> None:
        """Commit rows besides the others."""

    def advance(self, number: int, metadata: str) -> None:
        """Commit the number alone."""

    def merge(self, changes: DataFrame, number: int, metadata: str, feed: bool) -> None:
        """Commit a signed change; files that it does not concern stay as they are.

        With ``feed``, in change files as well.
        """

    def rewrite(
        self, changes: DataFrame, number: int, metadata: str, feed: bool, empties: bool = False
    ) -> None:
        """Commit a signed change, all rows written anew; ``empties``: most likely none."""


def commits_of(
    spark: SparkSession, location: str, application: str, is_taken: Callable[[int], bool]
) -> Commits:
    """The way this version of Delta can be written to; ``is_taken`` asks the log for a number."""
    if is_supported(spark):
        return Direct(spark, location, application, is_taken)
    return ByWriter(spark, location, application)


def compact(spark: SparkSession, location: str) -> None:
    """Merge small files into fewer if there are many, by a commit that changes no row.

    Every append leaves one; for who holds the lock of the view, since a refresh that read the
    small ones meanwhile would be in conflict with it.
    """
    found = snapshot(spark, location)
    if found is None:
        return
    files = DataFrame(found.allFiles().toDF(), spark)
    if files.where(f"size < {_FILE_BYTES}").count() > _FEW_FILES:
        with settings(spark, _COMPACTION):
            spark.sql(f"OPTIMIZE {SESSION_CATALOG}.delta.{quoted(location)}")


class Direct:
    """Transactions of our own."""

    def __init__(
        self,
        spark: SparkSession,
        location: str,
        application: str,
        is_taken: Callable[[int], bool],
    ) -> None:
        self._spark = spark
        self._location = location
        self._application = application
        self._is_taken = is_taken

    def replace(self, rows: DataFrame, number: int, metadata: str) -> None:
        with self._begun(number) as begun:
            if begun is not None:
                begun.commit(rows, begun.files(), number, metadata, "Overwrite")

    def append(self, rows: DataFrame, number: int, metadata: str) -> None:
        with self._begun(number) as begun:
            if begun is not None:
                begun.commit(_in_one_file(rows), [], number, metadata, "Append")

    def advance(self, number: int, metadata: str) -> None:
        with self._begun(number) as begun:
            if begun is not None:
                begun.commit(None, [], number, metadata, "Append", net=0)

    def merge(self, changes: DataFrame, number: int, metadata: str, feed: bool) -> None:
        with self._begun(number) as begun:
            if begun is not None:
                files = begun.files()
                stored = begun.read(files)
                names, net = touched(stored, changes, layout(stored.schema))
                some = [file for file in files if _name(file) in names]
                rows = _changed(begun.read(some), changes, some)
                told = _told(begun.read(some), changes) if feed else None
                begun.commit(rows, some, number, metadata, "Append", net, told)

    def rewrite(
        self, changes: DataFrame, number: int, metadata: str, feed: bool, empties: bool = False
    ) -> None:
        with self._begun(number) as begun:
            if begun is not None:
                files = begun.files()
                rows = _changed(begun.read(files), changes, files)
                told = _told(begun.read(files), changes) if feed else None
                before = _count(files) if empties else None
                if before is not None and rows.isEmpty():  # which would be written to a file, too
                    begun.commit(None, files, number, metadata, "Overwrite", -before, told)
                else:
                    begun.commit(rows, files, number, metadata, "Overwrite", None, told)

    @contextmanager
    def _begun(self, number: int) -> Iterator[DeltaTransaction | None]:
        """A transaction for this refresh; None if somebody committed the number before."""
        with transaction(self._spark, self._location, self._application) as begun:
            # Asked after it began: a commit that is not in the log yet will be a conflict.
            yield None if self._is_taken(number) else begun


class ByWriter:
    """Delta's own writer, which is slower, and writes the whole table for any signed change.

    It has no way to leave change files.
    """

    def __init__(self, spark: SparkSession, location: str, application: str) -> None:
        self._spark = spark
        self._location = location
        self._application = application

    def replace(self, rows: DataFrame, number: int, metadata: str) -> None:
        self._write(rows, "overwrite", number, metadata)

    def append(self, rows: DataFrame, number: int, metadata: str) -> None:
        self._write(rows, "append", number, metadata)

    def advance(self, number: int, metadata: str) -> None:
        stored = self._spark.read.format("delta").load(self._location)
        self.append(stored.where("false"), number, metadata)

    def merge(self, changes: DataFrame, number: int, metadata: str, feed: bool) -> None:
        self.rewrite(changes, number, metadata, feed)

    def rewrite(
        self, changes: DataFrame, number: int, metadata: str, feed: bool, empties: bool = False
    ) -> None:
        stored = self._spark.read.format("delta").load(self._location)
        self._write(_changed(stored, changes), "overwrite", number, metadata)

    def _write(self, rows: DataFrame, mode: str, number: int, metadata: str) -> None:
        options = {
            "txnAppId": self._application,
            "txnVersion": str(number),
            "userMetadata": metadata,
            "partitionOverwriteMode": "static",
        }
        with settings(self._spark, WHOLE_TIMESTAMPS):
            rows.write.format("delta").mode(mode).options(**options).save(self._location)


def _changed(stored: DataFrame, changes: DataFrame, files: Sequence[Any] = ()) -> DataFrame:
    """The rows after a change; in few files, if the size of those that they replace is known."""
    how = layout(stored.schema)
    rows = staying(stored, changes, how).unionAll(arriving(stored, changes, how))
    if not files or not is_small(changes):
        return rows
    size = sum(int(file.size()) for file in files)
    return rows.coalesce(math.ceil(size / _FILE_BYTES) or 1)


def _told(stored: DataFrame, changes: DataFrame) -> DataFrame | None:
    """A signed change as rows of change files; None if it is so large that files are as good.

    Where it names values that are only equal to stored ones, what goes and comes is told instead.
    """
    if not is_small(changes):
        return None
    how = layout(stored.schema)
    if any(is_loosely_identified(field.dataType) for field in stored.schema.fields):
        went = leaving(stored, changes, how).withColumn(CHANGE_TYPE, F.lit("delete"))
        came = arriving(stored, changes, how).withColumn(CHANGE_TYPE, F.lit("insert"))
        return went.unionAll(came).coalesce(1)
    kind = f"IF({WEIGHT} > 0, 'insert', 'delete')"
    copies = F.expr(f"array_repeat({kind}, CAST(abs({WEIGHT}) AS INT))")
    return changes.select(*how.columns, F.explode(copies).alias(CHANGE_TYPE)).coalesce(1)


def _in_one_file(rows: DataFrame) -> DataFrame:
    """Rows that come to a table, if they are few: as many files as partitions would be too many."""
    return rows.coalesce(1) if is_small(rows) else rows


def _count(files: Sequence[Any]) -> int | None:
    """How many rows files have by their statistics; None if one has none."""
    counts = [file.numLogicalRecords() for file in files]
    if not all(count.isDefined() for count in counts):
        return None
    return sum(int(count.get()) for count in counts)


def _name(file: Any) -> str:
    """The name of a file without its folder; the log keeps paths as parts of URLs."""
    return unquote(str(file.path())).rpartition("/")[2]
