"""Delta Lake: base tables at versions, and the backing tables of views."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from rollview.errors import BadQuery, SourceVersionGone
from rollview.storage.base import TableState, Tail
from rollview.storage.delta_changes import DeltaChanges
from rollview.storage.delta_history import is_readable, rows_at
from rollview.storage.delta_log import (
    LogEntry,
    commits,
    forget,
    newest_first,
    read_commit,
    remove_unfinished,
    snapshot,
)
from rollview.storage.encoding import decode, encode, quoted, storable
from rollview.storage.files import files_at
from rollview.storage.tables import missing

_LISTING = "spark.sql.sources.parallelPartitionDiscovery.parallelism"


class DeltaSource:
    """A Delta table as a base table; its identity is the id in its metadata."""

    def __init__(self, spark: SparkSession, name: str, location: str) -> None:
        self._spark = spark
        self._name = name
        self._location = location
        self._changes = DeltaChanges(spark, name, location)

    def state(self) -> TableState:
        found = snapshot(self._spark, self._location)
        if found is None:
            raise missing(self._name)
        schema = StructType.fromJson(json.loads(found.schema().json()))
        return TableState(str(found.version()), str(found.metadata().id()), schema)

    def read(self, version: str) -> DataFrame:
        try:
            reader = self._spark.read.format("delta").option("versionAsOf", version)
            return reader.load(self._location)
        except PySparkException as failure:
            raise SourceVersionGone(
                f"version {version} of {self._name} can no longer be read",
                hint="refresh the view with full=True",
            ) from failure

    def same_rows(self, before: str, after: str) -> bool:
        """True if every commit between is in the log and only moves rows between files."""
        if int(before) > int(after):
            return False
        files, folder = files_at(self._spark, self._location)
        between = range(int(before) + 1, int(after) + 1)
        if not set(between) <= set(commits(files, folder)):
            return False
        return not any(read_commit(files, folder, version).changes_data for version in between)

    def obstacle(self, before: str, after: str, columns: Sequence[str]) -> str | None:
        return self._changes.obstacle(before, after, columns)

    def changes(self, before: str, after: str, columns: Sequence[str]) -> DataFrame:
        return self._changes.changes(before, after, columns)

    def readable(self, version: str) -> bool:
        return is_readable(self._spark, self._location, int(version))

    def rows(self, version: str) -> int | None:
        return rows_at(self._spark, self._location, int(version))


class DeltaBacking:
    """The backing table of a view as a Delta table at a location of its own."""

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
        columns = [
            f"c{position} {storable(field.dataType)}{'' if field.nullable else ' NOT NULL'}"
            for position, field in enumerate(self._columns.fields)
        ]
        self._spark.sql(f"CREATE TABLE {self._table()} ({', '.join(columns)}) USING delta")

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
        named = rows.toDF(*[f"p{position}" for position in range(len(self._columns.fields))])
        writer = named.select(*self._encoded()).write.format("delta").mode("overwrite")
        options = {
            "txnAppId": self._application,
            "txnVersion": str(number),
            "userMetadata": metadata,
            "partitionOverwriteMode": "static",
        }
        writer.options(**options).save(self._location)

    def current(self) -> str:
        return str(commits(self._files, self._folder)[-1])

    def read(self, version: str | None = None) -> DataFrame:
        reader = self._spark.read.format("delta")
        if version is not None:
            reader = reader.option("versionAsOf", version)
        return reader.load(self._location).select(*self._decoded())

    def select(self) -> str:
        parts = [
            f"{decode(f'c{position}', field.dataType)} AS {quoted(field.name)}"
            for position, field in enumerate(self._columns.fields)
        ]
        return f"SELECT {', '.join(parts)} FROM {self._table()}"

    def clean(self) -> None:
        """Delta's own retention time (seven days by default) decides."""
        java = self._spark._jsparkSession.cloneSession()
        own = SparkSession(self._spark.sparkContext, java)
        own.conf.set(_LISTING, "4")  # the default makes thousands of tasks to list one folder
        own.sql(f"VACUUM {self._table()}")

    def tidy(self) -> None:
        remove_unfinished(self._folder)

    def drop(self) -> None:
        forget(self._spark, self._location)
        self._files.remove(self._folder)

    def _encoded(self) -> list[Column]:
        """By position: two names may differ in nothing that the session's rules can see."""
        return [
            F.expr(encode(f"p{position}", field.dataType)).alias(f"c{position}", metadata={})
            for position, field in enumerate(self._columns.fields)
        ]

    def _decoded(self) -> list[Column]:
        return [
            F.expr(decode(f"c{position}", field.dataType)).alias(field.name, metadata={})
            for position, field in enumerate(self._columns.fields)
        ]

    def _table(self) -> str:
        return f"delta.{quoted(self._location)}"

    def _tail(self, entry: LogEntry) -> Tail:
        number = entry.transactions[self._application]
        return Tail(number, str(entry.version), entry.metadata, entry.rows)

    def _from_snapshot(self) -> Tail | None:
        """Checkpoints keep transaction versions for ever; asking the snapshot costs a job."""
        found = snapshot(self._spark, self._location)
        if found is None:
            return None
        number = found.transactions().get(self._application)
        if not number.isDefined():
            return None
        return Tail(int(number.get()), str(found.version()), None, None)
