"""The backing table of a view as a Delta table at a location of its own."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from rollview.errors import BadQuery
from rollview.storage import faults
from rollview.storage.base import Tail
from rollview.storage.delta_commits import Commits, commits_of, compact
from rollview.storage.delta_log import (
    LogEntry,
    commits,
    forget,
    newest_first,
    remove_unfinished,
    snapshot,
)
from rollview.storage.delta_read import rows_of
from rollview.storage.encoding import quoted
from rollview.storage.files import files_at
from rollview.storage.signed import computed, mismatch_named
from rollview.storage.stored import decoded, decoding, encoded, stored_columns
from rollview.storage.tables import SESSION_CATALOG

# Whole files are rewritten; with deletion vectors every reader would pay for them. A commit may
# leave change files beside the rows, for the views that read this one.
_PROPERTIES = (
    "TBLPROPERTIES ('delta.enableDeletionVectors' = 'false', 'delta.enableChangeDataFeed' = 'true')"
)
_LISTING = "spark.sql.sources.parallelPartitionDiscovery.parallelism"


class DeltaBacking:
    """Commits carry the refresh number as the version of a transaction of the view."""

    def __init__(
        self, spark: SparkSession, location: str, view_id: str, columns: StructType
    ) -> None:
        self._spark = spark
        self._location = location
        self._application = f"rollview/{view_id}"
        self._columns = columns
        self._files, self._folder = files_at(spark, location)

    def create(self) -> None:
        if not self._columns.fields:
            raise BadQuery("the query has no columns", hint="select at least one column")
        columns = ", ".join(stored_columns(self._columns))
        self._spark.sql(f"CREATE TABLE {self._table()} ({columns}) USING delta {_PROPERTIES}")

    def newest(self) -> Tail | None:
        for entry in newest_first(self._files, self._folder):
            if self._application in entry.transactions:
                return self._tail(entry)
            if entry.version == 0:
                return None
        return self._from_snapshot()

    def find(self, number: int) -> Tail | None:
        for entry in newest_first(self._files, self._folder):
            seen = entry.transactions.get(self._application)
            if seen == number:
                return self._tail(entry)
            if entry.version == 0 or (seen is not None and seen < number):
                return None
        newest = self._from_snapshot()
        if newest is None or newest.number < number:
            return None
        return Tail(number, newest.version, None, None)

    def replace(self, rows: DataFrame, number: int, metadata: str) -> None:
        self._commits().replace(encoded(rows, self._columns), number, metadata)

    def append(self, rows: DataFrame, number: int, metadata: str) -> None:
        self._commits().append(encoded(rows, self._columns), number, metadata)

    def advance(self, number: int, metadata: str) -> None:
        self._commits().advance(number, metadata)

    def merge(self, delta: DataFrame, number: int, metadata: str, feed: bool = False) -> None:
        changes = encoded(computed(delta), self._columns, weighted=True)
        with mismatch_named(self._location):
            self._commits().merge(changes, number, metadata, feed)

    def rewrite(
        self,
        delta: DataFrame,
        number: int,
        metadata: str,
        feed: bool = False,
        empties: bool = False,
    ) -> None:
        changes = encoded(computed(delta), self._columns, weighted=True)
        with mismatch_named(self._location):
            self._commits().rewrite(changes, number, metadata, feed, empties)

    def current(self) -> str:
        return str(commits(self._files, self._folder)[-1])

    def read(self, version: str | None = None) -> DataFrame:
        if version is not None:
            return decoded(rows_of(self._spark, self._location, version), self._columns)
        return decoded(self._spark.read.format("delta").load(self._location), self._columns)

    def select(self) -> str:
        return f"SELECT {', '.join(decoding(self._columns))} FROM {self._table()}"

    def clean(self) -> None:
        """Compact what many appends left; then Delta's retention time (seven days) decides."""
        java = self._spark._jsparkSession.cloneSession()
        own = SparkSession(self._spark.sparkContext, java)
        own.conf.set(_LISTING, "4")  # the default makes thousands of tasks to list one folder
        compact(own, self._location)
        faults.point("clean.compacted")
        own.sql(f"VACUUM {self._table()}")

    def tidy(self) -> None:
        remove_unfinished(self._folder)

    def drop(self) -> None:
        forget(self._spark, self._location)
        self._files.remove(self._folder)

    def _commits(self) -> Commits:
        return commits_of(self._spark, self._location, self._application, self._is_taken)

    def _is_taken(self, number: int) -> bool:
        newest = self.newest()
        return newest is not None and newest.number >= number

    def _table(self) -> str:
        return f"{SESSION_CATALOG}.delta.{quoted(self._location)}"  # whatever catalog is current

    def _tail(self, entry: LogEntry) -> Tail:
        number = entry.transactions[self._application]
        return Tail(number, str(entry.version), entry.metadata, entry.rows, entry.net)

    def _from_snapshot(self) -> Tail | None:
        """Checkpoints keep transaction versions for ever; asking the snapshot costs a job."""
        found = snapshot(self._spark, self._location)
        if found is None:
            return None
        number = found.transactions().get(self._application)
        if not number.isDefined():
            return None
        return Tail(int(number.get()), str(found.version()), None, None)
