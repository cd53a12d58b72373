"""What changed in a backing table in Iceberg: by the change bags of its commits, or by files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from rollview.errors import SourceVersionGone
from rollview.planning.statistics import ChangeSize, Size
from rollview.storage.base import WEIGHT
from rollview.storage.iceberg_commits import CHANGE
from rollview.storage.iceberg_diff import (
    REPLACE,
    changed_rows,
    difference,
    is_there,
    parent_of,
    path_between,
    standing_for,
)
from rollview.storage.iceberg_feed import IcebergFeed
from rollview.storage.iceberg_sizes import changed_between, size_at
from rollview.storage.iceberg_table import file_lists, spelled, table_now
from rollview.storage.net import net, no_change

_APPEND = "append"


class IcebergRows:
    """The rows of a view as they are stored; ``name`` is the view's, ``table`` the table's."""

    def __init__(self, spark: SparkSession, name: str, table: str, location: str) -> None:
        self._spark = spark
        self._name = name
        self._table = table
        self._feed = IcebergFeed(spark, location)

    def obstacle(self, before: str, after: str, columns: Sequence[str]) -> str | None:
        table = table_now(self._spark, self._table)
        ends = (before, after)
        lost = [version for version in ends if not is_there(table, standing_for(table, version))]
        if not lost:
            return None
        return f"snapshot {lost[0]} of the stored rows of {self._name} has been expired"

    def changes(self, before: str, after: str, columns: Sequence[str]) -> DataFrame:
        why = self.obstacle(before, after, columns)
        if why is not None:
            raise SourceVersionGone(why, hint="refresh the view with full=True")
        table = table_now(self._spark, self._table)
        told = self._told(table, before, after)
        if told is None:
            told = ([], difference(self._spark, table, before, after))
        tokens, files = told
        found = changed_rows(self._spark, table, files, columns)
        if tokens:
            kept = self._feed.read(tokens).select(*columns, F.col(WEIGHT))
            found = kept if found is None else found.unionAll(kept)
        if found is None:
            fields = self._spark.table(self._table).select(*columns).schema.fields
            return no_change(self._spark, fields)
        return net(found, columns, exact=True)

    def readable(self, version: str) -> bool:
        table = table_now(self._spark, self._table)
        return is_there(table, standing_for(table, version))

    def size(self, version: str) -> Size:
        return size_at(table_now(self._spark, self._table), version)

    def change_size(self, before: str, after: str) -> ChangeSize:
        return changed_between(table_now(self._spark, self._table), before, after)

    def stamp(self, version: str) -> str | None:
        return None  # no snapshot has the id of another

    def _told(self, table: Any, before: str, after: str) -> tuple[list[str], Any] | None:
        """The bags of the commits between, and the files of those that only appended.

        None if a commit is no longer there, or wrote rows anew without telling its change.
        """
        path = path_between(table, standing_for(table, before), after)
        if path is None:
            return None
        tokens: list[str] = []
        appended = file_lists(self._spark).difference()
        for snapshot in path:
            token, kind = snapshot.summary().get(CHANGE), str(snapshot.operation())
            if token is not None and self._feed.has(str(token)):
                tokens.append(str(token))
            elif kind == _APPEND:
                appended.add(table, spelled(parent_of(snapshot)), str(snapshot.snapshotId()))
            elif kind != REPLACE:
                return None
        return (tokens, appended) if tokens else None
