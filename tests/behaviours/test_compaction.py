"""Small files of a backing table become few; rows, watermark and changes are what they were."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from rollview.storage.change import Append
from rollview.storage.vector import Position
from rollview.storage.view_store import Watermark
from tests.behaviours.stores import ON_SPARK, StoreUnderTest

pytestmark = pytest.mark.spark

FEW, MANY = 16, 20


def at(version: int) -> dict[str, Position]:
    return {"s0": Position("orders", str(version), "id")}


@pytest.fixture(params=ON_SPARK)
def store(spark: SparkSession, request: pytest.FixtureRequest, tmp_path: Path) -> StoreUnderTest:
    made = ON_SPARK[request.param](spark, tmp_path)
    made.again().backing.create()
    return made


def appended(store: StoreUnderTest, refreshes: int) -> list[Watermark]:
    """So many appends of one row each, every one a file."""
    opened = store.again()
    return [
        opened.commit(Append(store.rows([(number, "v")])), number, at(number))
        for number in range(refreshes)
    ]


def rows(store: StoreUnderTest, version: str | None = None) -> list[tuple[object, ...]]:
    return store.content(store.again().backing.read(version))


def live_files(store: StoreUnderTest) -> set[str]:
    assert store.live_files is not None
    return store.live_files()


def test_many_appends_are_compacted(store: StoreUnderTest) -> None:
    first, *_, last = appended(store, MANY)
    before, version = rows(store), store.again().backing.current()
    assert len(live_files(store)) == MANY
    store.again().backing.clean()
    assert len(live_files(store)) == 1
    assert rows(store) == before
    assert store.again().watermark() == last

    after = store.again().backing.current()
    assert after != version
    assert store.seen is not None
    seen = store.seen()
    assert seen.obstacle(version, after, ["k", "v"]) is None
    assert seen.changes(version, after, ["k", "v"]).collect() == []
    since = seen.changes(first.version, after, ["k"]).collect()
    assert sorted(tuple(row) for row in since) == [(number, 1) for number in range(1, MANY)]

    following = store.again().commit(Append(store.rows([(99, None)])), MANY, at(99))
    assert store.again().watermark() == following
    assert following.rows == MANY + 1
    found = seen.changes(last.version, following.version, ["k"]).collect()
    assert [tuple(row) for row in found] == [(99, 1)]


def test_a_few_files_stay_as_they_are(store: StoreUnderTest) -> None:
    appended(store, FEW)
    before = live_files(store)
    assert len(before) == FEW
    store.again().backing.clean()
    assert live_files(store) == before


def test_the_newest_refresh_is_read_after_its_own_files_are_gone(store: StoreUnderTest) -> None:
    """Who reads a lower view asks for the version of its last refresh, however old that is."""
    *_, before, last = appended(store, 2)
    expected = rows(store)
    store.compact()
    store.vacuum()
    assert rows(store, last.version) == expected
    following = store.again().commit(store.all([(7, "x")]), 2, at(7))
    assert rows(store, following.version) == [(7, "x")]
    assert rows(store, last.version) == expected
    assert before.version != last.version
