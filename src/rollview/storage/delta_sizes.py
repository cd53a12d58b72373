"""How large a Delta table and its changes are, by its log alone.

A table is described by the checksum beside each commit: its bytes and files, and for small tables
the list of its files, which have row counts. A change is described by its commits: how many rows
each says that it added, removed and updated; where one does not say, by the row counts of its
files. That is an upper bound, since a file is written anew for the sake of few rows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from rollview.planning.statistics import ChangeSize, Size
from rollview.storage.delta_diff import diffs, row_count, to_commit
from rollview.storage.delta_log import Action, read_actions
from rollview.storage.files import Files

# What commits call rows that they added, removed and updated, by the operation that did it.
_ADDED = ("numTargetRowsInserted", "numInsertedRows")
_REMOVED = ("numTargetRowsDeleted", "numDeletedRows")
_UPDATED = ("numTargetRowsUpdated", "numUpdatedRows")


def size_at(files: Files, folder: str, version: int) -> Size:
    """The size of a table at a version; unknown where the log has no checksum of it."""
    text = files.read(f"{folder}/_delta_log/{version:020}.crc")
    checksum = json.loads(text or "{}")
    listed = checksum.get("allFiles")
    counts = [row_count(file) for file in listed] if listed is not None else [None]
    rows = None if None in counts else sum(count or 0 for count in counts)
    return Size(rows, _number(checksum, "tableSizeBytes"), _number(checksum, "numFiles"))


def changed_between(files: Files, folder: str, before: int, after: int) -> ChangeSize:
    """The size of the change from one version to another; unknown where the log has a gap."""
    said = [read_actions(files, folder, version) for version in range(before + 1, after + 1)]
    if before > after or not all(said):
        return ChangeSize()
    return change_size(said)


def change_size(commits: Sequence[Sequence[Action]]) -> ChangeSize:
    """The size of what successive commits changed, by everything they say."""
    parsed = [to_commit(number, actions) for number, actions in enumerate(commits)]
    read = diffs(parsed)[0].bytes if parsed else 0
    both = [_rows(actions) for actions in commits]
    if None in both:
        return ChangeSize(bytes=read)
    known = [one for one in both if one is not None]
    return ChangeSize(sum(a for a, _ in known), sum(r for _, r in known), read)


def _rows(actions: Sequence[Action]) -> tuple[int, int] | None:
    """How many rows one commit added and removed; an update does both."""
    commit = to_commit(0, actions)
    adds = [file for file in commit.adds if file.get("dataChange", True)]
    removes = [file for file in commit.removes if file.get("dataChange", True)]
    if not adds and not removes:
        return 0, 0
    if not removes:
        return _counted(adds, 0)
    told: list[Action] = [action["commitInfo"] for action in actions if "commitInfo" in action]
    said = told[0].get("operationMetrics", {}) if told else {}
    metrics = {name: int(value) for name, value in said.items()}
    if any(name in metrics for name in (*_ADDED, *_REMOVED, *_UPDATED)):
        added, removed, updated = (
            sum(metrics.get(name, 0) for name in names) for names in (_ADDED, _REMOVED, _UPDATED)
        )
        return added + updated, removed + updated
    come, gone = _counted(adds, 0), _counted(removes, 0)
    return None if come is None or gone is None else (come[0], gone[0])


def _counted(files: Iterable[Action], removed: int) -> tuple[int, int] | None:
    counts = [row_count(file) for file in files]
    return None if None in counts else (sum(count or 0 for count in counts), removed)


def _number(checksum: Action, name: str) -> int | None:
    value = checksum.get(name)
    return None if value is None else int(value)
