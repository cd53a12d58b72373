"""Strategies on Spark: the same views and changes under each, and one that does not apply."""

from __future__ import annotations

import json

import pytest
from pyspark.sql import SparkSession

import rollview
from rollview import Session
from rollview.errors import BadOption, StrategyNotApplicable
from rollview.runtime.report import Mode, RefreshReport
from tests.integration.conftest import control
from tests.integration.test_incremental import CHANGES, make_tables
from tests.properties.seed import SEED
from tests.properties.ways import WAYS

pytestmark = pytest.mark.spark

VIEWS = {
    "joined": "SELECT s.id, s.amount, h.name FROM sales s JOIN shops h ON s.shop = h.code",
    "padded": "SELECT s.id, h.name FROM sales s FULL JOIN shops h ON s.shop = h.code",
    "matched": "SELECT id FROM sales WHERE shop IN (SELECT code FROM shops)",
    "different": "SELECT DISTINCT shop, day FROM sales",
    "rest": "SELECT shop FROM sales EXCEPT SELECT code FROM shops",
    "rest_all": "SELECT shop FROM sales EXCEPT ALL SELECT code FROM shops",
    "common": "SELECT shop FROM sales INTERSECT SELECT code FROM shops",
    "common_all": "SELECT shop FROM sales INTERSECT ALL SELECT code FROM shops",
    "union": "SELECT shop FROM sales UNION SELECT code FROM shops",
    "totals": "SELECT shop, sum(amount), count(*), max(day) FROM sales GROUP BY shop",
    "nested": (
        "SELECT shop, max(total) FROM (SELECT shop, day, sum(amount) AS total FROM sales "
        "GROUP BY shop, day) GROUP BY shop"
    ),
    "ranked": "SELECT id, sum(amount) OVER (PARTITION BY shop) AS of_shop FROM sales",
}


@pytest.fixture
def shop(own: SparkSession) -> Session:
    make_tables(own)
    return rollview.connect(own)


def refreshed(db: Session, name: str) -> RefreshReport:
    report = db.refresh(name)
    assert isinstance(report, RefreshReport)
    return report


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_views_follow_their_sources_under_every_strategy(shop: Session, way: object) -> None:
    strategy, options = getattr(way, "strategy", ""), dict(getattr(way, "options", ()))
    names = [name for index, name in enumerate(VIEWS) if (index + SEED) % 3 == 0]
    made = []
    for name in names:
        try:
            shop.create_view(name, VIEWS[name], policy="incremental", strategy=strategy, **options)
        except StrategyNotApplicable:
            assert strategy not in ("counting", "algebraic")
            continue
        made.append(name)
    first = SEED % 4
    for statements in CHANGES[first : first + 3]:
        for statement in statements:
            shop.sql(statement)
        for name in made:
            report = refreshed(shop, name)
            assert report.mode in (Mode.INCREMENTAL, Mode.PARTIAL, Mode.NOOP), report.reason
            assert report.strategy in (strategy, None)
            assert shop.verify(name).correct, (name, statements)


def test_the_strategy_is_told_and_stored(shop: Session) -> None:
    shop.create_view("v", VIEWS["different"], strategy="algebraic", form="post")
    told = shop.explain("v")
    assert (told.mode, told.strategy, told.options) == (
        "incremental",
        "algebraic",
        (("form", "post"),),
    )
    assert "refresh: incremental (algebraic, form post)" in str(told)
    assert "before_" not in told.sql
    stored = json.loads((control(shop) / "definitions" / "v.json").read_text())
    assert (stored["strategy"], stored["options"]) == ("algebraic", {"form": "post"})
    shop.sql("DELETE FROM sales WHERE shop = 'b'")
    assert refreshed(rollview.connect(shop.spark), "v").strategy == "algebraic"
    assert shop.verify("v").correct
    other = shop.explain(VIEWS["joined"], strategy="counting", join_terms="truth_table")
    assert (other.strategy, dict(other.options)) == ("counting", {"join_terms": "truth_table"})


