"""What every view store must do; docs/commit-protocol.md says why."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from rollview.errors import Conflict
from rollview.storage import faults
from rollview.storage.faults import Crash
from rollview.storage.vector import Position
from tests.behaviours.stores import StoreUnderTest, delta_store

AT_1 = {"s0": Position("orders", "1", "id")}
AT_2 = {"s0": Position("orders", "2", "id")}
AT_3 = {"s0": Position("orders", "3", "id")}
OLD, NEW = [(1, "a"), (1, "a"), (2, None)], [(3, "c")]


def test_a_new_store_has_no_watermark_and_no_rows(store: StoreUnderTest) -> None:
    assert store.again().watermark() is None
    assert store.content(store.again().backing.read()) == []


def test_a_commit_is_seen_by_another_process(store: StoreUnderTest) -> None:
    committed = store.again().commit(store.all(NEW), 0, AT_1)
    watermark = store.again().watermark()
    assert watermark == committed
    assert (committed.number, committed.vector, committed.rows) == (1, AT_1, 1)
    assert store.content(store.again().backing.read()) == NEW


def test_rows_are_a_bag_and_are_replaced_whole(store: StoreUnderTest) -> None:
    first = store.again().commit(store.all(OLD[:2]), 0, AT_1)
    store.again().commit(store.all(NEW), 1, AT_2)
    assert store.content(store.again().backing.read()) == NEW
    assert store.content(store.again().backing.read(first.version)) == OLD[:2]


def test_the_second_of_two_refreshers_is_refused(store: StoreUnderTest) -> None:
    store.again().commit(store.all(OLD), 0, AT_1)
    store.again().commit(store.all(NEW), 1, AT_2)
    with pytest.raises(Conflict, match="refresh 2 of v was committed by somebody else first"):
        store.again().commit(store.all(OLD), 1, AT_3)
    watermark = store.again().watermark()
    assert watermark is not None
    assert (watermark.number, watermark.vector) == (2, AT_2)
    assert store.content(store.again().backing.read()) == NEW


def test_of_racing_refreshers_one_wins(store: StoreUnderTest) -> None:
    store.again().commit(store.all(OLD), 0, AT_1)
    outcomes: list[object] = []

    def race(version: str) -> None:
        vector = {"s0": Position("orders", version, "id")}
        try:
            outcomes.append(store.again().commit(store.all([(int(version), "x")]), 1, vector))
        except Conflict as lost:
            outcomes.append(lost)

    threads = [threading.Thread(target=race, args=(v,)) for v in ("10", "11", "12")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    winners = [outcome for outcome in outcomes if not isinstance(outcome, Conflict)]
    watermark = store.again().watermark()
    assert winners == [watermark]
    assert watermark is not None
    assert watermark.vector is not None
    kept = store.content(store.again().backing.read())
    assert kept == [(int(watermark.vector["s0"].version), "x")]


def test_a_lost_answer_is_found_out(store: StoreUnderTest) -> None:
    def lose_the_answer() -> None:
        raise ConnectionError("the answer was lost")

    with faults.planned("commit.committed", lose_the_answer):
        committed = store.again().commit(store.all(NEW), 0, AT_1)
    assert store.again().watermark() == committed


def test_a_commit_that_did_not_happen_raises_its_own_error(store: StoreUnderTest) -> None:
    opened = store.again()

    def fail(*_: object) -> None:
        raise RuntimeError("disk full")

    opened.backing.replace = fail  # type: ignore[method-assign]
    with pytest.raises(RuntimeError, match="disk full"):
        opened.commit(store.all(NEW), 0, AT_1)
    assert store.again().watermark() is None
    assert not list((store.folder / "refreshes").iterdir())


@pytest.mark.parametrize(
    ("point", "number"), [("commit.candidate", 1), ("commit.committed", 2), ("commit.published", 2)]
)
def test_a_crash_leaves_the_old_or_the_new(store: StoreUnderTest, point: str, number: int) -> None:
    store.again().commit(store.all(OLD[:2]), 0, AT_1)
    with faults.planned(point), pytest.raises(Crash):
        store.again().commit(store.all(NEW), 1, AT_2)
    watermark = store.again().watermark()
    assert watermark is not None
    assert (watermark.number, watermark.vector) == ((1, AT_1) if number == 1 else (2, AT_2))
    assert store.content(store.again().backing.read()) == (OLD[:2] if number == 1 else NEW)
    again = store.again().commit(store.all(NEW), number, AT_3)
    store.again().tidy()
    assert store.again().watermark() == again
    assert f"{again.number}.json" in names(store)
    assert not [name for name in names(store) if name.count(".") == 2]


def names(store: StoreUnderTest) -> list[str]:
    return sorted(file.name for file in (store.folder / "refreshes").iterdir())


def test_a_commit_leaves_nothing_but_its_vector(store: StoreUnderTest) -> None:
    store.again().commit(store.all(NEW), 0, AT_1)
    assert names(store) == ["1.json"]


@pytest.mark.parametrize(
    ("point", "left"),
    [
        ("commit.candidate", ["1.json"]),
        ("commit.committed", ["1.json", "2.json"]),
        ("commit.published", ["1.json", "2.json"]),
    ],
)
def test_who_is_alone_puts_right_what_a_crash_left(
    store: StoreUnderTest, point: str, left: list[str]
) -> None:
    store.again().commit(store.all(OLD[:2]), 0, AT_1)
    with faults.planned(point), pytest.raises(Crash):
        store.again().commit(store.all([*NEW, *OLD]), 1, AT_2)  # enough to compact
    before = store.again().watermark()
    store.again().tidy(alone=True, after_a_crash=True)
    assert names(store) == left
    assert store.again().watermark() == before
    if point != "commit.candidate":  # the vector is published now, and outlives the log
        store.compact()
        store.lose_commit_records()
        watermark = store.again().watermark()
        assert watermark is not None
        assert (watermark.number, watermark.vector) == (2, AT_2)


def test_who_is_not_alone_leaves_what_may_still_be_committed(store: StoreUnderTest) -> None:
    store.again().commit(store.all(OLD), 0, AT_1)
    with faults.planned("commit.candidate"), pytest.raises(Crash):
        store.again().commit(store.all(NEW), 1, AT_2)
    store.again().tidy()
    assert len(names(store)) == 2


@pytest.mark.parametrize("by_others", ["compact", "alter"])
def test_the_watermark_outlives_other_commits(store: StoreUnderTest, by_others: str) -> None:
    committed = store.again().commit(store.all(OLD), 0, AT_1)
    version = store.again().backing.current()
    getattr(store, by_others)()
    moved = store.again().backing.current() != version
    assert moved == (by_others == "compact" or store.alters_version)
    assert store.again().watermark() == committed
    assert store.content(store.again().backing.read()) == OLD
    second = store.again().commit(store.all(NEW), 1, AT_2)
    assert store.again().watermark() == second


def test_the_watermark_outlives_the_log(store: StoreUnderTest) -> None:
    store.again().commit(store.all(OLD), 0, AT_1)
    store.compact()
    store.lose_commit_records()
    watermark = store.again().watermark()
    assert watermark is not None
    assert (watermark.number, watermark.vector) == (1, AT_1)
    assert store.content(store.again().backing.read()) == OLD
    second = store.again().commit(store.all(NEW), 1, AT_2)
    assert store.again().watermark() == second


def test_the_watermark_outlives_the_files_of_old_versions(store: StoreUnderTest) -> None:
    store.again().commit(store.all(OLD), 0, AT_1)
    second = store.again().commit(store.all(NEW), 1, AT_2)
    store.vacuum()
    assert store.again().watermark() == second
    assert store.content(store.again().backing.read()) == NEW
    third = store.again().commit(store.all(OLD), 2, AT_3)
    assert store.again().watermark() == third


def test_without_any_record_the_vector_is_unknown(store: StoreUnderTest) -> None:
    store.again().commit(store.all(OLD), 0, AT_1)
    store.compact()
    store.lose_commit_records()
    (store.folder / "refreshes" / "1.json").unlink()
    watermark = store.again().watermark()
    assert watermark is not None
    if watermark.vector is not None:  # the only candidate is left, and is right
        assert watermark.vector == AT_1
        next((store.folder / "refreshes").iterdir()).unlink()
    assert store.again().watermark() is not None
    lost = store.again().watermark()
    assert lost is not None
    assert (lost.number, lost.vector) == (1, None)


def test_old_vectors_are_removed_and_recent_ones_kept(store: StoreUnderTest) -> None:
    for number in range(7):
        store.again().commit(store.all(NEW), number, AT_1)
    store.again().tidy()
    assert names(store) == [f"{number}.json" for number in range(3, 8)]


def test_cleaning_keeps_what_can_be_read(store: StoreUnderTest) -> None:
    first = store.again().commit(store.all(NEW), 0, AT_1)
    second = store.again().commit(store.all(OLD[:2]), 1, AT_2)
    store.again().backing.clean()
    assert store.again().watermark() == second
    assert store.content(store.again().backing.read()) == OLD[:2]
    assert store.content(store.again().backing.read(first.version)) == NEW


@pytest.mark.spark
def test_files_that_delta_wrote_aside_go_after_a_crash(spark: SparkSession, tmp_path: Path) -> None:
    store = delta_store(spark, tmp_path)
    store.again().backing.create()
    committed = store.again().commit(store.all(NEW), 0, AT_1)
    log = store.folder / "data" / "_delta_log"
    before = sorted(log.iterdir())
    for name in (".00000000000000000002.json.c3a1.tmp", "..00000000000000000002.json.c3a1.tmp.crc"):
        (log / name).touch()
    store.again().tidy(alone=True)
    assert len(list(log.iterdir())) == len(before) + 2  # somebody else may be writing them
    store.again().tidy(alone=True, after_a_crash=True)
    assert sorted(log.iterdir()) == before
    assert store.again().watermark() == committed


def test_a_dropped_store_is_gone(store: StoreUnderTest) -> None:
    store.again().commit(store.all(NEW), 0, AT_1)
    store.again().backing.drop()
    assert not (store.folder / "data").exists()
