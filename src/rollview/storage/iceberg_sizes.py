"""How large an Iceberg table and its changes are, by the summaries of its snapshots alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rollview.planning.statistics import ChangeSize, Size

Summary = Mapping[str, str]
_REWRITES = "replace"  # the operation of a snapshot that only moves rows between files


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
    said = [summary for operation, summary in snapshots if operation != _REWRITES]

    def total(*names: str) -> int:
        return sum(_number(summary, name) or 0 for summary in said for name in names)

    deleted = total("deleted-records", "added-position-deletes", "added-equality-deletes")
    return ChangeSize(
        total("added-records"), deleted, total("added-files-size", "removed-files-size")
    )


def _number(summary: Summary, name: str) -> int | None:
    return int(summary[name]) if name in summary else None
