"""Views in the lake: what people do with them, from creation to drop."""

from __future__ import annotations

import pytest
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

import rollview
from rollview import Session
from rollview.errors import (
    BadOption,
    DependencyCycle,
    NonDeterministic,
    UnknownView,
    ViewInUse,
)
from rollview.runtime.report import Mode, RefreshReport
from rollview.testing import assert_same_rows, assert_view_matches_recompute
from tests.integration.conftest import control, leftovers

pytestmark = pytest.mark.spark

TOTALS = "SELECT customer, sum(amount) AS total FROM orders GROUP BY customer"


def one(report: RefreshReport | list[RefreshReport]) -> RefreshReport:
    assert isinstance(report, RefreshReport)
    return report


def many(reports: RefreshReport | list[RefreshReport]) -> dict[str, RefreshReport]:
    assert isinstance(reports, list)
    return {report.view: report for report in reports}


def settings_of(spark: SparkSession) -> dict[str, str]:
    """All settings, without the one in which Delta notes the user's own last commit."""
    return {k: v for k, v in spark.conf.getAll.items() if "lastCommitVersion" not in k}


def jobs_started(spark: SparkSession) -> int:
    jobs = spark.sparkContext._jsc.sc().statusStore().jobsList(None)
    return int(jobs.size())


def test_the_life_of_a_view(db: Session, own: SparkSession) -> None:
    settings = settings_of(own)
    view = db.create_view("totals", TOTALS)
    assert (view.name, view.policy, view.columns) == (
        "totals",
        "auto",
        ["customer STRING", "total BIGINT"],
    )
    assert_same_rows(own.table("totals"), [("a", 40), ("b", 20)])

    before = jobs_started(own)
    noop = one(db.refresh("totals"))
    assert (noop.mode, noop.jobs, noop.number, noop.rows) == (Mode.NOOP, 0, 1, 2)
    assert db.status()[0].fresh
    assert jobs_started(own) == before

    own.sql("INSERT INTO orders VALUES (4, 'c', 1), (5, 'a', 2)")
    own.sql("DELETE FROM orders WHERE id = 2")
    stale = db.status("totals")[0]
    name = f"spark_catalog.{own.catalog.currentDatabase()}.orders"
    assert (stale.fresh, stale.reflects, stale.current) == (False, {name: "0"}, {name: "2"})
    report = view.refresh()
    assert (report.mode, report.rows, report.number) == (Mode.INCREMENTAL, 2, 2)
    assert (report.from_versions, report.to_versions) == ({name: "0"}, {name: "2"})
    assert report.reason == f"{name} went from 0 to 2"
    assert report.jobs > 0
    assert report.bytes_read > 0
    assert report.seconds["total"] > 0
    assert_same_rows(db.read("TOTALS"), [("a", 42), ("c", 1)])
    assert_view_matches_recompute(db, "totals")

    assert [r.mode for r in db.history("totals")] == [Mode.INCREMENTAL, Mode.NOOP, Mode.FULL]
    assert db.history(limit=1) == [report]
    info = db.views()[0]
    assert (info.name, info.query, info.store, info.sources) == ("totals", TOTALS, "delta", [name])
    assert settings_of(own) == settings

    view.drop()
    assert leftovers(db) == []
    assert not own.catalog.tableExists("totals")
    assert db.views() == []


def test_a_view_from_a_dataframe_with_odd_column_names(db: Session, own: SparkSession) -> None:
    frame = own.table("orders").where("amount > 10").select("id", F.col("amount").alias("a b,c"))
    db.create_view("Big_Orders", frame)
    own.sql("INSERT INTO orders VALUES (4, 'c', 100)")
    assert one(db.refresh("big_orders")).mode is Mode.INCREMENTAL
    found = own.table("Big_orders")
    assert found.columns == ["id", "a b,c"]
    assert_same_rows(found, [(2, 20), (3, 30), (4, 100)])
    assert_view_matches_recompute(rollview.connect(own), "Big_Orders")


