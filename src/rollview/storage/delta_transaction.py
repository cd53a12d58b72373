"""One transaction on a Delta table, through Delta's own objects; the hard part of fast commits.

Delta's writers learn the last transaction version of an application by rebuilding the state of the
log, a job that takes longer than most commits, and list the files by another; MERGE shuffles every
file that it touches. None of that is needed here: our own commits are found by reading the newest
files of the log, and the checksum of a version lists its files while they are few.

What makes it a compare-and-set is the same as in Delta's writers: the transaction says that it
depends on the application's version, so a commit of the same application since it began is a
conflict; whoever began later sees that commit in the log.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import DataFrame, SparkSession

from rollview.storage.delta_log import NET_TAG, listed_files
from rollview.storage.tables import WHOLE_TIMESTAMPS, active, settings

CHANGE_TYPE = "_change_type"  # the column by which Delta knows rows of change files
_VERSIONS = ("4.4.",)
# Outside of UTC, Delta rebuilds the state of the log with every commit to check its checksum.
_SETTINGS = {
    "spark.databricks.delta.allFilesInCrc.verificationMode.forceOnNonUTC.enabled": "false",
    **WHOLE_TIMESTAMPS,
}


class DeltaTransaction:
    """A transaction that began when this was made; use it within `transaction` only."""

    def __init__(self, spark: SparkSession, location: str, application: str) -> None:
        jvm: Any = spark._jvm
        self._jvm = jvm
        self._spark = spark
        self._application = application
        self._location = location
        self._delta = jvm.org.apache.spark.sql.delta
        self._none = jvm.scala.Option.empty()
        self._log = self._delta.DeltaLog.forTable(spark._jsparkSession, location)
        self._transaction = self._log.startTransaction(self._none, self._none)
        self._transaction.readTxn().addOne(application)

    def files(self) -> list[Any]:
        """All files of the table; a job only where the checksum does not list them.

        They count as read: whoever removes one of them meanwhile is a conflict.
        """
        found = listed_files(self._transaction.snapshot())
        if found is None:
            found = self._transaction.filterFiles()
        self._transaction.trackFilesRead(found)
        return [found.apply(position) for position in range(found.size())]

    def read(self, files: list[Any]) -> DataFrame:
        """The rows in some of the files."""
        snapshot, some = self._transaction.snapshot(), self._sequence(files)
        frame = self._log.createDataFrame(snapshot, some, False, self._none)
        return DataFrame(frame, self._spark)

    def commit(
        self,
        rows: DataFrame | None,
        removed: list[Any],
        number: int,
        metadata: str,
        mode: str,
        net: int | None = None,
        told: DataFrame | None = None,
    ) -> None:
        """Write rows, if any, and commit them in the place of the files that are removed.

        ``net`` is how many rows the table has more than before, where only the caller knows;
        ``told`` is the change itself, each row with its kind, to be left in change files.
        """
        now = int(self._jvm.java.lang.System.currentTimeMillis())
        last_updated = self._jvm.scala.Option.apply(now)
        actions = [self._delta.actions.SetTransaction(self._application, number, last_updated)]
        # The rows come last: the commit counts what is written last as the rows of the table.
        for frame in (frame for frame in (told, rows) if frame is not None):
            written = self._transaction.writeFiles(frame._jdf)
            actions += [written.apply(position) for position in range(written.size())]
        actions += [file.removeWithTimestamp(now, True) for file in removed]
        tags = {} if net is None else {NET_TAG: str(net)}
        self._transaction.commit(
            self._sequence(actions),
            self._operation(mode, metadata),
            self._jvm.PythonUtils.toScalaMap(tags),
        )
        self._spark.catalog.refreshByPath(self._location)  # what is cached of it is of before

    def _operation(self, mode: str, metadata: str) -> Any:
        """What the log calls the commit: its mode, and the text that it carries."""
        how = self._jvm.org.apache.spark.sql.SaveMode.valueOf(mode)
        text = self._jvm.scala.Option.apply(metadata)
        none = self._none
        build = getattr(self._delta, "DeltaOperations$Write")
        return build(how, none, none, text, none, none, none, none, none)

    def _sequence(self, items: list[Any]) -> Any:
        return self._jvm.PythonUtils.toSeq(items)


@contextmanager
def transaction(spark: SparkSession, location: str, application: str) -> Iterator[DeltaTransaction]:
    """Begin a transaction; if it is not committed within the block, nothing has happened."""
    with settings(spark, _SETTINGS), active(spark):
        yield DeltaTransaction(spark, location, application)


def is_supported(spark: SparkSession) -> bool:
    """Whether the objects of this version of Delta are those that `DeltaTransaction` calls."""
    jvm: Any = spark._jvm
    try:
        found = str(jvm.io.delta.package.VERSION())
    except (Py4JError, TypeError):  # what is no class is taken for a package, and cannot be called
        return False
    return found.startswith(_VERSIONS)
