"""Views in an Iceberg catalog, from the outside: where they are, who sees them, who cleans up."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import rollview
from rollview import Session
from rollview.errors import BadOption, BadQuery
from rollview.runtime import recovery
from rollview.runtime.report import Mode
from rollview.storage.iceberg_commits import CHANGE
from rollview.storage.iceberg_table import table_now
from rollview.testing import assert_same_rows, assert_view_matches_recompute
from tests.integration.conftest import (
    control,
    leftovers,
    make_orders,
    private_session,
    store_of,
    tables_in_catalog,
)
from tests.integration.test_housekeeping import VIEWS

pytestmark = pytest.mark.spark

COUNT = "SELECT customer, count(*) AS n FROM orders GROUP BY customer"


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    own = private_session(spark, tmp_path_factory.mktemp("iceberg_store"))
    make_orders(own)
    yield own
    own.sql(f"DROP SCHEMA {own.catalog.currentDatabase()} CASCADE")


def modes(db: Session) -> dict[str, Mode]:
    reports = db.refresh()
    assert isinstance(reports, list)
    assert [report.error for report in reports if report.error] == []
    return {report.view: report.mode for report in reports}


def table_of(db: Session, view: str) -> str:
    return f"{db._lake.store}.v_{db._catalog.get(view).view_id}"


def test_a_table_in_a_catalog_goes_with_its_view(lake: SparkSession) -> None:
    db = rollview.connect(lake, store=store_of(lake, "iceberg"))
    view_id = db.create_view("counted", COUNT).stored.view_id
    assert tables_in_catalog(lake) == [f"v_{view_id}"]
    noted = control(db) / "views" / view_id / "store.json"
    assert json.loads(noted.read_text()) == {"store": db._lake.store}
    assert {view.store for view in db.views()} == {db._lake.store}
    with pytest.raises(BadQuery, match="reads the stored rows of a view from where they lie"):
        db.create_view("around", f"SELECT * FROM {table_of(db, 'counted')}")
    db.drop_view("counted")
    assert tables_in_catalog(lake) == []
    assert leftovers(db) == []


def test_a_catalog_that_cannot_be_reached_is_asked_again(
    lake: SparkSession, caplog: pytest.LogCaptureFixture
) -> None:
    db = rollview.connect(lake, store=store_of(lake, "iceberg"))
    view_id = db.create_view("counted", COUNT).stored.view_id
    noted = control(db) / "views" / view_id / "store.json"
    right = noted.read_text()
    noted.write_text(json.dumps({"store": "gone_catalog.x"}))
    db.drop_view("counted")
    assert f"the rows of the view {view_id} cannot be removed" in caplog.text
    assert tables_in_catalog(lake) == [f"v_{view_id}"]
    noted.write_text(right)
    assert recovery.tidy(db._lake, db._catalog) == [view_id]
    assert tables_in_catalog(lake) == []


def test_stores_that_are_not_there(lake: SparkSession) -> None:
    db = rollview.connect(lake)
    for store in ("tape", "nowhere.x", "spark_catalog.x"):
        with pytest.raises(BadOption, match="there is no view store"):
            db.create_view("counted", COUNT, store=store)
    with pytest.raises(BadOption, match="does not name a catalog and a namespace"):
        db.create_view("counted", COUNT, store="a..b")
    assert leftovers(db) == []


def test_a_catalog_that_remembers_tables(lake: SparkSession, tmp_path: Path) -> None:
    """Everybody in this process sees new rows at once, by the public name, too."""
    for key, value in {
        "": "org.apache.iceberg.spark.SparkCatalog",
        ".type": "hadoop",
        ".warehouse": f"file:{tmp_path}/warehouse",
    }.items():
        lake.conf.set(f"spark.sql.catalog.mine{key}", value)
    db = rollview.connect(lake, store="mine.views.of_a_team")
    db.create_view("counted", COUNT, policy="incremental")
    assert (tmp_path / "warehouse" / "views" / "of_a_team").is_dir()
    assert lake.table("counted").count() == 2
    lake.sql("INSERT INTO orders VALUES (4, 'c', 1)")
    assert modes(db) == {"counted": Mode.INCREMENTAL}
    assert_same_rows(lake.table("counted"), [("a", 2), ("b", 1), ("c", 1)])
    assert_same_rows(db.read("counted"), [("a", 2), ("b", 1), ("c", 1)])
    assert_view_matches_recompute(db, "counted")
    lake.sql("DELETE FROM orders WHERE id = 4")
    db.refresh()
    assert_same_rows(lake.table("counted"), [("a", 2), ("b", 1)])
    db.drop_view("counted")


def test_stores_may_be_mixed_and_replaced(lake: SparkSession) -> None:
    db = rollview.connect(lake)
    inside = store_of(lake, "iceberg")
    db.create_view("lower", "SELECT customer, amount FROM orders", store=inside)
    upper = "SELECT customer, sum(amount) AS s FROM lower GROUP BY customer"
    db.create_view("upper", upper, policy="incremental")
    db.create_view("top", "SELECT max(s) AS m FROM upper", store=inside, policy="incremental")
    lake.sql("INSERT INTO orders VALUES (5, 'a', 1), (5, 'a', 1)")
    lake.sql("UPDATE orders SET amount = 21 WHERE id = 2")
    assert modes(db)["upper"] is Mode.INCREMENTAL
    table: Any = table_now(lake, f"{inside}.v_{db._catalog.get('lower').view_id}")
    assert CHANGE in table.currentSnapshot().summary()  # what upper was told
    db.create_view("top", "SELECT max(s) AS m FROM upper", replace=True)
    assert len(tables_in_catalog(lake)) == 2  # the old one has its time of grace
    lake.sql("DELETE FROM orders WHERE id = 5")
    modes(db)
    for name in ("lower", "upper", "top"):
        assert_view_matches_recompute(db, name)
    for name in ("top", "upper", "lower"):
        db.drop_view(name)


def test_views_outlive_compaction_and_expiry(spark: SparkSession, tmp_path: Path) -> None:
    """What people do to keep a lake small, with base tables and views that are all in Iceberg."""
    own = private_session(spark, tmp_path)
    schema = own.catalog.currentDatabase()
    own.sql(f"CREATE NAMESPACE iceberg.{schema}")
    named = {name: f"iceberg.{schema}.{name}" for name in ("orders", "shops")}
    own.sql(f"CREATE TABLE {named['orders']} (id INT, shop STRING, amount INT) USING iceberg")
    own.sql(f"CREATE TABLE {named['shops']} (code STRING, name STRING) USING iceberg")
    db = rollview.connect(own, store=f"iceberg.{schema}")

    def run(statement: str) -> None:
        own.sql(statement.format(**named))

    def keep_small() -> None:
        views = [table_of(db, view) for view in VIEWS]
        for table in (*named.values(), *views):
            options = "options => map('rewrite-all', 'true')"
            own.sql(f"CALL iceberg.system.rewrite_data_files(table => '{table}', {options})")
            own.sql(
                f"CALL iceberg.system.expire_snapshots(table => '{table}', retain_last => 1, "
                "older_than => TIMESTAMP '2100-01-01 00:00:00')"
            )

    run("INSERT INTO {orders} VALUES (1, 'a', 10), (2, 'a', 20), (3, 'b', 5), (4, NULL, 1)")
    run("INSERT INTO {shops} VALUES ('a', 'Alpha'), ('b', 'Beta'), ('c', 'Gamma')")
    for name, query in VIEWS.items():
        text = query.replace("FROM orders", f"FROM {named['orders']}")
        text = text.replace("JOIN shops", f"JOIN {named['shops']}")
        db.create_view(name, text, policy="incremental")
    everywhere = dict.fromkeys(VIEWS, Mode.INCREMENTAL)
    run("INSERT INTO {orders} VALUES (5, 'c', 7), (5, 'c', 7)")
    run("UPDATE {orders} SET amount = 11 WHERE id = 1")
    assert modes(db) == everywhere
    keep_small()
    assert modes(db) == dict.fromkeys(VIEWS, Mode.NOOP)
    run("INSERT INTO {shops} VALUES ('a', 'Again')")  # totals stays as it is, and is read
    still = {"totals": Mode.NOOP, "upper": Mode.NOOP}
    assert modes(db) == everywhere | still
    run("INSERT INTO {orders} VALUES (6, 'b', 3)")
    assert modes(db) == everywhere
    for name in VIEWS:
        assert_view_matches_recompute(db, name)

    run("DELETE FROM {orders} WHERE id = 2")
    run("INSERT INTO {shops} VALUES ('d', 'Delta')")
    keep_small()
    reports = db.refresh()
    assert isinstance(reports, list)
    lost = {report.view: report for report in reports}
    assert lost["totals"].mode is Mode.FULL
    assert "has been expired" in str(lost["totals"].reason)
    assert {report.error for report in reports} == {None}
    assert modes(db) == dict.fromkeys(VIEWS, Mode.NOOP)
    run("INSERT INTO {orders} VALUES (7, 'd', 3), (8, 'a', 2)")
    run("DELETE FROM {orders} WHERE id = 5")
    run("UPDATE {shops} SET name = 'Omega' WHERE code = 'd' OR code = 'b'")
    assert modes(db) == everywhere
    for name in VIEWS:
        assert_view_matches_recompute(db, name)
    own.sql(f"DROP SCHEMA {schema} CASCADE")
