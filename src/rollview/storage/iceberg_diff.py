"""The files in which two snapshots of an Iceberg table differ, and what changed, read from those.

A snapshot is a set of data files, each with the delete files that apply to it: position deletes,
equality deletes, deletion vectors. So the change between any two is the rows of the files that only
the later one has minus those that only the earlier one has. It does not matter how one became the
other: by commits, by a rollback, or by snapshots that have been expired since. Rows that were only
moved cancel in the net effect.

Where the snapshots between are still there, those that only rewrite files ("replace") can be left
out instead: then the changes of the others add up. What takes fewer bytes is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from rollview.storage.base import WEIGHT
from rollview.storage.encoding import quoted
from rollview.storage.iceberg_staging import rows_in
from rollview.storage.iceberg_table import EMPTY, current_of, file_lists, spelled

REPLACE = "replace"


def path_between(table: Any, before: str, after: str) -> list[Any] | None:
    """The snapshots after one up to another, newest first; None if they are not all there.

    The first one itself need not be there.
    """
    found: list[Any] = []
    at = after
    while at != before:
        snapshot = None if at == EMPTY else table.snapshot(int(at))
        if snapshot is None:
            return None
        found.append(snapshot)
        at = parent_of(snapshot)
    return found


def parent_of(snapshot: Any) -> str:
    """The snapshot before one."""
    parent = snapshot.parentId()
    return EMPTY if parent is None else str(parent)


def is_there(table: Any, version: str) -> bool:
    """Whether a snapshot has not been expired."""
    return version == EMPTY or table.snapshot(int(version)) is not None


def standing_for(table: Any, version: str) -> str:
    """The snapshot itself, or, if it has been expired, a later one with the very same rows."""
    if is_there(table, version):
        return version
    found = version
    for snapshot in reversed(path_between(table, version, current_of(table)) or []):
        if snapshot.operation() != REPLACE:
            break
        found = str(snapshot.snapshotId())
    return found


def difference(spark: SparkSession, table: Any, before: str, after: str) -> Any:
    """The files to read, for `changed_rows`; both snapshots are there, or others stand for them."""
    lists = file_lists(spark)
    before, after = standing_for(table, before), standing_for(table, after)
    path = path_between(table, before, after)
    changing = [] if path is None else [s for s in path if s.operation() != REPLACE]
    parts = lists.difference()
    if path is not None and not changing:
        return parts
    whole = lists.difference()
    whole.add(table, spelled(before), spelled(after))
    if path is None or len(changing) == len(path):
        return whole
    for snapshot in changing:
        parts.add(table, spelled(parent_of(snapshot)), str(snapshot.snapshotId()))
    return parts if int(parts.bytes()) < int(whole.bytes()) else whole


def changed_rows(
    spark: SparkSession, table: Any, files: Any, columns: Sequence[str]
) -> DataFrame | None:
    """The rows of these files, each with weight 1 or -1; None if there are no files."""
    parts = []
    for sign in (1, -1):
        tasks = files.tasks(sign)
        if tasks.size():
            rows = rows_in(spark, table, tasks)
            there = {column.lower(): column for column in rows.columns}
            values = [F.col(quoted(there[column.lower()])) for column in columns]
            parts.append(rows.select(*values, F.lit(sign).cast("bigint").alias(WEIGHT)))
    return reduce(DataFrame.unionAll, parts) if parts else None
