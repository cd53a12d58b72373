"""How large an Iceberg table and its changes are, by the summaries of its snapshots alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rollview.planning.statistics import ChangeSize, Size
from rollview.storage.iceberg_diff import REPLACE, path_between, standing_for
from rollview.storage.iceberg_table import EMPTY

Summary = Mapping[str, str]
_BY_VALUE = "added-equality-deletes"  # each takes all rows that are equal to it, however many


def size_at(table: Any, version: str) -> Size:
    """The size of a table at a snapshot; unknown where that is gone and no other stands for it."""
    if version == EMPTY:
        return Size(0, 0, 0)
    snapshot = table.snapshot(int(standing_for(table, version)))
    return table_size({} if snapshot is None else dict(snapshot.summary()))


def changed_between(table: Any, before: str, after: str) -> ChangeSize:
    """The size of the change between two snapshots; unknown where not all between are there."""
    path = path_between(table, standing_for(table, before), standing_for(table, after))
    if path is None:
        return ChangeSize()
    return change_size([(str(one.operation()), dict(one.summary())) for one in path])


def table_size(summary: Summary) -> Size:
    """The size of the table at a snapshot; its rows only if no delete file takes some of them."""
    whole = summary.get("total-delete-files", "0") == "0"
    return Size(
        _number(summary, "total-records") if whole else None,
        _number(summary, "total-files-size"),
        _number(summary, "total-data-files"),
    )


def change_size(snapshots: Sequence[tuple[str, Summary]]) -> ChangeSize:
    """The size of what some snapshots changed, each its operation and its summary.

    What a summary does not mention did not happen; files that were written anew for the sake of a
    few rows count with all their rows.
    """
    said = [summary for operation, summary in snapshots if operation != REPLACE]

    def total(*names: str) -> int:
        return sum(_number(summary, name) or 0 for summary in said for name in names)

    deleted = None if total(_BY_VALUE) else total("deleted-records", "added-position-deletes")
    return ChangeSize(
        total("added-records"), deleted, total("added-files-size", "removed-files-size")
    )


def _number(summary: Summary, name: str) -> int | None:
    return int(summary[name]) if name in summary else None
