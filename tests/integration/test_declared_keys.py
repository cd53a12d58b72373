"""Declared keys on Delta: made use of, kept across sessions, checked, broken, trusted."""

from __future__ import annotations

import logging

import pytest
from pyspark.sql import SparkSession

import rollview
from rollview import Session
from rollview.errors import BadOption, KeyViolated
from rollview.runtime.report import Mode, RefreshReport
from rollview.testing import assert_view_matches_recompute

pytestmark = pytest.mark.spark

VIEWS = {
    "lines": "SELECT i.id, i.n, o.day FROM items i JOIN orders o ON i.order_id = o.id",
    "all_items": "SELECT i.id, o.day FROM items i LEFT JOIN orders o ON i.order_id = o.id",
    "days": "SELECT o.day, sum(i.n) AS n FROM items i JOIN orders o ON i.order_id = o.id "
    "GROUP BY o.day",
    "once": "SELECT DISTINCT id, order_id FROM items",
    "ordered": "SELECT id FROM items WHERE EXISTS (SELECT 1 FROM orders o WHERE o.id = order_id)",
}
KEPT = [
    ["INSERT INTO orders VALUES (4, 'd')", "INSERT INTO items VALUES (15, 4, 1), (16, 4, 2)"],
    ["DELETE FROM items WHERE order_id = 1", "DELETE FROM orders WHERE id = 1"],
    ["UPDATE orders SET day = 'e' WHERE id = 2", "UPDATE items SET n = n + 1 WHERE id = 12"],
    ["INSERT INTO items VALUES (17, NULL, 9)", "UPDATE items SET order_id = 3 WHERE id = 15"],
]


@pytest.fixture
def shop(own: SparkSession) -> Session:
    own.sql(
        "CREATE TABLE orders USING delta AS SELECT * FROM VALUES (1, 'a'), (2, 'b'), (3, 'b') "
        "AS t(id, day)"
    )
    own.sql(
        "CREATE TABLE items USING delta AS SELECT * FROM VALUES (11, 1, 5), (12, 2, 6), "
        "(13, 2, 7), (14, CAST(NULL AS INT), 8) AS t(id, order_id, n)"
    )
    return rollview.connect(own)


def declare(db: Session, *, rely: bool = False) -> None:
    db.declare_key("items", ["id"], rely=rely)
    db.declare_foreign_key("items", ["order_id"], "orders", ["id"], rely=rely)


def refreshed(db: Session, name: str) -> RefreshReport:
    report = db.refresh(name)
    assert isinstance(report, RefreshReport)
    assert_view_matches_recompute(db, name)
    return report


@pytest.mark.parametrize("rely", [False, True])
@pytest.mark.parametrize("name", VIEWS)
def test_views_are_right_after_changes_that_keep_them(shop: Session, name: str, rely: bool) -> None:
    declare(shop, rely=rely)
    shop.create_view(name, VIEWS[name])
    assert shop.explain(name).relies
    for statements in KEPT:
        for statement in statements:
            shop.spark.sql(statement)
        assert refreshed(shop, name).mode is Mode.INCREMENTAL


def test_what_is_declared_after_the_view_is_made_use_of_later(shop: Session) -> None:
    shop.create_view("lines", VIEWS["lines"])
    declare(shop)
    for statements in KEPT:
        for statement in statements:
            shop.spark.sql(statement)
        assert refreshed(shop, "lines").mode is Mode.INCREMENTAL


BROKEN = {
    "a child without a parent": ["INSERT INTO items VALUES (18, 99, 1)"],
    "a parent that leaves children": ["DELETE FROM orders WHERE id = 2"],
    "two parents with one key": ["INSERT INTO orders VALUES (2, 'z')"],
}


@pytest.mark.parametrize("change", BROKEN)
@pytest.mark.parametrize("name", ["lines", "all_items", "days", "ordered"])
def test_a_broken_foreign_key_is_said_and_the_view_is_right(
    shop: Session, name: str, change: str, caplog: pytest.LogCaptureFixture
) -> None:
    declare(shop)
    shop.create_view(name, VIEWS[name])
    for statement in BROKEN[change]:
        shop.spark.sql(statement)
    with caplog.at_level(logging.WARNING, "rollview"):
        report = refreshed(shop, name)
    assert report.mode is Mode.FULL
    assert "was declared and does not hold" in (report.reason or "")
    assert "does not hold" in caplog.text
    shop.spark.sql("INSERT INTO orders VALUES (99, 'late'), (7, 'x')")
    shop.spark.sql("DELETE FROM orders WHERE id = 3")
    assert refreshed(shop, name).mode is Mode.INCREMENTAL


def test_a_repeated_row_brings_back_the_counts(shop: Session) -> None:
    declare(shop)
    shop.create_view("once", VIEWS["once"])
    shop.spark.sql("INSERT INTO items VALUES (11, 1, 5)")
    assert refreshed(shop, "once").mode is Mode.FULL
    shop.spark.sql("DELETE FROM items WHERE id = 12")
    assert refreshed(shop, "once").mode is Mode.INCREMENTAL


def test_strict_refuses_what_is_broken(shop: Session) -> None:
    declare(shop)
    shop.create_view("lines", VIEWS["lines"], policy="strict")
    shop.spark.sql("INSERT INTO items VALUES (18, 99, 1)")
    with pytest.raises(KeyViolated, match="items"):
        shop.refresh("lines")
    shop.refresh("lines", full=True)
    assert_view_matches_recompute(shop, "lines")


def test_what_does_not_hold_cannot_be_declared(shop: Session) -> None:
    with pytest.raises(KeyViolated, match="orders"):
        shop.declare_key("orders", ["day"])
    shop.spark.sql("INSERT INTO items VALUES (18, 99, 1)")
    with pytest.raises(KeyViolated, match="items"):
        shop.declare_foreign_key("items", ["order_id"], "orders", ["id"])
    assert shop.declarations() == []


def test_declarations_are_listed_and_forgotten_in_any_session(shop: Session) -> None:
    declare(shop)
    again = rollview.connect(shop.spark)
    assert {(one.kind, tuple(one.columns)) for one in again.declarations()} == {
        ("key", ("id",)),
        ("foreign key", ("order_id",)),
    }
    again.drop_key("items", ["ID"])
    again.drop_foreign_key("items", ["order_id"], "orders", ["id"])
    assert shop.declarations() == []
    with pytest.raises(BadOption, match="is not declared"):
        shop.drop_key("items", ["id"])


def test_declarations_of_nonsense(shop: Session) -> None:
    with pytest.raises(BadOption, match="no column nope"):
        shop.declare_key("items", ["nope"])
    with pytest.raises(BadOption, match="agree in number and types"):
        shop.declare_foreign_key("items", ["order_id"], "orders", ["day"])


def test_updates_are_told_from_inserts_by_a_declared_key(shop: Session) -> None:
    declare(shop)
    shop.create_view("lines", VIEWS["lines"])
    shop.spark.sql("UPDATE items SET n = n + 1 WHERE id = 12")
    report = refreshed(shop, "lines")
    assert (report.rows_inserted, report.rows_updated, report.rows_deleted) == (0, 1, 0)
