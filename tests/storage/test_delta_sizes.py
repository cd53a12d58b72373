"""How large a Delta table and its change are, by what the log says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rollview.planning.statistics import ChangeSize, Size, Statistics
from rollview.storage.delta_sizes import change_size, changed_between, size_at
from rollview.storage.files import LocalFiles
from tests.storage.test_delta_diff import file

Action = dict[str, Any]


def info(**metrics: int) -> Action:
    return {"commitInfo": {"operationMetrics": {name: str(n) for name, n in metrics.items()}}}


def test_a_table_is_as_large_as_its_checksum_says(tmp_path: Path) -> None:
    log = tmp_path / "_delta_log"
    log.mkdir()
    whole = {"tableSizeBytes": 300, "numFiles": 2, "allFiles": [file("a", 3), file("b", 4)]}
    large = {"tableSizeBytes": 10**9, "numFiles": 900}
    unknown = {**whole, "allFiles": [file("a", 3), file("b")]}
    for version, checksum in enumerate([whole, large, unknown]):
        (log / f"{version:020}.crc").write_text(json.dumps(checksum))
    found = [size_at(LocalFiles(), str(tmp_path), version) for version in range(4)]
    assert found == [Size(7, 300, 2), Size(None, 10**9, 900), Size(None, 300, 2), Size()]


def test_rows_that_a_vector_marks_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "_delta_log").mkdir()
    text = json.dumps({"allFiles": [file("a", 10, vector="xyz")]})
    (tmp_path / "_delta_log" / f"{0:020}.crc").write_text(text)
    assert size_at(LocalFiles(), str(tmp_path), 0).rows == 7


def test_appends_count_with_their_files() -> None:
    assert change_size([[{"add": file("a", 3)}], [{"add": file("b", 4)}]]) == ChangeSize(7, 0, 200)


@pytest.mark.parametrize(
    ("metrics", "added", "removed"),
    [
        ({"numUpdatedRows": 5}, 5, 5),
        ({"numDeletedRows": 6, "numCopiedRows": 90}, 0, 6),
        (
            {
                "numTargetRowsInserted": 1,
                "numTargetRowsUpdated": 2,
                "numTargetRowsDeleted": 4,
            },
            3,
            6,
        ),
        ({"numOutputRows": 100}, 100, 99),
        ({}, 100, 99),
    ],
)
def test_what_wrote_files_anew_says_for_how_many_rows(
    metrics: dict[str, int], added: int, removed: int
) -> None:
    actions = [info(**metrics), {"add": file("new", 100)}, {"remove": file("old", 99)}]
    found = change_size([actions])
    assert (found.added, found.removed) == (added, removed)


def test_the_feed_is_what_would_be_read() -> None:
    feed = {"cdc": {"path": "f", "size": 7}}
    actions = [info(numUpdatedRows=1), {"add": file("b", 9)}, {"remove": file("a", 9)}, feed]
    assert change_size([actions]) == ChangeSize(1, 1, 7)


def test_compaction_is_no_change() -> None:
    still = {"dataChange": False}
    actions = [{"add": file("ab", 7, **still)}, {"remove": file("a", 3, **still)}]
    assert change_size([actions]) == ChangeSize(0, 0, 0)


def test_what_cannot_be_counted_is_not_known() -> None:
    found = change_size([[{"add": file("a")}]])
    assert (found.added, found.removed, found.bytes) == (None, None, 100)
    assert found.rows is None


def test_a_gap_in_the_log(tmp_path: Path) -> None:
    log = tmp_path / "_delta_log"
    log.mkdir()
    (log / f"{2:020}.json").write_text(json.dumps({"add": file("a", 3)}))
    files, folder = LocalFiles(), str(tmp_path)
    assert changed_between(files, folder, 1, 2) == ChangeSize(3, 0, 100)
    assert changed_between(files, folder, 0, 2) == ChangeSize()
    assert changed_between(files, folder, 2, 1) == ChangeSize()
    assert changed_between(files, folder, 2, 2) == ChangeSize(0, 0, 0)


def test_what_was_read_replaces_what_was_told() -> None:
    told = Statistics(changes={"a": ChangeSize(5, 0, 9), "b": ChangeSize(None, None, 9)})
    assert told.only_adds is False
    read = told.with_read({"a": 4, "b": 7})
    assert read.changes == {"a": ChangeSize(4, 0, 9), "b": ChangeSize(4, 3, 9)}
    assert told.with_read({"a": 3, "b": 0}).only_adds is True
