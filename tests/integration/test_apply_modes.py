"""Every way to apply a change, through whole refreshes: append, merge, rewrite, or no file at all.

Views are so small here that no refresh would merge; so the sizes are moved.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from pyspark.sql import SparkSession

import rollview
from rollview import Session
from rollview.runtime.report import Mode, RefreshReport
from rollview.storage import change
from rollview.storage.delta_commits import Direct
from rollview.testing import assert_same_rows
from tests.integration.conftest import control
from tests.integration.test_incremental import (
    CHANGES,
    VIEWS,
    assert_counts_are_true,
    contents,
    make_tables,
    ways_read,
)

pytestmark = pytest.mark.spark

WAYS = ("replace", "append", "advance", "merge", "rewrite")


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ways that commits have taken, in their order."""
    found: list[str] = []

    def spied(name: str) -> Any:
        method = getattr(Direct, name)

        def called(self: Direct, *args: Any, **more: Any) -> None:
            found.append(name)
            method(self, *args, **more)

        return called

    for name in WAYS:
        monkeypatch.setattr(Direct, name, spied(name))
    return found


def always(monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    """From here on whatever removes rows is applied in this way."""
    if way == "merge":
        monkeypatch.setattr(change, "_SMALL_VIEW", 0)
        monkeypatch.setattr(change, "_LARGE_SHARE", 1000.0)


def refresh(db: Session, name: str, **more: bool) -> RefreshReport:
    report = db.refresh(name, **more)
    assert isinstance(report, RefreshReport)
    return report


@pytest.fixture
def notes(own: SparkSession) -> Session:
    """A table of keys with a note each, which the view does not show."""
    own.sql("CREATE TABLE notes (k INT, note STRING) USING delta")
    own.sql("INSERT INTO notes VALUES (0, 'first')")
    return rollview.connect(own)


@pytest.mark.parametrize("copies", [1, 2, 3])
@pytest.mark.parametrize("way", ["merge", "rewrite"])
def test_copies_of_three_refreshes_are_deleted(
    notes: Session, taken: list[str], monkeypatch: pytest.MonkeyPatch, way: str, copies: int
) -> None:
    always(monkeypatch, way)
    notes.create_view("keys", "SELECT k FROM notes", policy="strict")
    for number in range(3):
        notes.sql(f"INSERT INTO notes VALUES (1, 'n{number}'), ({10 + number}, 'other')")
        report = refresh(notes, "keys")
        assert (report.rows_inserted, report.rows_updated, report.rows_deleted) == (2, 0, 0)
    assert taken == ["replace", "append", "append", "append"]
    names = ", ".join(f"'n{number}'" for number in range(copies))
    notes.sql(f"DELETE FROM notes WHERE note IN ({names})")
    report = refresh(notes, "keys")
    assert taken[4:] == [way]
    assert report.mode is Mode.INCREMENTAL
    assert (report.rows_inserted, report.rows_updated, report.rows_deleted) == (0, 0, copies)
    left = [(0,), (10,), (11,), (12,), *[(1,)] * (3 - copies)]
    assert_same_rows(notes.read("keys"), left)
    assert notes.verify("keys").correct
    notes.sql("INSERT INTO notes VALUES (1, 'again')")
    refresh(notes, "keys")
    assert_same_rows(notes.read("keys"), [*left, (1,)])


def test_a_merge_leaves_files_alone_that_it_does_not_concern(
    notes: Session, taken: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    always(monkeypatch, "merge")
    notes.create_view("all_notes", "SELECT * FROM notes", policy="strict")
    for number in range(1, 4):
        notes.sql(f"INSERT INTO notes VALUES ({number}, 'n{number}')")
        refresh(notes, "all_notes")
    before = set(notes.read("all_notes").inputFiles())
    notes.sql("UPDATE notes SET note = 'changed' WHERE k = 2")
    refresh(notes, "all_notes")
    after = set(notes.read("all_notes").inputFiles())
    assert taken[-1] == "merge"
    assert len(before) == 4
    assert len(before - after) == 1
    assert notes.verify("all_notes").correct


def test_a_change_that_shows_nowhere_writes_no_file(notes: Session, taken: list[str]) -> None:
    view = notes.create_view("keys", "SELECT k FROM notes", policy="strict")
    folder = control(notes) / "views" / view.stored.view_id / "data"
    before = sorted(folder.rglob("*.parquet"))
    notes.sql("UPDATE notes SET note = 'another'")
    report = refresh(notes, "keys")
    assert (report.mode, report.number, taken[-1]) == (Mode.INCREMENTAL, 2, "advance")
    assert (report.rows_inserted, report.rows_updated, report.rows_deleted) == (0, 0, 0)
    assert sorted(folder.rglob("*.parquet")) == before


def test_what_was_merged_is_read_from_the_feed_by_the_view_above(
    own: SparkSession, taken: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    own.sql("CREATE TABLE many USING delta AS SELECT id % 5000 AS k, id AS v FROM range(20000)")
    db = rollview.connect(own)
    db.create_view("lower", "SELECT k, sum(v) AS s FROM many GROUP BY k", policy="incremental")
    db.create_view("upper", "SELECT s % 7 AS r, count(*) AS n FROM lower GROUP BY s % 7")
    always(monkeypatch, "merge")
    for number in range(3):
        db.sql(f"UPDATE many SET v = v * 3 + 1 WHERE k = {number}")
        refresh(db, "lower")
    assert taken[-3:] == ["merge"] * 3
    ways = ways_read(monkeypatch)
    report = refresh(db, "upper", cascade=False)
    assert ways == ["feed 0 3"]
    assert report.rows_changed == {"lower": 6}
    assert db.verify("lower").correct
    assert db.verify("upper").correct


def test_views_of_every_kind_are_merged_into(
    own: SparkSession, taken: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bags, outer joins, aggregates with state, and a view on a view."""
    make_tables(own)
    db = rollview.connect(own)
    names = ("bag", "both", "totals", "upper")
    for name in names:
        db.create_view(name, VIEWS[name], policy="incremental")
    always(monkeypatch, "merge")
    for statements in CHANGES[:5]:
        for statement in statements:
            db.sql(statement)
        before = {name: contents(db, name) for name in names}
        for report in db.refresh():
            assert report.mode in (Mode.INCREMENTAL, Mode.PARTIAL, Mode.NOOP), report.reason
            assert_counts_are_true(report, before[report.view], contents(db, report.view))
        for name in names:
            assert db.verify(name).correct, (name, statements)
    ways = Counter(taken)
    assert ways["merge"] >= len(names)
    assert not ways["rewrite"]
