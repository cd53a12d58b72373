"""One commit of a backing table in Iceberg: a compare-and-set, in one new version of its metadata.

A transaction adds a snapshot, which carries the refresh number and the vector, and lets a tag name
it. The snapshot alone would be put on top of whatever others have committed meanwhile. The tag is
what makes it a compare-and-set: Iceberg applies a change of references to the metadata that it was
made from, or refuses the transaction (docs/commit-protocol.md). It also keeps the snapshot from
being expired, by anybody, while no newer refresh is committed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, SparkSession

from rollview.storage.base import Tail
from rollview.storage.iceberg_staging import rows_in, written
from rollview.storage.iceberg_table import EMPTY, current_of, file_lists, spelled

TAG = "rollview"
NUMBER = "rollview.number"
VECTOR = "rollview.vector"
CHANGE = "rollview.change"
_UNKNOWN = ""  # no vector can be read from it


class Refused(Exception):
    """Somebody committed since the transaction began; nothing has happened."""


class Begun:
    """A transaction on the table as it was when this was made."""

    def __init__(self, spark: SparkSession, table: Any, name: str) -> None:
        self.table = table
        self._spark = spark
        self._name = name
        self._transaction = table.newTransaction()
        self._seen = self._transaction.table()
        self._base = current_of(self._seen)
        self._lists = file_lists(spark)
        self._added: list[Any] = []

    def newest(self) -> Tail | None:
        """The newest refresh, as of the beginning."""
        return newest_of(self._seen)

    def rows(self) -> DataFrame:
        """All stored rows, as of the beginning."""
        return rows_at(self._spark, self._name, self._base)

    def files(self) -> Any:
        """All data files, as of the beginning."""
        return self._lists.all(self.table, spelled(self._base))

    def named(self, files: Any, names: list[str]) -> Any:
        """Those of the files that have one of these names."""
        return self._lists.named(files, names)

    def smaller(self, files: Any, size: int) -> Any:
        """Those of the files that have fewer bytes."""
        return self._lists.smaller(files, size)

    def size(self, files: Any) -> int:
        """The bytes of files."""
        return int(self._lists.bytes(files))

    def rows_in(self, files: Any) -> DataFrame:
        """The rows in some of the files; none if there are no files."""
        if not files.size():
            return self.rows().where("false")
        return rows_in(self._spark, self.table, files)

    def write(self, rows: DataFrame) -> None:
        """Write rows, which the commit will add."""
        self._added += written(self.table, rows)

    def append(self, number: int, metadata: str) -> None:
        """Commit what was written besides all other rows."""
        update = self._transaction.newAppend()
        for file in self._added:
            update.appendFile(file)
        self._commit(update, number, metadata)

    def replace_all(self, number: int, metadata: str, change: str | None = None) -> None:
        """Commit what was written instead of all other rows."""
        jvm: Any = self._spark._jvm
        every = jvm.org.apache.iceberg.expressions.Expressions.alwaysTrue()
        update = self._transaction.newOverwrite().overwriteByRowFilter(every)
        for file in self._added:
            update.addFile(file)
        self._commit(update, number, metadata, change)

    def replace(self, files: Any, number: int, metadata: str, change: str | None = None) -> None:
        """Commit what was written instead of some of the files."""
        update = self._transaction.newOverwrite()
        for file in self._lists.files(files):
            update.deleteFile(file)
        for file in self._added:
            update.addFile(file)
        self._commit(update, number, metadata, change)

    def compact(self, files: Any) -> None:
        """Commit what was written as the same rows as those of some of the files."""
        update = self._transaction.newRewrite()
        for file in self._lists.files(files):
            update.deleteFile(file)
        for file in self._added:
            update.addFile(file)
        update.commit()
        self._publish()

    def _commit(self, update: Any, number: int, metadata: str, change: str | None = None) -> None:
        update.set(NUMBER, str(number))
        update.set(VECTOR, metadata)
        if change is not None:
            update.set(CHANGE, change)
        update.commit()
        snapshot = self._seen.currentSnapshot().snapshotId()
        references = self._transaction.manageSnapshots()
        if TAG in self._seen.refs():
            references.replaceTag(TAG, snapshot)
        else:
            references.createTag(TAG, snapshot)
        references.commit()
        self._transaction.updateProperties().set(NUMBER, str(number)).commit()
        self._publish()

    def _publish(self) -> None:
        try:
            self._transaction.commitTransaction()
        except Py4JJavaError as failure:
            if not _is_refusal(failure):
                raise
            for file in self._added:
                self.table.io().deleteFile(str(file.location()))
            raise Refused from failure


def rows_at(spark: SparkSession, name: str, version: str) -> DataFrame:
    """The rows of a table at a version, as they are stored."""
    if version == EMPTY:
        return spark.table(name).where("false")
    return spark.read.option("versionAsOf", version).table(name)


def newest_of(table: Any) -> Tail | None:
    """The newest commit with a refresh number among those that led to the table's present state."""
    for snapshot in _ancestors(table):
        if snapshot is None:
            return _untraced(table, None)
        found = _tail(snapshot)
        if found is not None:
            return found
    return None


def find_in(table: Any, number: int) -> Tail | None:
    """The commit with a refresh number among those that led to the table's present state."""
    for snapshot in _ancestors(table):
        if snapshot is None:
            return _untraced(table, number)
        found = _tail(snapshot)
        if found is not None and found.number <= number:
            return found if found.number == number else None
    return None


def changes_named(table: Any) -> set[str]:
    """The change bags that any snapshot names, whether it led to the present state or not."""
    named = (snapshot.summary().get(CHANGE) for snapshot in table.snapshots())
    return {str(name) for name in named if name is not None}


def _ancestors(table: Any) -> Iterable[Any]:
    """From the current snapshot backwards; None, at the end, if one of them is gone."""
    snapshot = table.currentSnapshot()
    while snapshot is not None:
        yield snapshot
        parent = snapshot.parentId()
        if parent is None:
            return
        snapshot = table.snapshot(parent)
        if snapshot is None:
            yield None


def _tail(snapshot: Any) -> Tail | None:
    summary = snapshot.summary()
    number = summary.get(NUMBER)
    if number is None:
        return None
    rows = summary.get("total-records")
    has_deletes = (summary.get("total-delete-files") or "0") != "0"
    return Tail(
        int(number),
        str(snapshot.snapshotId()),
        str(summary.get(VECTOR)),
        None if rows is None or has_deletes else int(rows),
    )


def _untraced(table: Any, number: int | None) -> Tail | None:
    """What is known of a refresh if snapshots are gone between it and the present state.

    With its tag the snapshot of the newest one is still there; since it is not among those that
    led here, as far as they are, the rows may have been rolled back: what they reflect is unknown.
    """
    newest = table.properties().get(NUMBER)
    if newest is None or (number is not None and int(newest) < number):
        return None
    metadata = _UNKNOWN if TAG in table.refs() else None
    return Tail(int(newest) if number is None else number, current_of(table), metadata, None)


def _is_refusal(failure: Py4JJavaError) -> bool:
    """Whether others came first: they changed the metadata, or removed files that we replace."""
    kind = str(failure.java_exception.getClass().getSimpleName())
    return kind in ("CommitFailedException", "ValidationException")
