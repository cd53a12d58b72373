"""A crash after every durable write of docs/commit-protocol.md, and what is found afterwards."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest
from pyspark.sql import SparkSession

import rollview
from rollview import Session
from rollview.errors import Interrupted, LakeBusy, RollviewError
from rollview.runtime import recovery
from rollview.runtime.report import Mode, RefreshReport
from rollview.storage import faults
from rollview.storage.faults import Crash
from rollview.testing import assert_same_rows, assert_view_matches_recompute
from tests.integration.conftest import (
    bury_claims,
    control,
    in_every_store,
    leftovers,
    tables_in_catalog,
)

pytestmark = pytest.mark.spark

COUNT = "SELECT count(*) AS n FROM orders"


def folders(db: Session) -> list[str]:
    return sorted(path.name for path in (control(db) / "views").glob("*"))


@in_every_store
@pytest.mark.parametrize(
    ("point", "exists"),
    [
        ("create.claimed", False),
        ("create.backing", False),
        ("commit.candidate", False),
        ("commit.committed", False),
        ("commit.published", False),
        ("create.defined", True),
        ("create.public", True),
        ("create.unclaimed", True),
    ],
)
def test_crash_during_create(db: Session, own: SparkSession, point: str, exists: bool) -> None:
    with faults.planned(point), pytest.raises(Crash):
        db.create_view("counted", COUNT)
    bury_claims(db)
    again = rollview.connect(own)
    assert [view.name for view in again.views()] == (["counted"] if exists else [])
    if not exists:
        assert not own.catalog.tableExists("counted")
        again.create_view("counted", COUNT)
        assert tables_in_catalog(own) == []  # it is in Delta now, and the other is gone
    assert again.refresh("counted").mode is Mode.NOOP
    assert_same_rows(own.table("counted"), [(3,)])
    assert len(folders(again)) == 1
    assert not list((control(again) / "claims").glob("*"))


@in_every_store
@pytest.mark.parametrize("point", ["commit.candidate", "commit.committed", "commit.published"])
def test_crash_during_refresh(db: Session, own: SparkSession, point: str) -> None:
    db.create_view("counted", COUNT)
    own.sql("INSERT INTO orders VALUES (4, 'c', 1)")
    with faults.planned(point), pytest.raises(Crash):
        db.refresh("counted")
    again = rollview.connect(own)
    done = point != "commit.candidate"
    assert_same_rows(own.table("counted"), [(4,)] if done else [(3,)])
    report = again.refresh("counted")
    assert report.mode is (Mode.NOOP if done else Mode.INCREMENTAL)
    assert report.number == 2
    assert_same_rows(own.table("counted"), [(4,)])
    assert_view_matches_recompute(again, "counted")


def test_crash_after_a_dependency_changed(db: Session, own: SparkSession) -> None:
    own.sql("CREATE VIEW big AS SELECT * FROM orders WHERE amount >= 20")
    db.create_view("counted", "SELECT count(*) AS n FROM big")
    own.sql("CREATE OR REPLACE VIEW big AS SELECT * FROM orders WHERE amount >= 30")
    with faults.planned("commit.published"), pytest.raises(Crash):
        db.refresh("counted")
    again = rollview.connect(own)
    assert_same_rows(own.table("counted"), [(1,)])
    assert again.refresh("counted").mode is Mode.FULL
    assert again.refresh("counted").mode is Mode.NOOP
    assert_view_matches_recompute(again, "counted")


@in_every_store
@pytest.mark.parametrize("point", ["replace.defined", "replace.public", "replace.retired"])
def test_crash_during_replace(db: Session, own: SparkSession, point: str) -> None:
    db.create_view("counted", COUNT)
    with faults.planned(point), pytest.raises(Crash):
        db.create_view("counted", "SELECT max(id) AS m FROM orders", replace=True)
    if point == "replace.defined":
        assert own.table("counted").columns == ["n"]
    bury_claims(db)
    again = rollview.connect(own)
    assert own.table("counted").columns == ["m"]
    assert again.refresh("counted").mode is Mode.NOOP
    assert len(folders(again)) == (2 if point == "replace.retired" else 1)


@in_every_store
@pytest.mark.parametrize("point", ["drop.public", "drop.undefined"])
def test_crash_during_drop(db: Session, own: SparkSession, point: str) -> None:
    db.create_view("counted", COUNT)
    with faults.planned(point), pytest.raises(Crash):
        db.drop_view("counted")
    again = rollview.connect(own)
    if point == "drop.public":
        assert_same_rows(own.table("counted"), [(3,)])
        again.drop_view("counted")
    else:
        assert again.views() == []
        recovery.tidy(again._lake, again._catalog)
    assert leftovers(again) == []
    assert tables_in_catalog(own) == []
    assert not own.catalog.tableExists("counted")


@in_every_store
@pytest.mark.parametrize("point", ["create.backing", "commit.published", "create.public"])
def test_failed_create_leaves_nothing(db: Session, own: SparkSession, point: str) -> None:
    def fail() -> None:
        raise RollviewError(f"failed at {point}")

    with faults.planned(point, fail), pytest.raises(RollviewError, match=f"failed at {point}"):
        db.create_view("counted", COUNT)
    assert db.views() == []
    assert leftovers(db) == []
    assert tables_in_catalog(own) == []
    assert not own.catalog.tableExists("counted")


def test_a_retired_backing_goes_after_its_grace(
    db: Session, own: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    db.create_view("counted", COUNT)
    db.create_view("counted", "SELECT max(id) AS m FROM orders", replace=True)
    db.refresh()
    assert len(folders(db)) == 2
    monkeypatch.setattr(recovery, "GRACE", recovery.GRACE * 0)
    db.refresh()
    assert len(folders(db)) == 1
    assert not list((control(db) / "retired").glob("*"))


def test_a_view_that_another_process_is_building_is_left_alone(
    db: Session, own: SparkSession
) -> None:
    with faults.planned("commit.committed"), pytest.raises(Crash):
        db.create_view("counted", COUNT)
    db.refresh()  # the claim names this very process, which lives
    assert len(folders(db)) == 1


def test_two_refreshers_at_once(db: Session, own: SparkSession) -> None:
    db.create_view("counted", COUNT)
    own.sql("INSERT INTO orders VALUES (4, 'c', 1)")
    reports: list[RefreshReport] = []
    sessions = [db, rollview.connect(own)]
    threads = [
        threading.Thread(target=lambda s=s: reports.append(s.refresh("counted"))) for s in sessions
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(report.mode for report in reports) == [Mode.INCREMENTAL, Mode.NOOP]
    assert {report.number for report in reports} == {2}


def test_without_the_lock_the_loser_looks_again(db: Session, own: SparkSession) -> None:
    db.create_view("counted", COUNT)
    own.sql("INSERT INTO orders VALUES (4, 'c', 1)")
    other = rollview.connect(own)
    db._lake.files.local = False  # as on a file system without locks
    other._lake.files.local = False
    done: list[RefreshReport] = []

    def overtake() -> None:
        if not done:
            done.append(RefreshReport("", Mode.NOOP))
            own.sql("INSERT INTO orders VALUES (5, 'd', 2)")
            done[0] = other.refresh("counted")

    with faults.planned("commit.candidate", overtake):
        report = db.refresh("counted")
    assert done[0].mode is Mode.INCREMENTAL
    assert (report.mode, report.number) == (Mode.NOOP, 2)
    assert_same_rows(own.table("counted"), [(5,)])  # not back to the versions pinned before
    assert_view_matches_recompute(db, "counted")


def test_a_lock_that_cannot_be_had(db: Session, own: SparkSession) -> None:
    view = db.create_view("counted", COUNT)
    other = rollview.connect(own)
    other._lake.lock_seconds = 0.1
    with (
        db._lake.locked(view.stored.view_id, "refresh counted"),
        pytest.raises(LakeBusy, match=r"cannot refresh counted: after 0.1 s the lock"),
    ):
        other.refresh("counted")


def test_interrupted_refresh_keeps_the_old_contents(db: Session, own: SparkSession) -> None:
    own.sql("CREATE TABLE slow USING delta AS SELECT 0 AS ms")
    query = "SELECT reflect('java.lang.Thread', 'sleep', bigint(ms)) IS NULL AS woke, ms FROM slow"
    db.create_view("sleepy", query)
    own.sql("INSERT INTO slow VALUES (60000)")
    timer = threading.Timer(3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    started = time.monotonic()
    with pytest.raises(Interrupted, match="refresh sleepy; the view keeps its old contents"):
        db.refresh("sleepy")
    assert time.monotonic() - started < 30
    assert_same_rows(db.read("sleepy").select("ms"), [(0,)])
    last = db.history("sleepy", limit=1)[0]
    assert last.mode is Mode.FAILED
    assert last.error is not None
    assert last.error["code"] == "REFRESH.INTERRUPTED"
