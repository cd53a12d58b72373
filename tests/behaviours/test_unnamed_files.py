"""What a crash leaves in a backing table, files that no commit names, goes in time."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.behaviours.stores import StoreUnderTest, delta_store

pytestmark = pytest.mark.spark

EIGHT_DAYS = 8 * 24 * 3600
ROWS = [(1, "a"), (2, None)]


@pytest.fixture
def store(spark: SparkSession, tmp_path: Path) -> StoreUnderTest:
    made = delta_store(spark, tmp_path)
    made.again().backing.create()
    return made


def left_by_a_crash(store: StoreUnderTest, name: str, age: int) -> Path:
    """A whole file of rows that was never committed, so long ago."""
    data = store.folder / "data"
    stray = data / f"part-00000-{name}-c000.snappy.parquet"
    shutil.copy(next(data.glob("part-*")), stray)
    then = time.time() - age
    os.utime(stray, (then, then))
    return stray


def test_they_go_after_the_retention_time_and_not_before(store: StoreUnderTest) -> None:
    committed = store.again().commit(store.all(ROWS), 0, {})
    named = set((store.folder / "data").glob("part-*"))
    old = left_by_a_crash(store, "old", EIGHT_DAYS)
    young = left_by_a_crash(store, "young", 60)
    assert store.content(store.again().backing.read()) == ROWS
    store.again().backing.clean()
    assert not old.exists()
    assert young.exists()  # somebody may be about to commit it
    assert named <= set((store.folder / "data").glob("part-*"))
    assert store.again().watermark() == committed
    assert store.content(store.again().backing.read()) == ROWS