def test_views_on_views_are_refreshed_at_one_vector(db: Session, own: SparkSession) -> None:
    db.create_view("totals", TOTALS)
    db.create_view("best", "SELECT max(total) AS best FROM totals")
    db.create_view("lost", "SELECT o.id FROM orders o JOIN best b ON o.amount > b.best")
    name = f"spark_catalog.{own.catalog.currentDatabase()}.orders"
    own.sql("INSERT INTO orders VALUES (4, 'b', 100)")

    reports = many(db.refresh())
    assert list(reports) == ["totals", "best", "lost"]
    assert [r.mode.value for r in reports.values()] == ["incremental", "incremental", "partial"]
    assert {tuple(r.to_versions.items()) for r in reports.values()} == {((name, "1"),)}
    assert_same_rows(db.read("best"), [(120,)])
    assert all(r.mode is Mode.NOOP for r in many(db.refresh()).values())
    assert all(status.fresh for status in db.status())

    own.sql("INSERT INTO orders VALUES (5, 'z', 1000)")
    assert not any(status.fresh for status in db.status())
    assert one(db.refresh("best", cascade=False)).mode is Mode.NOOP
    assert_same_rows(db.read("best"), [(120,)])
    top = one(db.refresh("lost", cascade=False))
    assert top.to_versions == {name: "2, 1"}
    assert one(db.refresh("lost")).to_versions == {name: "2"}
    assert_same_rows(db.read("best"), [(1000,)])
    for view in ("totals", "best", "lost"):
        assert_view_matches_recompute(db, view)

    with pytest.raises(ViewInUse, match="totals cannot be dropped: best reads it"):
        db.drop_view("totals")
    with pytest.raises(DependencyCycle, match=r"totals -> best -> totals|best -> totals -> best"):
        db.create_view("totals", "SELECT best AS customer, 1L AS total FROM best", replace=True)
    db.create_view("totals", TOTALS + " HAVING sum(amount) < 500", replace=True)
    assert one(db.refresh("best")).reason == "totals was dropped and created anew"
    assert_same_rows(db.read("best"), [(120,)])


def test_replace(db: Session, own: SparkSession) -> None:
    first = db.create_view("totals", TOTALS)
    again = db.create_view("totals", TOTALS, replace=True)
    assert again.stored.view_id == first.stored.view_id
    assert len(db.history("totals")) == 1
    kept = db.create_view("totals", "SELECT 1 AS other", if_not_exists=True)
    assert kept.stored.view_id == first.stored.view_id

    old = own.table("totals")
    new = db.create_view("Totals", "SELECT count(*) AS n FROM orders", replace=True)
    assert new.stored.view_id != first.stored.view_id
    assert_same_rows(own.table("totals"), [(3,)])
    assert_same_rows(old, [("a", 40), ("b", 20)])
    assert [info.name for info in db.views()] == ["Totals"]
    assert (control(db) / "retired" / f"{first.stored.view_id}.json").exists()


def test_only_the_layout_of_a_source_changed(db: Session, own: SparkSession) -> None:
    own.sql("INSERT INTO orders VALUES (4, 'c', 1)")
    db.create_view("totals", TOTALS)
    own.sql("OPTIMIZE orders")
    assert own.sql("DESCRIBE HISTORY orders").first()["version"] == 2
    assert one(db.refresh("totals")).mode is Mode.NOOP
    assert db.status("totals")[0].fresh


def test_chance_and_the_clock(db: Session, own: SparkSession) -> None:
    query = "SELECT id, rand() AS luck FROM orders"
    with pytest.raises(NonDeterministic) as refused:
        db.create_view("lucky", query, policy="strict")
    assert "lucky cannot be maintained under policy strict: rand(" in str(refused.value)
    db.create_view("lucky", query)
    before = sorted(db.read("lucky").collect())
    assert one(db.refresh("lucky")).mode is Mode.FULL
    assert sorted(db.read("lucky").collect()) != before
    checked = db.verify("lucky")
    assert checked.correct
    assert checked.note is not None
    assert "may give another result each time" in checked.note


def test_verify_shows_what_is_wrong(db: Session, own: SparkSession) -> None:
    view = db.create_view("totals", TOTALS)
    data = control(db) / "views" / view.stored.view_id / "data"
    own.sql(f"UPDATE delta.`{data}` SET c1 = 41 WHERE c0 = 'a'")
    own.sql("INSERT INTO orders VALUES (9, 'z', 9)")
    found = db.verify("totals")
    assert (found.correct, found.rows, found.missing, found.unexpected) == (False, 2, 1, 1)
    assert found.missing_sample == [{"customer": "a", "total": "40"}]
    assert found.unexpected_sample == [{"customer": "a", "total": "41"}]
    db.refresh("totals", full=True)
    assert_view_matches_recompute(db, "totals")


