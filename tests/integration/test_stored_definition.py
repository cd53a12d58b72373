"""A stored definition by itself: its settings, its algebra, and what judges it."""

from __future__ import annotations

import json

import pytest
from pyspark.sql import DataFrame, SparkSession

from rollview import Session
from rollview.errors import EvaluationFailed, RollviewError
from rollview.runtime import contents, create, refresh_view, verify
from rollview.runtime.compare import Difference
from rollview.runtime.report import Mode, RefreshReport
from rollview.testing import assert_same_rows, assert_view_matches_recompute
from tests.integration.conftest import control, leftovers

pytestmark = pytest.mark.spark


def mode_of(report: RefreshReport | list[RefreshReport]) -> Mode:
    assert isinstance(report, RefreshReport)
    return report.mode


def test_refresh_and_verify_run_under_the_stored_settings(db: Session, own: SparkSession) -> None:
    schema = own.catalog.currentDatabase()
    own.conf.set("spark.sql.session.timeZone", "UTC")
    own.sql("CREATE TABLE events (at TIMESTAMP, text STRING) USING delta")
    own.sql("INSERT INTO events VALUES (TIMESTAMP '2024-01-01 23:30:00', '1')")
    db.create_view("days", "SELECT to_date(at) AS day, CAST(text AS INT) AS n FROM events")
    own.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    own.conf.set("spark.sql.ansi.enabled", "false")
    own.sql("USE default")
    own.sql(f"INSERT INTO {schema}.events VALUES (TIMESTAMP '2024-01-03 08:30:00', '2')")
    assert mode_of(db.refresh("days")) is Mode.INCREMENTAL
    days = [(str(row.day), row.n) for row in db.read("days").collect()]
    assert sorted(days) == [("2024-01-01", 1), ("2024-01-02", 2)]
    assert db.verify("days").correct
    own.sql(f"INSERT INTO {schema}.events VALUES (current_timestamp(), 'x')")
    with pytest.raises(EvaluationFailed, match="CAST_INVALID_INPUT"):
        db.refresh("days")
    assert own.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"
    assert own.conf.get("spark.sql.ansi.enabled") == "false"
    assert own.catalog.currentDatabase() == "default"


