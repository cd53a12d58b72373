"""The two ways to write a Delta table, and what the fast one has to do without."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from rollview.errors import Conflict, DeltaMismatch
from rollview.storage import delta_commits
from rollview.storage.change import Append, Merge, Rewrite, Unchanged
from rollview.storage.delta_transaction import is_supported
from tests.behaviours.stores import StoreUnderTest, delta_store

pytestmark = pytest.mark.spark

START = [(1, "a"), (1, "a"), (2, None)]


@pytest.fixture
def store(spark: SparkSession, tmp_path: Path) -> StoreUnderTest:
    made = delta_store(spark, tmp_path)
    made.again().backing.create()
    return made


def content(store: StoreUnderTest) -> Counter[tuple[Any, ...]]:
    return Counter(store.content(store.again().backing.read()))


def test_this_delta_has_what_is_needed(spark: SparkSession) -> None:
    assert is_supported(spark)


def test_another_delta_is_written_by_its_writer(
    store: StoreUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delta_commits, "is_supported", lambda _: False)
    assert store.again().commit(store.all(START), 0, {}).rows == 3
    assert store.again().commit(Append(store.rows([(3, "c")])), 1, {}).rows == 4
    assert store.again().commit(Merge(store.delta([(1, "a", -1), (4, "", 2)])), 2, {}).rows == 5
    assert store.again().commit(Rewrite(store.delta([(2, None, -1)])), 3, {}).rows == 4
    assert store.again().commit(Unchanged(), 4, {}).rows == 4
    assert content(store) == {(1, "a"): 1, (3, "c"): 1, (4, ""): 2}
    with pytest.raises(DeltaMismatch):
        store.again().commit(Merge(store.delta([(2, None, -1)])), 5, {})
    with pytest.raises(Conflict):
        store.again().commit(Merge(store.delta([(1, "a", -1)])), 3, {})
    assert content(store) == {(1, "a"): 1, (3, "c"): 1, (4, ""): 2}


def test_without_checksums_the_log_lists_the_files(
    spark: SparkSession, store: StoreUnderTest
) -> None:
    store.again().commit(store.all(START), 0, {})
    for checksum in (store.folder / "data" / "_delta_log").glob("*.crc"):
        checksum.unlink()
    spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()  # type: ignore[union-attr]
    committed = store.again().commit(Merge(store.delta([(1, "a", -1)])), 1, {})
    assert committed.rows == 2
    assert content(store) == {(1, "a"): 1, (2, None): 1}


def test_few_jobs_are_needed(spark: SparkSession, store: StoreUnderTest) -> None:
    """Nothing rebuilds the state of the log: only rows are read and written."""
    store.again().commit(store.all(START), 0, {})
    changes = [Append(store.rows([(3, "c")])), Merge(store.delta([(1, "a", -1)])), Unchanged()]
    jobs = []
    for number, change in enumerate(changes, start=1):
        spark.sparkContext.setJobGroup(f"commit {number}", "")
        store.again().commit(change, number, {})
        tracker = spark.sparkContext.statusTracker()
        jobs.append(len(tracker.getJobIdsForGroup(f"commit {number}")))
    assert jobs[0] == 1
    assert jobs[1] <= 4
    assert jobs[2] == 0


@pytest.mark.parametrize("feed", [False, True])
def test_a_view_that_loses_all_rows_writes_no_file_of_rows(
    store: StoreUnderTest, feed: bool
) -> None:
    store.again().commit(store.all(START), 0, {})
    before = set((store.folder / "data").glob("part-*"))
    delta = store.delta([(1, "a", -2), (2, None, -1)])
    emptied = store.again().commit(Rewrite(delta, feed, empties=True), 1, {})
    assert set((store.folder / "data").glob("part-*")) == before
    assert (emptied.rows, content(store)) == (0, {})
    assert store.again().watermark() == emptied
    assert store.again().commit(Append(store.rows([(3, "c")])), 2, {}).rows == 1


def test_rows_that_are_left_unexpectedly_are_kept(store: StoreUnderTest) -> None:
    store.again().commit(store.all(START), 0, {})
    delta = store.delta([(1, "a", -1)])
    committed = store.again().commit(Rewrite(delta, empties=True), 1, {})
    assert (committed.rows, content(store)) == (2, {(1, "a"): 1, (2, None): 1})
    wrong = store.delta([(1, "a", -1), (2, "none", -1)])
    with pytest.raises(DeltaMismatch):
        store.again().commit(Rewrite(wrong, empties=True), 2, {})
    assert content(store) == {(1, "a"): 1, (2, None): 1}


def test_a_refresh_that_changes_no_row_writes_no_file(store: StoreUnderTest) -> None:
    store.again().commit(store.all(START), 0, {})
    before = set((store.folder / "data").rglob("part-*"))
    store.again().commit(Unchanged(), 1, {})
    assert set((store.folder / "data").rglob("part-*")) == before
    assert content(store) == {(1, "a"): 2, (2, None): 1}
