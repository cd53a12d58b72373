"""The changes of a backing table in Iceberg, kept beside it for the views that read this one.

A snapshot diff of rows that were all written anew is the whole table, twice. So a commit that is
read by other views leaves its change as a signed bag, and names it in its snapshot
(docs/commit-protocol.md). What no snapshot names is nobody's.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from pyspark.sql import DataFrame, SparkSession

from rollview.storage.files import files_at
from rollview.storage.tables import WHOLE_TIMESTAMPS, settings

_STRICT = {"ignoreMissingFiles": "false", "ignoreCorruptFiles": "false", "mergeSchema": "false"}
# A shredded variant comes back with other types of numbers than it was written with.
_EXACTLY = {"spark.sql.variant.writeShredding.enabled": "false", **WHOLE_TIMESTAMPS}
_DONE = "_SUCCESS"  # Spark writes it last
_WHEN = "%Y%m%dT%H%M%S"


class IcebergFeed:
    """The change bags of one table, each in a folder of its own."""

    def __init__(self, spark: SparkSession, location: str) -> None:
        self._spark = spark
        self._files, folder = files_at(spark, location)
        self._data = folder
        self._folder = f"{folder}/changes"

    def write(self, token: str, changes: DataFrame) -> None:
        """Keep a signed change, as it is stored, under a token."""
        with settings(self._spark, _EXACTLY):
            changes.coalesce(1).write.mode("error").parquet(self._place(token))

    def has(self, token: str) -> bool:
        """Whether a change is there as a whole."""
        return _DONE in self._files.names(f"{self._folder}/{token}")

    def read(self, tokens: list[str]) -> DataFrame:
        """The changes of several commits, one below the other."""
        reader = self._spark.read.options(**_STRICT)
        return reader.parquet(*[self._place(token) for token in tokens])

    def tidy(self, named: set[str], older_than: timedelta | None = None) -> None:
        """Remove what no snapshot names; of a table that others may write, only what is old."""
        for token in self._files.names(self._folder):
            if token not in named and (older_than is None or _age(token) > older_than):
                self._files.remove(f"{self._folder}/{token}")

    def remove(self) -> None:
        """Remove all."""
        self._files.remove(self._data)

    def _place(self, token: str) -> str:
        return f"{'file:' if self._files.local else ''}{self._folder}/{token}"


def _age(token: str) -> timedelta:
    try:
        written = datetime.strptime(token.partition("-")[0], _WHEN).replace(tzinfo=UTC)
    except ValueError:
        return timedelta(0)
    return datetime.now(UTC) - written
