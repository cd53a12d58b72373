"""Changes that cannot matter are left out by Spark, counted, and end a refresh before it begins."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

import rollview
from rollview import Session
from rollview.runtime import incremental
from rollview.runtime.report import Mode, RefreshReport
from rollview.testing import assert_view_matches_recompute

pytestmark = pytest.mark.spark

RECENT = (
    "SELECT o.id, c.name FROM orders o JOIN customers c ON o.customer = c.id "
    "WHERE o.day >= DATE'2024-01-01' AND o.amount < 100 AND c.id > 5"
)


@pytest.fixture
def shop(own: SparkSession) -> Session:
    own.sql(
        "CREATE TABLE orders (id INT, customer INT, amount DECIMAL(10,2), day DATE, at TIMESTAMP, "
        "note STRING) USING delta"
    )
    own.sql("CREATE TABLE customers (id INT, name STRING, vip BOOLEAN) USING delta")
    own.sql(
        "INSERT INTO orders VALUES (1, 6, 50, DATE'2024-01-02', TIMESTAMP'2024-01-02 10:00:00',"
        " 'x'), (2, 7, 150, DATE'2024-01-02', NULL, NULL),"
        " (3, NULL, 20, DATE'2023-01-02', NULL, 'y')"
    )
    own.sql("INSERT INTO customers VALUES (6, 'Ann', TRUE), (7, 'Ben', FALSE), (1, 'Cat', NULL)")
    return rollview.connect(own)


def refresh(shop: Session, view: str) -> RefreshReport:
    report = shop.refresh(view)
    assert isinstance(report, RefreshReport)
    assert report.mode is not Mode.FAILED, report.error
    assert_view_matches_recompute(shop, view)
    return report


def test_irrelevant_rows_are_counted_and_left_out(shop: Session) -> None:
    shop.create_view("recent", RECENT, policy="strict")
    shop.sql(
        "INSERT INTO orders VALUES (4, 6, 10, DATE'2024-02-01', NULL, NULL),"
        " (5, 3, 10, DATE'2024-02-01', NULL, NULL), (6, 6, 10, DATE'2023-12-31', NULL, NULL),"
        " (7, 6, 100, DATE'2024-02-01', NULL, NULL), (8, NULL, 10, DATE'2024-02-01', NULL, NULL),"
        " (9, 6, 99.99, DATE'2024-01-01', NULL, NULL)"
    )
    report = refresh(shop, "recent")
    assert report.mode is Mode.INCREMENTAL
    assert (sum(report.rows_changed.values()), report.rows_irrelevant) == (6, 4)
    assert report.rows_inserted == 2


def test_without_relevant_rows_no_program_is_made(
    shop: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.create_view("recent", RECENT, policy="strict")
    monkeypatch.setattr(incremental, "propagate", None)
    shop.sql("INSERT INTO orders VALUES (4, 2, 10, DATE'2020-02-01', NULL, NULL)")
    shop.sql("DELETE FROM customers WHERE id = 1")
    report = refresh(shop, "recent")
    assert (report.mode, report.rows_irrelevant) == (Mode.INCREMENTAL, 2)
    assert (report.rows_inserted, report.rows_updated, report.rows_deleted) == (0, 0, 0)
    assert refresh(shop, "recent").mode is Mode.NOOP


def test_an_update_of_other_columns_is_none(shop: Session) -> None:
    shop.create_view("recent", RECENT, policy="strict")
    shop.sql("UPDATE customers SET vip = NOT vip")
    report = refresh(shop, "recent")
    assert sum(report.rows_changed.values()) == 0
    assert (report.mode, report.rows_irrelevant) == (Mode.INCREMENTAL, 0)


def test_an_update_of_columns_of_another_view_is_none_to_this_one(
    shop: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.create_view("names", "SELECT id, name FROM customers", policy="strict")
    shop.create_view("vips", "SELECT id, vip FROM customers WHERE id > 0", policy="strict")
    shop.sql("INSERT INTO customers VALUES (9, 'Eve', TRUE), (9, 'Eve', TRUE)")
    shop.sql("UPDATE customers SET vip = FALSE WHERE id = 6")
    shop.sql("UPDATE customers SET vip = TRUE WHERE id = 7")
    reports = {report.view: report for report in shop.refresh()}
    for view in ("names", "vips"):
        assert_view_matches_recompute(shop, view)
        assert sum(reports[view].rows_changed.values()) == 6
    assert (reports["names"].rows_irrelevant, reports["names"].rows_inserted) == (4, 2)
    assert reports["vips"].rows_irrelevant == 0


def test_many_changes_that_do_not_matter_are_no_reason_to_recompute(shop: Session) -> None:
    shop.spark.conf.set("spark.databricks.delta.stats.collect", "true")
    shop.sql("CREATE TABLE many USING delta AS SELECT id, id % 7 AS k FROM range(5000)")
    shop.create_view("few", "SELECT k, count(*) AS n FROM many WHERE id >= 4990 GROUP BY k")
    shop.sql("UPDATE many SET k = k + 1 WHERE id < 4500")
    report = refresh(shop, "few")
    assert (report.mode, report.rows_irrelevant) == (Mode.INCREMENTAL, 9000)


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_sums_that_overflow(shop: Session, ansi: str) -> None:
    """Without ANSI mode they wrap around, and the row is in the view."""
    shop.spark.conf.set("spark.sql.ansi.enabled", ansi)
    shop.sql("CREATE TABLE numbers (a INT, b INT) USING delta")
    shop.sql("INSERT INTO numbers VALUES (1, 5)")
    shop.create_view("wrapped", "SELECT a, b FROM numbers WHERE b > a + 1", policy="incremental")
    shop.sql("INSERT INTO numbers VALUES (1, 2), (2147483646, 2147483647), (7, 9)")
    if ansi == "false":
        shop.sql("INSERT INTO numbers VALUES (2147483647, 0)")
    report = refresh(shop, "wrapped")
    assert report.rows_inserted == (2 if ansi == "false" else 1)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT o.id, c.name FROM orders o LEFT JOIN customers c ON o.customer = c.id AND c.id > 6",
        "SELECT o.id, c.name FROM orders o FULL JOIN customers c ON o.customer = c.id AND c.id > 6 "
        "WHERE o.amount < 100 OR c.vip",
        "SELECT id FROM orders WHERE amount < 100 AND customer NOT IN "
        "(SELECT id FROM customers WHERE vip)",
        "SELECT id FROM orders o WHERE EXISTS (SELECT 1 FROM customers c WHERE c.id = o.customer "
        "AND c.id > 6 AND o.day > DATE'2024-01-01')",
        "SELECT customer, count(*) AS n FROM orders WHERE at > TIMESTAMP'2024-01-02 09:59:59' "
        "AND note <> 'z' GROUP BY customer HAVING count(*) > 0",
        "SELECT * FROM (SELECT id, customer, rank() OVER (PARTITION BY customer ORDER BY amount) "
        "AS r FROM orders) WHERE customer > 5",
        "SELECT id FROM orders WHERE day = current_date() OR customer IN (1, 2, 3)",
    ],
)
def test_views_stay_right(shop: Session, query: str) -> None:
    shop.create_view("v", query, policy="incremental")
    for change in (
        "INSERT INTO orders VALUES (4, 6, 10, DATE'2024-02-01', TIMESTAMP'2024-02-01 00:00:00',"
        " 'q'), (5, 3, 200, DATE'2023-02-01', TIMESTAMP'2023-02-01 00:00:00', 'z'),"
        " (6, 7, 99, NULL, NULL, 'z')",
        "INSERT INTO customers VALUES (3, 'Dan', TRUE), (8, NULL, FALSE), (NULL, 'Nil', TRUE)",
        "UPDATE orders SET amount = amount + 60, customer = customer + 1 WHERE id IN (1, 4)",
        "DELETE FROM customers WHERE id IS NULL OR id < 4",
        "DELETE FROM orders WHERE amount > 90",
    ):
        shop.sql(change)
        report = refresh(shop, "v")
        assert report.mode in (Mode.INCREMENTAL, Mode.PARTIAL)
        assert report.rows_irrelevant is not None


def test_explain_tells_what_is_relevant_of_each_table(shop: Session) -> None:
    told = shop.explain(RECENT)
    scans = {one.text.split()[1]: one.relevant for one in told.operators if one.kind == "Scan"}
    assert scans.keys() == {"orders", "customers"}
    assert "DATE '2024-01-01'" in (scans["orders"] or "")
    assert ">= 6" in (scans["orders"] or "")
    assert ">= 6" in (scans["customers"] or "")
    assert f"where {scans['orders']}" in str(told)
    assert told.to_dict()["operators"]
