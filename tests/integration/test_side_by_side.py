"""Views that do not read each other are refreshed at the same time."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.util import InheritableThread

from rollview import Session
from rollview.errors import Interrupted
from rollview.runtime.report import Mode
from rollview.runtime.side_by_side import SideBySide
from rollview.runtime.source_changes import Read, SourceChanges

pytestmark = pytest.mark.spark


def test_every_view_after_what_it_reads(db: Session, own: SparkSession) -> None:
    for number in range(4):
        query = f"SELECT customer, sum(amount + {number}) AS s FROM orders GROUP BY customer"
        db.create_view(f"sums_{number}", query, policy="incremental")
    db.create_view("tops", "SELECT max(s) AS m FROM sums_0", policy="incremental")
    db.create_view("broken", "SELECT 10 DIV (id - 99) AS q FROM orders", policy="incremental")
    own.sql("INSERT INTO orders VALUES (99, 'a', 7), (100, 'z', 1)")
    told: list[tuple[str, str]] = []
    reports = db.refresh(progress=lambda event, view, _: told.append((event, view)))
    assert isinstance(reports, list)
    modes = {report.view: report.mode for report in reports}
    assert modes.pop("broken") is Mode.FAILED
    assert set(modes.values()) == {Mode.INCREMENTAL}
    assert all(db.verify(name).correct for name in modes)
    assert all(r.seconds["share"] <= r.seconds["total"] + 0.5 for r in reports if r.error is None)
    assert told.index(("done", "sums_0")) < told.index(("start", "tops"))


def test_changes_are_read_once_for_all_views_of_a_run(
    db: Session, own: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the views do not use the same columns."""
    queries = {
        "all_of_it": "SELECT * FROM orders",
        "sums": "SELECT customer, sum(amount) AS s FROM orders GROUP BY customer",
        "ids": "SELECT id FROM orders WHERE amount > 15",
        "customers": "SELECT DISTINCT customer FROM orders",
    }
    for name, query in queries.items():
        db.create_view(name, query, policy="strict")
    read: list[int] = []
    now = SourceChanges._now

    def spied(changes: SourceChanges, net: DataFrame, columns: Sequence[str]) -> Read:
        found = now(changes, net, columns)
        read.append(found.rows)
        return found

    monkeypatch.setattr(SourceChanges, "_now", spied)
    own.sql("INSERT INTO orders VALUES (4, 'c', 40), (4, 'c', 40)")
    reports = db.refresh()
    assert isinstance(reports, list)
    assert [report.mode for report in reports] == [Mode.INCREMENTAL] * 4
    assert read == [2]
    assert all(db.verify(name).correct for name in queries)
    own.sql("DELETE FROM orders WHERE id = 4")
    db.refresh()
    assert read == [2, 2]  # what another run has read is not taken for what is new
    assert all(db.verify(name).correct for name in queries)


def test_a_chain_and_its_neighbours(spark: SparkSession) -> None:
    graph = {"a": [], "b": ["a"], "c": ["b"], "d": [], "e": []}
    running: set[str] = set()
    together = 0
    finished: list[str] = []
    lock = threading.Lock()

    def work(key: str, _: threading.Event) -> str:
        nonlocal together
        with lock:
            assert set(graph[key]) <= set(finished)
            running.add(key)
            together = max(together, len(running))
        time.sleep(0.1)
        with lock:
            running.remove(key)
        return key.upper()

    with SideBySide(spark, work, 2) as at_work:
        for piece in at_work.each(graph):
            assert piece.result == piece.key.upper()
            finished.append(piece.key)
    assert sorted(finished) == sorted(graph)
    assert together == 2


def test_what_has_begun_is_waited_for(spark: SparkSession) -> None:
    ended: list[str] = []

    def work(key: str, _: threading.Event) -> None:
        if key == "bad":
            raise ValueError(key)
        time.sleep(0.3)
        ended.append(key)

    with pytest.raises(ValueError, match="bad"), SideBySide(spark, work, 2) as at_work:
        list(at_work.each({"slow": [], "bad": [], "never": ["bad"]}))
    assert ended == ["slow"]


def test_a_thread_that_cannot_begin(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("no thread")

    for method in ("start", "run"):
        with monkeypatch.context() as patched:
            patched.setattr(InheritableThread, method, broken)
            with (
                pytest.raises(RuntimeError, match="no thread"),
                SideBySide(spark, lambda key, _: key, 2) as at_work,
            ):
                list(at_work.each({"a": [], "b": []}))


def test_who_is_interrupted_has_the_work_stopped(spark: SparkSession) -> None:
    def work(key: str, give_up: threading.Event) -> None:
        if key == "patient":
            assert give_up.wait(10)
            raise Interrupted("interrupted during: patient")

    def interrupted() -> None:
        with SideBySide(spark, work, 2) as at_work:
            for _ in at_work.each({"patient": [], "quick": []}):
                raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="patient"):
        interrupted()
