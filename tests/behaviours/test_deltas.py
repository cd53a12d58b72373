"""What every view store must do with rows that come and go, copy by copy."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from rollview.errors import Conflict, DeltaMismatch
from rollview.storage import faults
from rollview.storage.change import Append, Change, Merge, Rewrite, Unchanged
from rollview.storage.faults import Crash
from rollview.storage.vector import Position
from tests.behaviours.stores import StoreUnderTest, delta_store

Delta = list[tuple[int, str | None, int]]
Apply = Callable[[StoreUnderTest, Delta], Change[Any]]

COPIES = {"append": 1, "unchanged": 0, "merge": -1, "rewrite": -1}
VECTORS = {number: {"s0": Position("orders", str(number), "id")} for number in range(9)}


def by_merge(store: StoreUnderTest, delta: Delta) -> Change[Any]:
    return Merge(store.delta(delta))


def by_rewrite(store: StoreUnderTest, delta: Delta) -> Change[Any]:
    return Rewrite(store.delta(delta))


@pytest.fixture(params=[by_merge, by_rewrite])
def apply(request: pytest.FixtureRequest) -> Apply:
    chosen: Apply = request.param
    return chosen


def content(store: StoreUnderTest) -> Counter[tuple[Any, ...]]:
    return Counter(store.content(store.again().backing.read()))


def append_thrice(store: StoreUnderTest) -> None:
    """The same two rows by three refreshes, so in three files, each time beside another."""
    for number in range(3):
        rows = store.rows([(1, "a"), (1, None), (100 + number, "x")])
        committed = store.again().commit(Append(rows), number, VECTORS[number + 1])
        assert committed.rows == 3 * (number + 1)


@pytest.mark.parametrize("copies", [1, 2, 3])
def test_copies_of_several_refreshes_are_deleted_one_by_one(
    store: StoreUnderTest, apply: Apply, copies: int
) -> None:
    append_thrice(store)
    gone = [(1, "a", -copies), (1, None, -copies)]
    committed = store.again().commit(apply(store, gone), 3, VECTORS[4])
    left = {(1, "a"): 3 - copies, (1, None): 3 - copies} if copies < 3 else {}
    assert content(store) == {(100, "x"): 1, (101, "x"): 1, (102, "x"): 1, **left}
    assert store.again().watermark() == committed
    assert (committed.number, committed.vector, committed.rows) == (4, VECTORS[4], 9 - 2 * copies)


def test_rows_come_and_go_in_one_commit(store: StoreUnderTest, apply: Apply) -> None:
    first = store.again().commit(store.all([(1, "a"), (1, "a"), (2, None), (3, "c")]), 0, {})
    delta = [(1, "a", -1), (2, None, -1), (2, "", 2), (4, None, 1), (3, "c", 1)]
    second = store.again().commit(apply(store, delta), 1, VECTORS[2])
    wanted = {(1, "a"): 1, (2, ""): 2, (3, "c"): 2, (4, None): 1}
    assert content(store) == wanted
    assert second.rows == 6
    assert store.is_next(first.version, second.version)


def test_a_refresh_may_change_no_row(store: StoreUnderTest) -> None:
    first = store.again().commit(store.all([(1, "a"), (1, "a"), (2, None)]), 0, VECTORS[1])
    second = store.again().commit(Unchanged(), 1, VECTORS[2])
    assert content(store) == {(1, "a"): 2, (2, None): 1}
    assert store.again().watermark() == second
    assert (second.number, second.vector, second.rows) == (2, VECTORS[2], 3)
    assert int(second.version) == int(first.version) + 1
    with pytest.raises(Conflict):
        store.again().commit(Unchanged(), 1, VECTORS[3])
    third = store.again().commit(Append(store.rows([(3, "c")])), 2, VECTORS[3])
    assert third.rows == 4


def test_weights_of_one_row_add_up(store: StoreUnderTest, apply: Apply) -> None:
    store.again().commit(store.all([(1, "a"), (2, "b")]), 0, {})
    delta = [(1, "a", -1), (1, "a", 1), (2, "b", 2), (2, "b", -3), (3, None, 1), (3, None, -1)]
    store.again().commit(apply(store, delta), 1, {})
    assert content(store) == {(1, "a"): 1}


def test_an_empty_delta_is_a_commit_like_any_other(store: StoreUnderTest, apply: Apply) -> None:
    store.again().commit(store.all([(1, "a")]), 0, VECTORS[1])
    second = store.again().commit(apply(store, []), 1, VECTORS[2])
    assert content(store) == {(1, "a"): 1}
    assert store.again().watermark() == second
    assert (second.number, second.vector, second.rows) == (2, VECTORS[2], 1)


@pytest.mark.parametrize("gone", [(9, "z", -1), (1, None, -1), (1, "a", -3)])
def test_a_row_that_is_not_stored_cannot_be_deleted(
    store: StoreUnderTest, apply: Apply, gone: tuple[int, str | None, int]
) -> None:
    first = store.again().commit(store.all([(1, "a"), (1, "a")]), 0, VECTORS[1])
    version = store.again().backing.current()
    with pytest.raises(DeltaMismatch, match="not stored"):
        store.again().commit(apply(store, [gone, (5, "e", 1)]), 1, VECTORS[2])
    assert store.again().watermark() == first
    assert store.again().backing.current() == version
    assert content(store) == {(1, "a"): 2}
    assert [file.name for file in (store.folder / "refreshes").iterdir()] == ["1.json"]


@pytest.mark.parametrize("change", ["append", "merge", "rewrite"])
def test_a_repeated_commit_changes_nothing(store: StoreUnderTest, change: str) -> None:
    store.again().commit(store.all([(1, "a"), (1, "a")]), 0, {})
    version = None
    for _ in range(2):
        backing = store.again().backing
        rows = store.rows([(2, "b")]) if change == "append" else store.delta([(1, "a", -1)])
        getattr(backing, change)(rows, 2, "{}")
        version = version or backing.current()
    assert store.again().backing.current() == version
    assert content(store) == ({(1, "a"): 2, (2, "b"): 1} if change == "append" else {(1, "a"): 1})


@pytest.mark.parametrize("change", COPIES)
def test_the_second_of_two_refreshers_is_refused(store: StoreUnderTest, change: str) -> None:
    store.again().commit(store.all([(1, "a")]), 0, VECTORS[1])
    won = store.again().commit(store.all([(2, "b")]), 1, VECTORS[2])
    with pytest.raises(Conflict, match="refresh 2 of v was committed by somebody else first"):
        store.again().commit(made(store, change), 1, VECTORS[3])
    assert store.again().watermark() == won
    assert content(store) == {(2, "b"): 1}


@pytest.mark.parametrize("change", COPIES)
def test_of_racing_refreshers_one_wins(store: StoreUnderTest, change: str) -> None:
    store.again().commit(store.all([(1, "a"), (1, "a"), (1, "a")]), 0, VECTORS[1])
    outcomes: list[object] = []

    def race(version: int) -> None:
        try:
            outcomes.append(store.again().commit(made(store, change), 1, VECTORS[version]))
        except Conflict as lost:
            outcomes.append(lost)

    threads = [threading.Thread(target=race, args=(version,)) for version in (2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    winners = [outcome for outcome in outcomes if not isinstance(outcome, Conflict)]
    assert len(outcomes) == 2
    assert winners == [store.again().watermark()]
    assert content(store) == {(1, "a"): 3 + COPIES[change]}


@pytest.mark.parametrize("change", COPIES)
def test_a_lost_answer_is_found_out(store: StoreUnderTest, change: str) -> None:
    def lose_the_answer() -> None:
        raise ConnectionError("the answer was lost")

    store.again().commit(store.all([(1, "a"), (1, "a")]), 0, VECTORS[1])
    with faults.planned("commit.committed", lose_the_answer):
        committed = store.again().commit(made(store, change), 1, VECTORS[2])
    assert store.again().watermark() == committed
    assert committed.rows == 2 + COPIES[change]


@pytest.mark.parametrize("change", COPIES)
@pytest.mark.parametrize("point", ["commit.candidate", "commit.committed", "commit.published"])
def test_a_crash_leaves_the_old_or_the_new(store: StoreUnderTest, point: str, change: str) -> None:
    store.again().commit(store.all([(1, "a"), (1, "a")]), 0, VECTORS[1])
    with faults.planned(point), pytest.raises(Crash):
        store.again().commit(made(store, change), 1, VECTORS[2])
    done = point != "commit.candidate"
    copies = 2 + COPIES[change] if done else 2
    watermark = store.again().watermark()
    assert watermark is not None
    assert (watermark.number, watermark.vector) == ((2, VECTORS[2]) if done else (1, VECTORS[1]))
    assert watermark.rows == copies
    assert content(store) == {(1, "a"): copies}
    store.again().tidy(alone=True)
    assert store.again().watermark() == watermark
    again = store.again().commit(Merge(store.delta([(1, "a", 1)])), watermark.number, VECTORS[3])
    assert again.rows == copies + 1
    assert content(store) == {(1, "a"): copies + 1}


@pytest.mark.spark
def test_delta_files_without_changes_stay_as_they_are(spark: SparkSession, tmp_path: Path) -> None:
    store = delta_store(spark, tmp_path)
    store.again().backing.create()
    append_thrice(store)
    before = set(store.again().backing.read().inputFiles())
    store.again().commit(by_merge(store, [(101, "x", -1), (7, "g", 1)]), 3, {})
    after = set(store.again().backing.read().inputFiles())
    left = {(1, "a"): 3, (1, None): 3, (100, "x"): 1, (102, "x"): 1}
    assert content(store) == {**left, (7, "g"): 1}
    assert len(before) == 9
    assert len(before - after) == len(after - before) == 1


def made(store: StoreUnderTest, change: str) -> Change[Any]:
    """The change that makes so many more copies of (1, "a") as `COPIES` says."""
    match change:
        case "append":
            return Append(store.rows([(1, "a")]))
        case "unchanged":
            return Unchanged()
        case "merge":
            return by_merge(store, [(1, "a", -1)])
        case _:
            return by_rewrite(store, [(1, "a", -1)])