def test_another_strategy_makes_another_view(shop: Session) -> None:
    first = shop.create_view("v", VIEWS["different"], strategy="algebraic")
    same = shop.create_view("v", VIEWS["different"], strategy="algebraic", replace=True)
    assert same.stored.view_id == first.stored.view_id
    other = shop.create_view("v", VIEWS["different"], strategy="counting", replace=True)
    assert other.stored.view_id != first.stored.view_id
    shop.sql("DELETE FROM sales WHERE shop = 'b'")
    assert refreshed(shop, "v").mode is Mode.INCREMENTAL
    assert shop.verify("v").correct


def test_a_strategy_that_does_not_apply_is_an_error_with_the_condition(shop: Session) -> None:
    first = "SELECT id, amount FROM sales ORDER BY amount, id LIMIT 3"
    with pytest.raises(StrategyNotApplicable, match="LIMIT is no operator") as told:
        shop.create_view("first", first, strategy="algebraic")
    assert "strategy counting maintains it" in str(told.value.hint)
    assert not shop.views()
    explained = shop.explain(first, strategy="algebraic")
    assert explained.mode == "full"
    assert [reason.code for reason in explained.reasons] == ["NOT_APPLICABLE"]
    with pytest.raises(StrategyNotApplicable, match="NON_DETERMINISTIC"):
        shop.create_view("chance", "SELECT rand() AS r FROM sales", strategy="counting")
    with pytest.raises(BadOption, match="the strategy counting has no option form"):
        shop.create_view("v", VIEWS["joined"], strategy="counting", form="pre")


@pytest.mark.parametrize("form", ["pre", "post"])
@pytest.mark.parametrize(
    "query",
    [
        "SELECT DISTINCT list FROM floats",
        "SELECT DISTINCT list[0] AS x FROM floats",
        "SELECT DISTINCT struct(list) AS s FROM floats",
        "SELECT list FROM floats EXCEPT SELECT list FROM others",
        "SELECT list FROM floats EXCEPT ALL SELECT list FROM others",
        "SELECT list FROM floats INTERSECT ALL SELECT list FROM others",
    ],
)
def test_zero_and_nan_in_arrays_are_one_value_each(
    own: SparkSession, query: str, form: str
) -> None:
    """0.0 and -0.0 are one row to DISTINCT, and so are all NaN, also inside arrays.

    A copy with the other sign goes or comes: the row stays, and goes with the last of both.
    """
    for name in ("floats", "others"):
        own.sql(f"CREATE TABLE {name} (id INT, list ARRAY<DOUBLE>) USING delta")
    own.sql(
        "INSERT INTO floats VALUES (1, array(0.0D)), (2, array(-0.0D)), (3, array(double('NaN'))),"
        " (4, array(double('NaN'), NULL)), (5, NULL), (6, array(-0.0D, 1D))"
    )
    own.sql("INSERT INTO others VALUES (1, array(-0.0D)), (2, array(double('NaN')))")
    db = rollview.connect(own)
    db.create_view("v", query, policy="incremental", strategy="algebraic", form=form)
    for statement in (
        "DELETE FROM floats WHERE id = 1",
        "INSERT INTO floats VALUES (7, array(0.0D)), (8, array(0.0D, 1D)), (9, array(0.0D / -1))",
        "DELETE FROM floats WHERE id IN (2, 6)",
        "DELETE FROM others WHERE id = 1",
        "INSERT INTO others VALUES (3, array(0.0D)), (4, array(0.0D, 1D))",
        "DELETE FROM floats WHERE id IN (3, 7, 9)",
        "DELETE FROM others",
        "DELETE FROM floats",
    ):
        own.sql(statement)
        report = refreshed(db, "v")
        assert report.mode in (Mode.INCREMENTAL, Mode.NOOP), (statement, report.reason)
        assert db.verify("v").correct, statement
