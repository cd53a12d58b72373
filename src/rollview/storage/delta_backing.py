"""The backing table of a view as a Delta table at a location of its own."""

from __future__ import annotations

import uuid

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from rollview.errors import BadQuery
from rollview.storage.base import Tail
from rollview.storage.delta_log import (
    LogEntry,
    commits,
    forget,
    newest_first,
    remove_unfinished,
    snapshot,
)
from rollview.storage.encoding import quoted
from rollview.storage.files import files_at
from rollview.storage.signed import (
    arriving,
    held,
    layout,
    merge_source,
    merge_statement,
    mismatch_named,
    staying,
)
from rollview.storage.stored import decoded, decoding, encoded, stored_columns

_LISTING = "spark.sql.sources.parallelPartitionDiscovery.parallelism"
# The source of a MERGE is computed before it begins, so Delta need not do that once more.
_MERGING = {
    "spark.databricks.delta.merge.materializeSource": "none",
    "spark.databricks.delta.merge.deletionVectors.persistent": "false",
}


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
        # Deletion vectors would make every MERGE slower, and every reader pay for them.
        plain = "TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')"
        self._spark.sql(f"CREATE TABLE {self._table()} ({columns}) USING delta {plain}")

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
        self._write(encoded(rows, self._columns), "overwrite", number, metadata)

    def append(self, rows: DataFrame, number: int, metadata: str) -> None:
        self._write(encoded(rows, self._columns), "append", number, metadata)

    def merge(self, delta: DataFrame, number: int, metadata: str) -> None:
        stored = self._stored()
        how = layout(stored.schema)
        changes = encoded(delta, self._columns, weighted=True)
        with mismatch_named(self._location), held(changes, how) as (net, small):
            # Evaluated here, before the transaction begins: what fails, fails now.
            new = arriving(stored, net, how, small)
            source = merge_source(net, new, how).localCheckpoint()
            self._merge(source, stored.schema, number, metadata)

    def rewrite(self, delta: DataFrame, number: int, metadata: str) -> None:
        stored = self._stored()
        how = layout(stored.schema)
        changes = encoded(delta, self._columns, weighted=True)
        with mismatch_named(self._location), held(changes, how) as (net, small):
            old, new = staying(stored, net, how, small), arriving(stored, net, how, small)
            self._write(old.unionAll(new), "overwrite", number, metadata)

    def current(self) -> str:
        return str(commits(self._files, self._folder)[-1])

    def read(self, version: str | None = None) -> DataFrame:
        reader = self._spark.read.format("delta")
        if version is not None:
            reader = reader.option("versionAsOf", version)
        return decoded(reader.load(self._location), self._columns)

    def select(self) -> str:
        return f"SELECT {', '.join(decoding(self._columns))} FROM {self._table()}"

    def clean(self) -> None:
        """Delta's own retention time (seven days by default) decides."""
        own = _clone(self._spark)
        own.conf.set(_LISTING, "4")  # the default makes thousands of tasks to list one folder
        own.sql(f"VACUUM {self._table()}")

    def tidy(self) -> None:
        remove_unfinished(self._folder)

    def drop(self) -> None:
        forget(self._spark, self._location)
        self._files.remove(self._folder)

    def _write(self, stored: DataFrame, mode: str, number: int, metadata: str) -> None:
        options = {
            "txnAppId": self._application,
            "txnVersion": str(number),
            "userMetadata": metadata,
            "partitionOverwriteMode": "static",
        }
        stored.write.format("delta").mode(mode).options(**options).save(self._location)

    def _merge(self, source: DataFrame, stored: StructType, number: int, metadata: str) -> None:
        """MERGE takes its transaction from the session, so it gets a session of its own."""
        name = f"rollview_merge_{uuid.uuid4().hex[:8]}"
        source.createOrReplaceTempView(name)
        try:
            own = _clone(source.sparkSession)
            transaction = {
                "spark.databricks.delta.write.txnAppId": self._application,
                "spark.databricks.delta.write.txnVersion": str(number),
                "spark.databricks.delta.commitInfo.userMetadata": metadata,
            }
            for key, value in (_MERGING | transaction).items():
                own.conf.set(key, value)
            own.sql(merge_statement(self._table(), name, stored))
        finally:
            source.sparkSession.catalog.dropTempView(name)

    def _stored(self) -> DataFrame:
        return self._spark.read.format("delta").load(self._location)

    def _table(self) -> str:
        return f"delta.{quoted(self._location)}"

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


def _clone(spark: SparkSession) -> SparkSession:
    """A session with the same settings and temporary views, free to be changed."""
    return SparkSession(spark.sparkContext, spark._jsparkSession.cloneSession())
