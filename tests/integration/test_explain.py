"""EXPLAIN says beforehand what refreshes then do, and policy strict goes by it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from rollview import Session
from rollview.errors import NonDeterministic, NotIncremental, RollviewError
from rollview.runtime.report import Mode, RefreshReport
from rollview.testing import assert_view_matches_recompute
from tests.integration.conftest import leftovers

pytestmark = pytest.mark.spark

TOTALS = "SELECT customer, sum(amount) AS total FROM orders GROUP BY customer"
VIEWS = {
    "totals": (TOTALS, "incremental"),
    "twice": ("SELECT o.id FROM orders o JOIN orders p ON o.customer = p.customer", "incremental"),
    "latest": ("SELECT * FROM orders ORDER BY id DESC LIMIT 2", "incremental"),
    "numbered": ("SELECT id, row_number() OVER (ORDER BY id) AS n FROM orders", "partial"),
    "cheaper": (
        "SELECT o.id, p.id AS than FROM orders o JOIN orders p ON o.amount < p.amount",
        "partial",
    ),
    "never": ("SELECT id FROM orders WHERE id NOT IN (SELECT amount FROM orders)", "incremental"),
    "neither": (
        "SELECT id FROM orders WHERE (id, amount) NOT IN (SELECT amount, id FROM orders)",
        "partial",
    ),
    "lonely": (
        "SELECT o.id FROM orders o JOIN orders p ON o.id = p.id"
        " WHERE o.id NOT IN (SELECT amount FROM orders)",
        "incremental",
    ),
    "places": (
        "SELECT o.id, p.amount, row_number() OVER (ORDER BY o.id) AS n"
        " FROM orders o JOIN orders p ON o.customer = p.customer",
        "partial",
    ),
    "next": ("SELECT * FROM orders ORDER BY amount DESC LIMIT 2 OFFSET 1", "incremental"),
    "ranked": (
        "SELECT id FROM (SELECT id, rank() OVER (ORDER BY amount) AS n FROM orders) WHERE n <= 2",
        "incremental",
    ),
    "if_any": (
        "SELECT id FROM orders WHERE EXISTS (SELECT * FROM orders WHERE amount > 0)",
        "incremental",
    ),
    "beside": (
        "SELECT id, (SELECT amount FROM orders WHERE id = 1) AS first FROM orders",
        "incremental",
    ),
    "tree": (
        "WITH RECURSIVE tree AS (SELECT id AS root, id AS member FROM orders WHERE id < 3"
        " UNION ALL SELECT root, o.id FROM tree t JOIN orders o"
        " ON o.amount = t.member AND o.id > t.member) SELECT * FROM tree",
        "partial",
    ),
    "dated": ("SELECT id FROM orders WHERE amount > day(current_date()) - 40", "incremental"),
    "stamped": ("SELECT id, current_date() AS today FROM orders", "full"),
}


def test_of_a_name_a_query_and_a_dataframe(db: Session, own: SparkSession) -> None:
    db.create_view("totals", TOTALS)
    for subject in ("totals", TOTALS, own.sql(TOTALS)):
        told = db.explain(subject)
        assert (told.mode, told.strategy, told.reasons) == ("incremental", "counting", ())
        assert [(one.kind, one.rule) for one in told.operators] == [
            ("Aggregate", "groups"),
            ("Scan", "changes"),
        ]
        assert "FROM changes_orders" in told.sql
        assert "FROM state_aggregate_1" in told.sql
    with pytest.raises(RollviewError, match="no materialized view nosuch"):
        db.explain("nosuch")


@pytest.mark.parametrize("name", VIEWS)
def test_refreshes_do_what_was_said(db: Session, name: str) -> None:
    query, mode = VIEWS[name]
    told = db.explain(query)
    assert told.mode == mode
    assert bool(told.reasons) == (mode != "incremental")
    db.create_view(name, query)
    db.sql("INSERT INTO orders VALUES (4, 'c', 25), (5, 'a', 1)")
    report = db.refresh(name)
    assert isinstance(report, RefreshReport)
    assert report.mode == mode
    for reason in told.reasons:
        assert reason.message in str(report.reason)
    assert_view_matches_recompute(db, name)


def test_what_happens_at_times_shows_in_the_refresh_in_which_it_does(db: Session) -> None:
    query = VIEWS["latest"][0]
    (reason,) = db.explain(query).at_times
    db.create_view("latest", query)
    db.sql("DELETE FROM orders WHERE id = 3")
    report = db.refresh("latest")
    assert isinstance(report, RefreshReport)
    assert report.mode is Mode.PARTIAL
    assert reason.message in str(report.reason)
    assert_view_matches_recompute(db, "latest")


def test_policy_full_is_told(db: Session) -> None:
    db.create_view("totals", TOTALS, policy="full")
    assert (db.explain("totals").mode, db.explain("totals").strategy) == ("full", "recompute")
    assert db.explain(TOTALS, policy="full").mode == "full"
    told = db.sql(f"EXPLAIN CREATE MATERIALIZED VIEW x REFRESH POLICY FULL AS {TOTALS}")
    assert (told.mode, told.policy) == ("full", "full")
    assert "sum(amount) AS total" in told.sql


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("SELECT id, current_date() AS today FROM orders", "TIME_DEPENDENT"),
        (
            "SELECT count(*) AS n FROM orders GROUP BY session_window(date'2026-01-01', '1 day')",
            "NOT_UNDERSTOOD",
        ),
    ],
)
def test_strict_refuses_what_every_refresh_would_recompute(
    db: Session, query: str, code: str
) -> None:
    (reason,) = db.explain(query).reasons
    with pytest.raises(NotIncremental) as refused:
        db.create_view("refused", query, policy="strict")
    assert refused.value.code == "NOT_INCREMENTAL"
    assert f"refused cannot be maintained under policy strict: [{code}]" in refused.value.message
    assert reason.message in refused.value.message
    assert refused.value.hint == reason.hint
    assert not db.views()
    assert not leftovers(db)
    db.create_view("allowed", query, policy="incremental")


def test_strict_refuses_a_source_without_versions(
    db: Session, own: SparkSession, tmp_path: Path
) -> None:
    own.sql(f"CREATE TABLE plain USING parquet LOCATION '{tmp_path}/plain' AS SELECT 1 AS a")
    with pytest.raises(NotIncremental, match=r"\[UNVERSIONED_SOURCE\].*keeps no versions") as no:
        db.create_view("refused", "SELECT a FROM plain", policy="strict")
    assert no.value.hint == "store it as a Delta or Iceberg table"


def test_strict_refuses_chance_by_its_own_name(db: Session) -> None:
    with pytest.raises(NonDeterministic, match="rand"):
        db.create_view("refused", "SELECT id, rand() AS luck FROM orders", policy="strict")


def test_strict_allows_what_is_recomputed_in_part(db: Session) -> None:
    db.create_view("numbered", VIEWS["numbered"][0], policy="strict")
    db.sql("INSERT INTO orders VALUES (4, 'c', 25)")
    report = db.refresh("numbered")
    assert isinstance(report, RefreshReport)
    assert report.mode is Mode.PARTIAL
