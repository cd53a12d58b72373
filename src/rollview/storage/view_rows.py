"""The rows of a lower view as a source: the changes of its backing table, in the view's columns.

What changed in a view that was refreshed three times is what its backing table changed in three
commits, netted; its contents are not read again.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from rollview.planning.statistics import ChangeSize, Size
from rollview.storage.base import WEIGHT, Changing
from rollview.storage.delta_lake import DeltaSource
from rollview.storage.encoding import decode, narrowed
from rollview.storage.iceberg_rows import IcebergRows


class ViewRows:
    """A view between two versions of its backing table, whose changes ``source`` tells.

    The table may be of a format that makes INT of small integers (``widened``).
    """

    def __init__(self, source: Changing, columns: StructType, *, widened: bool = False) -> None:
        self._source = source
        self._columns = columns
        self._widened = widened

    def obstacle(self, before: str, after: str, columns: Sequence[str]) -> str | None:
        """Why the changes cannot be had, as a sentence; None if they can."""
        return self._source.obstacle(before, after, self._stored(columns))

    def changes(self, before: str, after: str, columns: Sequence[str]) -> DataFrame:
        """The net change of the view's rows, seen through these columns."""
        stored = self._stored(columns)
        found = self._source.changes(before, after, stored)
        by_name = {field.name: field.dataType for field in self._columns.fields}
        decoded = []
        for inner, name in zip(stored, columns, strict=True):
            value = narrowed(inner, by_name[name]) if self._widened else inner
            decoded.append(F.expr(decode(value, by_name[name])).alias(name, metadata={}))
        return found.select(*decoded, F.col(WEIGHT))

    def readable(self, version: str) -> bool:
        """Whether all rows at a version can still be read."""
        return self._source.readable(version)

    def size(self, version: str) -> Size:
        """How large the view was at a version."""
        return self._source.size(version)

    def change_size(self, before: str, after: str) -> ChangeSize:
        """How large the change of the view between two versions is."""
        return self._source.change_size(before, after)

    def stamp(self, version: str) -> str | None:
        """What tells the commit of a version from others of that number."""
        return self._source.stamp(version)

    def _stored(self, columns: Sequence[str]) -> list[str]:
        positions = {field.name: f"c{index}" for index, field in enumerate(self._columns.fields)}
        return [positions[name] for name in columns]


class DeltaViewRows(ViewRows):
    """A view that is stored as a Delta table at a location."""

    def __init__(self, spark: SparkSession, name: str, location: str, columns: StructType) -> None:
        super().__init__(DeltaSource(spark, name, location), columns)


class IcebergViewRows(ViewRows):
    """A view that is stored as an Iceberg table, with change bags below a location."""

    def __init__(
        self, spark: SparkSession, name: str, table: str, location: str, columns: StructType
    ) -> None:
        super().__init__(IcebergRows(spark, name, table, location), columns, widened=True)
