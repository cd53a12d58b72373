"""Views that are maintained by change tables, on Delta: several rounds, always compared."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

import rollview
from rollview import Session
from rollview.errors import StrategyNotApplicable
from rollview.runtime import incremental
from rollview.runtime.report import Mode, RefreshReport
from rollview.storage.change import Append, Merge
from tests.integration.test_incremental import CHANGES, make_tables

pytestmark = pytest.mark.spark

VIEWS = {
    "totals": "SELECT shop, count(*) AS n, sum(amount) AS s, avg(amount) AS a FROM sales "
    "GROUP BY shop",
    "grand": "SELECT count(*) AS n, sum(amount) AS s FROM sales",
    "daily": "SELECT day, sum(s) AS s FROM (SELECT day, shop, sum(amount) AS s FROM sales "
    "GROUP BY day, shop) GROUP BY day",
    "named": "SELECT p.name, t.s FROM (SELECT shop, sum(amount) AS s FROM sales GROUP BY shop) t "
    "JOIN shops p ON t.shop = p.code",
    "lonely": "SELECT p.code, s.id FROM shops p LEFT JOIN sales s ON s.shop = p.code",
    "both": "SELECT p.name, s.id, s.amount FROM shops p FULL JOIN sales s ON s.shop = p.code",
    "days": "SELECT DISTINCT day FROM sales",
}


@pytest.fixture
def shop(own: SparkSession) -> Session:
    make_tables(own)
    return rollview.connect(own)


def test_views_follow_their_sources(shop: Session) -> None:
    for name, text in VIEWS.items():
        shop.create_view(name, text, policy="incremental", strategy="change_table")
    for statements in CHANGES:
        for statement in statements:
            shop.sql(statement)
        reports = shop.refresh()
        assert isinstance(reports, list)
        for report in reports:
            assert report.mode in (Mode.INCREMENTAL, Mode.PARTIAL, Mode.NOOP), report.reason
            assert report.mode is Mode.NOOP or report.strategy == "change_table"
            assert shop.verify(report.view).correct, (report.view, statements)


def test_a_change_is_merged_however_small_the_view_is(
    shop: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.create_view("totals", VIEWS["totals"], policy="incremental", strategy="change_table")
    seen: list[object] = []
    derive = incremental._change

    def watched(*args: object) -> object:
        change, counts = derive(*args)  # type: ignore[arg-type]
        seen.append(change)
        return change, counts

    monkeypatch.setattr(incremental, "_change", watched)
    shop.sql("UPDATE sales SET amount = amount + 1 WHERE shop = 'a'")
    report = shop.refresh("totals")
    assert isinstance(report, RefreshReport)
    assert (report.rows_inserted, report.rows_updated, report.rows_deleted) == (0, 1, 0)
    shop.sql("INSERT INTO sales VALUES (30, 'new', 1, NULL)")
    shop.refresh("totals")
    assert [type(change) for change in seen] == [Merge, Append]
    assert shop.verify("totals").correct


def test_a_view_out_of_reach_is_refused_with_the_condition(shop: Session) -> None:
    query = "SELECT shop, sum(amount) AS s FROM sales GROUP BY shop HAVING sum(amount) > 1"
    with pytest.raises(StrategyNotApplicable, match="group-by attributes"):
        shop.create_view("rich", query, strategy="change_table")


def test_explain_shows_the_merge(shop: Session) -> None:
    told = shop.explain(VIEWS["totals"], strategy="change_table")
    assert told.strategy == "change_table"
    assert "MERGE INTO state_extent_1 AS kept" in told.sql
