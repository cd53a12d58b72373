"""The backing table of a view as an Iceberg table of a catalog."""

from __future__ import annotations

import math
import re
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from rollview.errors import BadQuery, Conflict
from rollview.storage import faults
from rollview.storage.base import WEIGHT, Tail
from rollview.storage.encoding import has_variant, is_loosely_identified, quoted
from rollview.storage.files import files_at
from rollview.storage.iceberg_commits import (
    Begun,
    Refused,
    changes_named,
    find_in,
    newest_of,
    rows_at,
)
from rollview.storage.iceberg_diff import standing_for
from rollview.storage.iceberg_feed import IcebergFeed
from rollview.storage.iceberg_table import current_of, table_now
from rollview.storage.signed import (
    arriving,
    computed,
    is_small,
    layout,
    leaving,
    mismatch_named,
    staying,
    touched,
)
from rollview.storage.stored import decoded, decoding, encoded, stored_columns

_ATTEMPTS = 5  # if others move rows between files again and again
_FILE_BYTES = 32 * 2**20
_FEW_FILES = 16  # smaller ones than that, which a table may have
_KEPT = timedelta(days=7)
# Whole files are rewritten, as in Delta; old metadata goes with the next commits.
_PROPERTIES = {
    "write.target-file-size-bytes": str(_FILE_BYTES),
    "write.distribution-mode": "none",
    "write.metadata.delete-after-commit.enabled": "true",
    "write.metadata.previous-versions-max": "20",
    "history.expire.max-snapshot-age-ms": str(int(_KEPT.total_seconds() * 1000)),
    "history.expire.min-snapshots-to-keep": "1",
}
_VERSIONED = re.compile(r"v\d+(\.\w+)?\.metadata\.json")


