"""What only views that are stored in Iceberg have to care for; docs/commit-protocol.md says why."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from rollview.storage.change import Append, Change, Merge, Rewrite
from rollview.storage.iceberg_commits import CHANGE, NUMBER, TAG, Begun
from rollview.storage.iceberg_table import table_now
from rollview.storage.vector import Position
from tests.behaviours.stores import StoreUnderTest, iceberg_store

pytestmark = pytest.mark.spark

START = [(1, "a"), (1, "a"), (2, None)]
AT = {number: {"s0": Position("orders", str(number), "id")} for number in range(1, 5)}


@pytest.fixture
def store(spark: SparkSession, tmp_path: Path) -> StoreUnderTest:
    made = iceberg_store(spark, tmp_path)
    made.again().backing.create()
    return made


def content(store: StoreUnderTest) -> Counter[tuple[Any, ...]]:
    return Counter(store.content(store.again().backing.read()))


def table_of(store: StoreUnderTest) -> Any:
    backing: Any = store.again().backing
    return table_now(backing._spark, backing._name)


def folder_of(store: StoreUnderTest) -> Path:
    return Path(str(table_of(store).location()).removeprefix("file:"))


def test_rows_number_and_tag_are_one_version_of_the_metadata(store: StoreUnderTest) -> None:
    before = set((folder_of(store) / "metadata").glob("v*.metadata.json"))
    committed = store.again().commit(store.all(START), 0, AT[1])
    after = set((folder_of(store) / "metadata").glob("v*.metadata.json"))
    assert len(after - before) == 1
    table = table_of(store)
    assert str(table.refs()[TAG].snapshotId()) == committed.version
    assert table.properties()[NUMBER] == "1"


def test_few_jobs_are_needed(spark: SparkSession, store: StoreUnderTest) -> None:
    store.again().commit(store.all(START), 0, {})
    changes: list[Change[Any]] = [
        Append(store.rows([(3, "c")])),
        Merge(store.delta([(1, "a", -1)])),
        Rewrite(store.delta([(3, "c", -1)])),
    ]
    jobs = []
    for number, change in enumerate(changes, start=1):
        spark.sparkContext.setJobGroup(f"commit {number}", "")
        store.again().commit(change, number, {})
        tracker = spark.sparkContext.statusTracker()
        jobs.append(len(tracker.getJobIdsForGroup(f"commit {number}")))
    assert jobs[0] == 1
    assert max(jobs[1:]) <= 4
    assert content(store) == {(1, "a"): 1, (2, None): 1}


def test_files_without_changes_stay_as_they_are(store: StoreUnderTest) -> None:
    for number in range(3):
        store.again().commit(Append(store.rows([(number, "x"), (7, "y")])), number, {})
    assert store.live_files is not None
    before = store.live_files()
    store.again().commit(Merge(store.delta([(1, "x", -1), (8, "g", 1)])), 3, {})
    after = store.live_files()
    assert content(store) == {(0, "x"): 1, (2, "x"): 1, (7, "y"): 3, (8, "g"): 1}
    assert len(before) == 3
    assert len(before - after) == len(after - before) == 1


def test_a_commit_begins_again_if_rows_were_only_moved(
    store: StoreUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.again().commit(store.all(START[:1]), 0, {})
    store.again().commit(Append(store.rows(START[1:])), 1, {})
    write, moved = Begun.write, list[int]()

    def write_and_wait(begun: Begun, rows: Any) -> None:
        write(begun, rows)
        if not moved:
            moved.append(1)
            store.compact()

    monkeypatch.setattr(Begun, "write", write_and_wait)
    committed = store.again().commit(Merge(store.delta([(1, "a", -1), (3, "c", 1)])), 2, AT[3])
    assert (committed.number, committed.rows) == (3, 3)
    assert moved
    assert content(store) == {(1, "a"): 1, (2, None): 1, (3, "c"): 1}
    assert store.again().watermark() == committed
    named = {row[0] for row in table_files(store)}
    there = {f"file:{path}" for path in (folder_of(store) / "data").glob("*.parquet")}
    assert there == named  # what the first attempt wrote is gone


def table_files(store: StoreUnderTest) -> list[Any]:
    backing: Any = store.again().backing
    text = f"SELECT DISTINCT file_path FROM {backing._name}.all_data_files"
    return list(backing._spark.sql(text).collect())


def test_rows_that_cannot_be_traced_are_recomputed(store: StoreUnderTest) -> None:
    """Others rewrote the files twice, and expired the snapshot between."""
    store.again().commit(store.all(START), 0, AT[1])
    store.again().commit(Append(store.rows([(4, "d")])), 1, AT[2])
    store.compact()
    store.compact()
    store.vacuum()
    watermark = store.again().watermark()
    assert watermark is not None
    assert (watermark.number, watermark.vector) == (2, None)
    third = store.again().commit(store.all(START), 2, AT[3])
    assert store.again().watermark() == third
    assert third.number == 3


def test_rows_that_were_rolled_back_have_their_old_watermark(store: StoreUnderTest) -> None:
    first = store.again().commit(store.all(START), 0, AT[1])
    store.again().commit(store.all([(9, "z")]), 1, AT[2])
    table_of(store).manageSnapshots().rollbackTo(int(first.version)).commit()
    assert store.again().watermark() == first
    assert content(store) == Counter(START)
    store.again().tidy(alone=True)
    again = store.again().commit(Append(store.rows([(5, "e")])), 1, AT[3])
    assert (again.number, again.rows) == (2, 4)
    assert store.again().watermark() == again


def test_the_change_of_a_commit_is_told_without_its_files(store: StoreUnderTest) -> None:
    """Rows that only came are in a file of their own; all else is in bags."""
    first = store.again().commit(store.all(START), 0, AT[1])
    store.again().commit(Rewrite(store.delta([(1, "a", -1), (3, "c", 2)]), True), 1, AT[2])
    store.again().commit(Append(store.rows([(4, None)])), 2, AT[3])
    last = store.again().commit(Merge(store.delta([(3, "c", -1), (2, None, -1)]), True), 3, AT[4])
    kept = {row[0] for row in table_files(store)}
    appended = _file_of(store, 3)
    for path in kept - appended:
        Path(path.removeprefix("file:")).unlink()
    assert store.seen is not None
    found = store.seen().changes(first.version, last.version, ["v", "k"]).collect()
    wanted = [(None, 2, -1), (None, 4, 1), ("a", 1, -1), ("c", 3, 1)]
    assert sorted((tuple(row) for row in found), key=repr) == sorted(wanted, key=repr)


def _file_of(store: StoreUnderTest, number: int) -> set[str]:
    """The one file that a refresh added."""
    table = table_of(store)
    tail = store.again().backing.find(number)
    assert tail is not None
    added = table.snapshot(int(tail.version)).addedDataFiles(table.io())
    return {str(added.iterator().next().location())}


def test_bags_and_metadata_of_the_dead_go_after_a_crash(store: StoreUnderTest) -> None:
    store.again().commit(store.all(START), 0, AT[1])
    store.again().commit(Rewrite(store.delta([(1, "a", -1)]), True), 1, AT[2])
    token = str(table_of(store).currentSnapshot().summary()[CHANGE])
    changes, metadata = store.folder / "data" / "changes", folder_of(store) / "metadata"
    (changes / "20240102T030405-0a1b2c3d4e5f").mkdir()
    half_done = metadata / "7d0a5f0c-0000-4000-8000-000000000000.metadata.json"
    half_done.touch()
    named = sorted(metadata.iterdir())
    store.again().tidy(alone=True)
    assert sorted(metadata.iterdir()) == named  # somebody else may be writing it
    store.again().tidy(alone=True, after_a_crash=True)
    assert not half_done.exists()
    assert [path.name for path in changes.iterdir()] == [token]
    assert content(store) == {(1, "a"): 1, (2, None): 1}


def test_a_change_of_nothing_is_told_as_well(store: StoreUnderTest) -> None:
    first = store.again().commit(store.all(START), 0, AT[1])
    second = store.again().commit(Rewrite(store.delta([]), True), 1, AT[2])
    assert store.seen is not None
    assert store.seen().changes(first.version, second.version, ["k"]).collect() == []
    assert content(store) == Counter(START)
