"""A refresh leaves nothing in Spark either: no temporary views, no rows that are still held."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

import rollview
from rollview import Session
from rollview.runtime import incremental
from rollview.runtime.report import Mode
from rollview.storage import faults
from rollview.storage.faults import Crash

pytestmark = pytest.mark.spark

QUERY = (
    "SELECT o.customer, count(*) AS n, max(p.amount) AS most FROM orders o "
    "JOIN orders p ON o.customer = p.customer GROUP BY o.customer"
)


@pytest.fixture(autouse=True)
def nothing_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every step becomes an RDD that Spark holds, as after large changes."""
    monkeypatch.setattr(incremental, "_SMALL", -1)


def scratch(own: SparkSession) -> set[str]:
    """The RDDs that are held, and the temporary views of the session."""
    held = own.sparkContext._jsc.getPersistentRDDs()  # type: ignore[union-attr]
    numbers = {f"RDD {number}" for number in held.keySet()}
    views = own.sql("SHOW VIEWS").where("isTemporary")  # says nothing of other tests' tables
    return numbers | {row["viewName"] for row in views.collect()}


def left(own: SparkSession, before: set[str]) -> set[str]:
    """What is there now and was not before; Spark's cleaner may take others' RDDs meanwhile."""
    return scratch(own) - before


def test_after_a_refresh(db: Session, own: SparkSession) -> None:
    db.create_view("pairs", QUERY, policy="strict")
    before = scratch(own)
    for change in ("INSERT INTO orders VALUES (4, 'c', 5), (5, 'a', 7)", "DELETE FROM orders"):
        own.sql(change)
        report = db.refresh("pairs")
        assert not isinstance(report, list)
        assert report.mode is Mode.INCREMENTAL
        assert db.verify("pairs").correct
    assert not left(own, before)


@pytest.mark.parametrize("point", ["state.written", "commit.candidate", "commit.committed"])
def test_after_a_refresh_that_failed(db: Session, own: SparkSession, point: str) -> None:
    db.create_view("pairs", QUERY, policy="strict")
    before = scratch(own)
    own.sql("INSERT INTO orders VALUES (4, 'c', 5)")
    with faults.planned(point), pytest.raises(Crash):
        db.refresh("pairs")
    assert not left(own, before)
    again = rollview.connect(own)
    again.refresh("pairs")
    assert again.verify("pairs").correct
    assert not left(own, before)