class IcebergBacking:
    """Commits carry the refresh number in the summary of their snapshot.

    ``parts`` are those of the table's name, catalog first; change bags lie below ``location``.
    """

    def __init__(
        self, spark: SparkSession, parts: list[str], location: str, columns: StructType
    ) -> None:
        self._spark = spark
        self._parts = parts
        self._name = ".".join(quoted(part) for part in parts)
        self._columns = columns
        self._feed = IcebergFeed(spark, location)

    def create(self) -> None:
        if not self._columns.fields:
            raise BadQuery("the query has no columns", hint="select at least one column")
        namespace = ".".join(quoted(part) for part in self._parts[:-1])
        self._spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {namespace}")
        version = "3" if any(has_variant(f.dataType) for f in self._columns.fields) else "2"
        told = {"format-version": version, **_PROPERTIES}
        properties = ", ".join(f"'{key}' = '{value}'" for key, value in told.items())
        columns = ", ".join(stored_columns(self._columns))
        self._spark.sql(
            f"CREATE TABLE {self._name} ({columns}) USING iceberg TBLPROPERTIES ({properties})"
        )

    def newest(self) -> Tail | None:
        return newest_of(self._table())

    def find(self, number: int) -> Tail | None:
        return find_in(self._table(), number)

    def replace(self, rows: DataFrame, number: int, metadata: str) -> None:
        def replaced(begun: Begun) -> None:
            begun.write(self._typed(begun, encoded(rows, self._columns)))
            begun.replace_all(number, metadata)

        self._commit(number, replaced)

    def append(self, rows: DataFrame, number: int, metadata: str) -> None:
        def appended(begun: Begun) -> None:
            more = self._typed(begun, encoded(rows, self._columns))
            begun.write(more.coalesce(1) if is_small(more) else more)
            begun.append(number, metadata)

        self._commit(number, appended)

    def advance(self, number: int, metadata: str) -> None:
        self._commit(number, lambda begun: begun.append(number, metadata))

    def merge(self, delta: DataFrame, number: int, metadata: str, feed: bool = False) -> None:
        changes = encoded(computed(delta), self._columns, weighted=True)

        def merged(begun: Begun) -> None:
            typed, stored, files = self._typed(begun, changes), begun.rows(), begun.files()
            names, _ = touched(stored, typed, layout(stored.schema), "_file")
            some = begun.named(files, names)
            concerned = begun.rows_in(some).select(*stored.columns)
            begun.write(_changed(concerned, typed, begun.size(some)))
            begun.replace(some, number, metadata, self._told(concerned, typed, feed))

        with mismatch_named(self._name):
            self._commit(number, merged)

    def rewrite(
        self,
        delta: DataFrame,
        number: int,
        metadata: str,
        feed: bool = False,
        empties: bool = False,  # Iceberg's writer makes no file without rows
    ) -> None:
        changes = encoded(computed(delta), self._columns, weighted=True)

        def rewritten(begun: Begun) -> None:
            typed, stored = self._typed(begun, changes), begun.rows()
            begun.write(_changed(stored, typed, begun.size(begun.files())))
            begun.replace_all(number, metadata, self._told(stored, typed, feed))

        with mismatch_named(self._name):
            self._commit(number, rewritten)

    def current(self) -> str:
        return current_of(self._table())

    def read(self, version: str | None = None) -> DataFrame:
        table = self._table()  # the session knows the newest snapshot by that
        stored = self._spark.table(self._name)
        if version is not None:
            stored = rows_at(self._spark, self._name, standing_for(table, version))
        return decoded(stored, self._columns, widened=True)

    def select(self) -> str:
        return f"SELECT {', '.join(decoding(self._columns, widened=True))} FROM {self._name}"

    def clean(self) -> None:
        """Compact what many appends left; then the table's properties say what is too old."""
        self._compact()
        faults.point("clean.compacted")
        table = self._table()
        table.expireSnapshots().commit()
        jvm: Any = self._spark._jvm
        old = int((datetime.now(UTC) - _KEPT).timestamp() * 1000)
        actions = jvm.org.apache.iceberg.spark.actions.SparkActions.get(self._spark._jsparkSession)
        actions.deleteOrphanFiles(table).olderThan(old).execute()
        self._feed.tidy(changes_named(self._table()), older_than=_KEPT)

    def tidy(self) -> None:
        """Metadata that had not got its name yet, in catalogs that rename it; and change bags."""
        table = self._table()
        self._feed.tidy(changes_named(table))
        files, folder = files_at(self._spark, str(table.location()))
        metadata = Path(folder, "metadata")
        if files.local and (metadata / "version-hint.text").exists():
            for path in metadata.glob("*.metadata.json"):
                if not _VERSIONED.fullmatch(path.name):
                    path.unlink(missing_ok=True)
                    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)

    def drop(self) -> None:
        self._spark.sql(f"DROP TABLE IF EXISTS {self._name} PURGE")
        self._feed.remove()

    def announce(self) -> None:
        """Let this session, whose catalog may remember the table, see its newest rows."""
        self._spark.sql(f"REFRESH TABLE {self._name}")

    def _commit(self, number: int, change: Callable[[Begun], None]) -> None:
        """Make a change under a number, unless that is taken; again if others only moved rows."""
        refused: Refused | None = None
        for _ in range(_ATTEMPTS):
            begun = Begun(self._spark, self._table(), self._name)
            newest = begun.newest()
            if newest is not None and newest.number >= number:
                return
            try:
                change(begun)
            except Refused as told:
                refused = told
                continue
            self.announce()
            return
        raise Conflict(
            f"{self._name} was changed by others {_ATTEMPTS} times during one commit",
            hint="refresh again when they have finished",
        ) from refused

    def _compact(self) -> None:
        begun = Begun(self._spark, self._table(), self._name)
        small = begun.smaller(begun.files(), _FILE_BYTES)
        if small.size() <= _FEW_FILES:
            return
        rows = begun.rows_in(small)
        begun.write(rows.coalesce(math.ceil(begun.size(small) / _FILE_BYTES) or 1))
        try:
            begun.compact(small)
        except Refused:  # there will be another time
            return
        self.announce()

    def _typed(self, begun: Begun, rows: DataFrame) -> DataFrame:
        """Rows in the types of the table, which has no small integers."""
        types = {field.name: field.dataType for field in begun.rows().schema.fields}
        kept = [
            F.col(name) if name not in types else F.col(name).cast(types[name]).alias(name)
            for name in rows.columns
        ]
        return rows.select(*kept)

    def _told(self, stored: DataFrame, changes: DataFrame, feed: bool) -> str | None:
        """Keep a change for the views that read this one; None if its files are as good."""
        if not feed or not is_small(changes):
            return None
        how = layout(stored.schema)
        if any(is_loosely_identified(field.dataType) for field in stored.schema.fields):
            # It names values that are only equal to stored ones: tell what goes and comes.
            went = leaving(stored, changes, how).withColumn(WEIGHT, F.lit(-1).cast("bigint"))
            came = arriving(stored, changes, how).withColumn(WEIGHT, F.lit(1).cast("bigint"))
            changes = went.unionAll(came)
        token = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid.uuid4().hex[:12]}"
        self._feed.write(token, changes)
        return token

    def _table(self) -> Any:
        return table_now(self._spark, self._name)


def _changed(stored: DataFrame, changes: DataFrame, size: int) -> DataFrame:
    """The rows after a change, in as few files as their size allows."""
    how = layout(stored.schema)
    rows = staying(stored, changes, how).unionAll(arriving(stored, changes, how))
    if not is_small(changes):
        return rows
    return rows.coalesce(math.ceil(size / _FILE_BYTES) or 1)