def test_unversioned_sources(db: Session, own: SparkSession) -> None:
    own.sql("CREATE TABLE logs USING parquet AS SELECT 1 AS k, 'x' AS v")
    own.sql("CREATE TABLE notes (k INT, v STRING) USING csv")
    own.sql("INSERT INTO notes VALUES (1, 'y')")
    db.create_view("both", "SELECT l.v AS a, n.v AS b FROM logs l JOIN notes n USING (k)")
    noop = one(db.refresh("both"))
    assert (noop.mode, noop.jobs) == (Mode.NOOP, 0)
    own.sql("INSERT INTO notes VALUES (1, 'z')")
    with pytest.raises(rollview.RollviewError, match=r"the files of .*notes have changed"):
        db.verify("both")
    assert one(db.refresh("both")).mode is Mode.FULL
    assert_same_rows(own.table("both"), [("x", "y"), ("x", "z")])
    assert_view_matches_recompute(db, "both")


def test_iceberg_sources(db: Session, own: SparkSession) -> None:
    table = f"iceberg.{own.catalog.currentDatabase()}.events"
    own.sql(f"CREATE TABLE {table} (k INT, v STRING) USING iceberg")
    db.create_view("events", f"SELECT v, count(*) AS n FROM {table} GROUP BY v")
    assert_same_rows(db.read("events"), [])
    own.sql(f"INSERT INTO {table} VALUES (1, 'x'), (2, 'x')")
    assert_view_matches_recompute(db, "events")
    assert one(db.refresh("events")).mode is Mode.INCREMENTAL
    noop = one(db.refresh("events"))
    assert (noop.mode, noop.jobs) == (Mode.NOOP, 0)
    own.sql(f"INSERT INTO {table} VALUES (3, 'y')")
    assert_same_rows(own.table("events"), [("x", 2)])
    assert_view_matches_recompute(db, "events")
    own.sql(f"DROP TABLE {table}")
    with pytest.raises(rollview.RollviewError, match="events does not exist any more"):
        db.refresh("events")


def test_statements(db: Session, own: SparkSession) -> None:
    db.sql(f"CREATE MATERIALIZED VIEW totals REFRESH POLICY FULL AS {TOTALS}")
    assert [info.name for info in db.sql("SHOW MATERIALIZED VIEWS")] == ["totals"]
    assert db.sql("DESCRIBE MATERIALIZED VIEW totals").policy == "full"
    db.sql("INSERT INTO orders VALUES (4, 'b', 5)")
    assert db.sql("REFRESH MATERIALIZED VIEW totals").mode is Mode.FULL
    assert db.sql("SELECT total FROM totals WHERE customer = 'b'").collect() == [Row(total=25)]
    db.sql("DROP MATERIALIZED VIEW totals")
    db.sql("DROP MATERIALIZED VIEW IF EXISTS totals")
    explained = db.sql(f"EXPLAIN CREATE MATERIALIZED VIEW x REFRESH POLICY FULL AS {TOTALS}")
    assert explained.policy == "full"
    with pytest.raises(rollview.RollviewError, match=r"QUERY\.EVALUATION") as failed:
        db.sql("UPDATE orders SET amount = 1 / 0")
    assert "\n" not in failed.value.message


def test_options_and_names_that_do_not_exist(db: Session) -> None:
    db.create_view("totals", "SELECT 1 AS one")
    for options, message in [
        ({"policy": "sometimes"}, "there is no policy 'sometimes'"),
        ({"strategy": "magic"}, "there is no strategy 'magic'"),
        ({"form": "post"}, "the strategy auto has no option form"),
        ({"store": "floppy"}, "there is no view store 'floppy'"),
        ({"replace": True, "if_not_exists": True}, "cannot both be asked for"),
    ]:
        with pytest.raises(BadOption, match=message):
            db.create_view("x", "SELECT 1 AS one", **options)  # type: ignore[arg-type]
    with pytest.raises(BadOption, match="only to the newest versions"):
        db.refresh("totals", to="yesterday")
    with pytest.raises(UnknownView, match=r"no materialized view total\n.*did you mean: totals"):
        db.refresh("total")