def test_refresh_does_not_plan_the_definition_again(
    db: Session, own: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    db.create_view("totals", "SELECT customer, sum(amount) AS total FROM orders GROUP BY customer")

    def never(*_: object, **__: object) -> None:
        raise AssertionError("the definition was planned again")

    monkeypatch.setattr(refresh_view, "define", never)
    monkeypatch.setattr(contents, "original", never)
    own.sql("INSERT INTO orders VALUES (4, 'c', 1)")
    assert mode_of(db.refresh("totals")) is Mode.INCREMENTAL
    assert_same_rows(db.read("totals"), [("a", 40), ("b", 20), ("c", 1)])
    assert mode_of(db.refresh("totals", full=True)) is Mode.FULL
    assert_same_rows(db.read("totals"), [("a", 40), ("b", 20), ("c", 1)])


def test_verify_is_judged_by_the_original_not_by_the_algebra(
    db: Session, own: SparkSession
) -> None:
    db.create_view("dear", "SELECT id FROM orders WHERE amount > 15")
    path = next((control(db) / "definitions").glob("*.json"))
    text = path.read_text()
    assert text.count('"text": "15"') == 1
    path.write_text(text.replace('"text": "15"', '"text": "25"'))
    db.refresh("dear", full=True)
    assert_same_rows(db.read("dear"), [(3,)])
    found = db.verify("dear")
    assert not found.correct
    assert (found.missing, found.missing_sample) == (1, [{"id": "2"}])
    assert json.loads(path.read_text())["name"] == "dear"


def test_old_contents_are_read_until_the_new_are_committed(
    db: Session, own: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    db.create_view("v", "SELECT id FROM orders")
    seen: list[int] = []
    build = create._make_exist

    def probe(*args: object) -> None:
        seen.append(own.table("v").count())
        build(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(create, "_make_exist", probe)
    db.create_view("v", "SELECT id FROM orders WHERE id > 1", replace=True)
    assert seen == [3]
    assert_same_rows(own.table("v"), [(2,), (3,)])


def test_a_replacement_that_fails_leaves_the_old_view(db: Session, own: SparkSession) -> None:
    db.create_view("v", "SELECT id FROM orders")
    before = leftovers(db)
    with pytest.raises(EvaluationFailed, match="DIVIDE_BY_ZERO"):
        db.create_view("v", "SELECT id / (id - id) AS q FROM orders", replace=True)
    assert leftovers(db) == before
    assert_view_matches_recompute(db, "v")
    assert_same_rows(own.table("v"), [(1,), (2,), (3,)])


def test_a_time_travelled_source_stands_still(db: Session, own: SparkSession) -> None:
    db.create_view("then", "SELECT count(*) AS n FROM orders VERSION AS OF 0")
    own.sql("DELETE FROM orders")
    assert mode_of(db.refresh("then")) is Mode.NOOP
    assert_same_rows(db.read("then"), [(3,)])
    assert db.verify("then").correct


def test_base_table_renamed_and_back(db: Session, own: SparkSession) -> None:
    db.create_view("v", "SELECT id FROM orders")
    own.sql("ALTER TABLE orders RENAME TO moved")
    with pytest.raises(RollviewError, match="orders does not exist any more"):
        db.refresh("v")
    assert_same_rows(db.read("v"), [(1,), (2,), (3,)])
    own.sql("ALTER TABLE moved RENAME TO orders")
    own.sql("INSERT INTO orders VALUES (4, 'd', 4)")
    assert_view_matches_recompute(db, "v")


def test_used_column_dropped_or_renamed_under_column_mapping(
    db: Session, own: SparkSession
) -> None:
    own.sql(
        "CREATE TABLE mapped (id INT, a INT, b INT) USING delta "
        "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    )
    own.sql("INSERT INTO mapped VALUES (1, 10, 100)")
    db.create_view("v", "SELECT id, a FROM mapped")
    own.sql("ALTER TABLE mapped DROP COLUMN b")
    assert_view_matches_recompute(db, "v")
    own.sql("ALTER TABLE mapped RENAME COLUMN a TO c")
    with pytest.raises(RollviewError, match=r"the column a of .* is gone; it has: id, c"):
        db.refresh("v")
    assert_same_rows(db.read("v"), [(1, 10)])


def test_table_replaced_by_one_with_the_same_columns(db: Session, own: SparkSession) -> None:
    db.create_view("v", "SELECT id, amount FROM orders")
    own.sql(
        "CREATE OR REPLACE TABLE orders USING delta AS SELECT 7 AS id, 'x' AS customer, 8 AS amount"
    )
    db.refresh("v")
    assert_same_rows(db.read("v"), [(7, 8)])
    assert_view_matches_recompute(db, "v")


def test_the_thread_that_works_has_the_settings_and_the_callers_thread_keeps_its_own(
    db: Session, own: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts of Spark ask the active session of the thread, whatever session they were called on."""
    sessions = own._jvm.org.apache.spark.sql.classic.SparkSession
    sessions.setActiveSession(own._jsparkSession)
    own.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    db.create_view("ids", "SELECT id FROM orders")
    own.conf.set("spark.sql.session.timeZone", "UTC")
    seen: list[str] = []
    compare = verify.compare

    def spy(*frames: DataFrame) -> Difference:
        seen.append(sessions.getActiveSession().get().conf().get("spark.sql.session.timeZone"))
        return compare(*frames)

    monkeypatch.setattr(verify, "compare", spy)
    assert db.verify("ids").correct
    assert seen == ["Asia/Tokyo"]
    assert sessions.getActiveSession().get().conf().get("spark.sql.session.timeZone") == "UTC"


def test_a_column_that_may_be_null_by_now(db: Session, own: SparkSession) -> None:
    own.sql("CREATE TABLE marks (k INT NOT NULL, v INT) USING delta")
    own.sql("INSERT INTO marks VALUES (1, 1), (2, 2)")
    db.create_view("others", "SELECT id FROM orders WHERE id NOT IN (SELECT k FROM marks)")
    db.create_view("known", "SELECT count(k) AS n, count(*) AS m FROM marks")
    own.sql("ALTER TABLE marks ALTER COLUMN k DROP NOT NULL")
    own.sql("INSERT INTO marks VALUES (NULL, 3)")
    reports = db.refresh()
    assert isinstance(reports, list)
    for report in reports:
        assert report.mode is Mode.FULL
        assert "marks.k may be NULL now" in (report.reason or "")
        assert db.verify(report.view).correct
    assert_same_rows(db.read("others"), [])
    assert_same_rows(db.read("known"), [(2, 3)])
    own.sql("DELETE FROM marks WHERE k IS NULL OR k = 2")
    assert mode_of(db.refresh("known")) is Mode.INCREMENTAL
    db.refresh("others")
    assert_same_rows(db.read("others"), [(2,), (3,)])
    assert_same_rows(db.read("known"), [(1, 1)])
