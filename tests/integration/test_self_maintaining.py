"""Self-maintaining views on Delta: refreshes read changes and state of their own, no base table."""

from __future__ import annotations

from typing import NoReturn

import pytest
from pyspark.sql import SparkSession

import rollview
from rollview import Session
from rollview.errors import BadOption
from rollview.runtime.pinning import Run
from rollview.runtime.report import Mode, RefreshReport
from rollview.testing import assert_view_matches_recompute

pytestmark = pytest.mark.spark

VIEWS = {
    "lines": "SELECT i.id, o.day FROM items i JOIN orders o ON i.order_id = o.id WHERE i.n > 1",
    "days": "SELECT o.day, sum(i.n) AS n, min(i.n) AS least FROM items i JOIN orders o "
    "ON i.order_id = o.id WHERE o.day < 'x' GROUP BY o.day",
    "all_orders": "SELECT o.id, i.n FROM orders o LEFT JOIN items i ON i.order_id = o.id",
    "empty": "SELECT id FROM orders WHERE id NOT IN (SELECT order_id FROM items "
    "WHERE order_id IS NOT NULL)",
    "first": "SELECT id, n FROM (SELECT *, row_number() OVER (PARTITION BY order_id "
    "ORDER BY n DESC, id) AS r FROM items) WHERE r = 1",
}
ROUNDS = [
    ["INSERT INTO orders VALUES (4, 'd')", "INSERT INTO items VALUES (15, 4, 1), (16, 4, 2)"],
    ["DELETE FROM items WHERE id = 12", "UPDATE orders SET day = 'b' WHERE id = 1"],
    ["DELETE FROM orders WHERE id = 2", "UPDATE items SET n = 0 WHERE id = 13"],
    ["UPDATE items SET order_id = 3 WHERE id = 15", "INSERT INTO items VALUES (17, NULL, 9)"],
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


def without_tables(db: Session, name: str, monkeypatch: pytest.MonkeyPatch) -> RefreshReport:
    """Refresh a view while no base table can be read at any version; then compare."""

    def not_there(*_: object) -> NoReturn:
        raise AssertionError("a base table was read")

    with monkeypatch.context() as patch:
        patch.setattr(Run, "leaf", not_there)
        report = db.refresh(name)
    assert isinstance(report, RefreshReport)
    assert_view_matches_recompute(db, name)
    return report


@pytest.mark.parametrize("rely", [False, True])
@pytest.mark.parametrize("name", VIEWS)
def test_no_base_table_is_read(
    shop: Session, name: str, rely: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if rely:
        shop.declare_key("orders", ["id"], rely=True)
        shop.declare_key("items", ["id"], rely=True)
    shop.create_view(name, VIEWS[name], policy="strict", self_maintaining=True)
    for statements in ROUNDS:
        for statement in statements:
            shop.spark.sql(statement)
        assert without_tables(shop, name, monkeypatch).mode in (Mode.INCREMENTAL, Mode.PARTIAL)


def test_it_stays_so_in_another_session(shop: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.create_view("lines", VIEWS["lines"], self_maintaining=True)
    shop.spark.sql(ROUNDS[0][0])
    again = rollview.connect(shop.spark)
    assert without_tables(again, "lines", monkeypatch).mode is Mode.INCREMENTAL


def test_it_can_be_recomputed(shop: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.create_view("days", VIEWS["days"], self_maintaining=True)
    shop.spark.sql(ROUNDS[1][0])
    shop.refresh("days", full=True)
    assert_view_matches_recompute(shop, "days")
    shop.spark.sql(ROUNDS[1][1])
    assert without_tables(shop, "days", monkeypatch).mode is Mode.INCREMENTAL


def test_what_cannot_be_is_refused(shop: Session) -> None:
    with pytest.raises(BadOption, match="cannot be self-maintaining"):
        shop.create_view("v", "SELECT id, rand() AS r FROM orders", self_maintaining=True)


def test_explain_tells_what_is_needed(shop: Session) -> None:
    shop.declare_foreign_key("items", ["order_id"], "orders", ["id"], rely=True)
    shop.create_view("lines", VIEWS["lines"])
    told = shop.explain("lines", self_maintenance=True)
    assert told.self_maintenance is not None
    alone = {
        (f.table.rpartition(".")[2], f.kind.value): f.alone for f in told.self_maintenance.findings
    }
    assert alone["orders", "insert"]
    assert not alone["items", "insert"]
    assert "auxiliary view" in str(told)
    data = told.to_dict()["self_maintenance"]
    assert isinstance(data, dict)
    assert data["auxiliary_views"]


def test_explain_of_several_views(shop: Session) -> None:
    shop.create_view("lines", VIEWS["lines"])
    shop.create_view("copy", "SELECT id, day FROM orders")
    alone = shop.explain("lines", self_maintenance=True).self_maintenance
    together = shop.explain("lines", self_maintenance=["copy"]).self_maintenance
    assert alone is not None
    assert together is not None
    assert len(together.auxiliaries) == len(alone.auxiliaries) - 1
