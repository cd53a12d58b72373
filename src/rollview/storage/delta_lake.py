"""Delta Lake tables as base tables that are read at versions."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from rollview.errors import SourceVersionGone
from rollview.planning.statistics import ChangeSize, Size
from rollview.storage.base import TableState
from rollview.storage.delta_changes import DeltaChanges
from rollview.storage.delta_history import is_readable
from rollview.storage.delta_log import latest_alike, snapshot, stamp_of
from rollview.storage.delta_read import rows_of
from rollview.storage.delta_sizes import changed_between, size_at
from rollview.storage.files import files_at
from rollview.storage.tables import missing


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
            return rows_of(self._spark, self._location, version)
        except PySparkException as failure:
            raise SourceVersionGone(
                f"version {version} of {self._name} can no longer be read",
                hint="refresh the view with full=True",
            ) from failure

    def stamp(self, version: str) -> str | None:
        """Numbers come again when a folder is restored from a copy and written again."""
        files, folder = files_at(self._spark, self._location)
        return stamp_of(files, folder, int(version))

    def same_rows(self, before: str, after: str) -> bool:
        """True if every commit between is in the log and only moves rows between files."""
        if int(before) > int(after):
            return False
        files, folder = files_at(self._spark, self._location)
        return latest_alike(files, folder, int(before)) >= int(after)

    def obstacle(self, before: str, after: str, columns: Sequence[str]) -> str | None:
        return self._changes.obstacle(before, after, columns)

    def changes(self, before: str, after: str, columns: Sequence[str]) -> DataFrame:
        return self._changes.changes(before, after, columns)

    def readable(self, version: str) -> bool:
        alike = latest_alike(*files_at(self._spark, self._location), int(version))
        return is_readable(self._spark, self._location, alike)

    def size(self, version: str) -> Size:
        return size_at(*files_at(self._spark, self._location), int(version))

    def change_size(self, before: str, after: str) -> ChangeSize:
        return changed_between(*files_at(self._spark, self._location), int(before), int(after))
