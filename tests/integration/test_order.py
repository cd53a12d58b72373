"""Views whose query leaves ties open: stored canonically, and not called wrong for it."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from rollview import Session
from rollview.testing import assert_same_rows

pytestmark = pytest.mark.spark


def place_of(db: Session, name: str) -> str:
    """Where the rows of a view are stored."""
    view = db._catalog.get(name)
    return view.rows(db._lake, db.spark).backing._location  # type: ignore[attr-defined]


def test_ties_are_broken_by_all_columns(db: Session, own: SparkSession) -> None:
    own.sql("INSERT INTO orders VALUES (9, 'a', 10), (8, 'b', 10), (7, 'b', 10)")
    db.create_view(
        "numbered",
        "SELECT id, amount, row_number() OVER (ORDER BY amount) AS n, "
        "rank() OVER (ORDER BY amount) AS r FROM orders",
    )
    expected = [(1, 10, 1, 1), (7, 10, 2, 1), (8, 10, 3, 1), (9, 10, 4, 1), (2, 20, 5, 5)]
    assert_same_rows(db.read("numbered"), [*expected, (3, 30, 6, 6)])
    own.sql("INSERT INTO orders VALUES (5, 'c', 10)")
    db.refresh("numbered")
    assert db.read("numbered").where("id = 5").first() == (5, 10, 2, 1)
    assert db.verify("numbered").correct


def test_limit_with_ties_is_verified_by_the_canonical_definition(
    db: Session, own: SparkSession
) -> None:
    own.sql("INSERT INTO orders SELECT id + 10, customer, 10 FROM orders")
    db.create_view("cheapest", "SELECT id, amount FROM orders ORDER BY amount LIMIT 2")
    assert_same_rows(db.read("cheapest"), [(1, 10), (11, 10)])
    assert db.verify("cheapest").correct


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ("SELECT id, amount FROM orders ORDER BY amount LIMIT 2", "c1 = c1 + 1"),
        ("SELECT amount, row_number() OVER (ORDER BY amount) AS n FROM orders", "c0 = 77"),
        (
            "SELECT customer, amount FROM (SELECT *, row_number() OVER (PARTITION BY customer "
            "ORDER BY amount) AS n FROM orders) WHERE n = 1",
            "c1 = 77",
        ),
    ],
)
def test_the_original_decides_what_no_tie_can_touch(
    db: Session, own: SparkSession, query: str, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own.sql("INSERT INTO orders SELECT id + 10, customer, 10 FROM orders")
    db.create_view("v", query)
    assert db.verify("v").correct
    path = place_of(db, "v")
    own.sql(f"UPDATE delta.`{path}` SET {wrong}")
    # Even if our own algebra were wrong in the same way.
    monkeypatch.setattr("rollview.runtime.verify.recompute", lambda *_: db.read("v"))
    assert not db.verify("v").correct


def test_a_wrong_row_is_found_behind_an_open_column(db: Session, own: SparkSession) -> None:
    db.create_view(
        "firsts", "SELECT customer, first(id) AS f, count(*) AS n FROM orders GROUP BY customer"
    )
    path = place_of(db, "firsts")
    own.sql(f"UPDATE delta.`{path}` SET c1 = 77 WHERE c0 = 'a'")
    assert db.verify("firsts").correct
    own.sql(f"UPDATE delta.`{path}` SET c2 = 77 WHERE c0 = 'a'")
    assert not db.verify("firsts").correct


def test_what_has_no_form_in_the_algebra_is_refreshed_whole(db: Session, own: SparkSession) -> None:
    db.create_view("files", "SELECT id, _metadata.file_name AS f FROM orders")
    db.create_view(
        "sessions",
        "SELECT customer, count(*) AS n FROM orders "
        "GROUP BY customer, session_window(timestamp_seconds(id), '1 minute')",
    )
    own.sql("INSERT INTO orders VALUES (500, 'a', 1)")
    reports = db.refresh()
    assert isinstance(reports, list)
    assert {report.view: report.mode.value for report in reports} == {
        "files": "full",
        "sessions": "full",
    }
    assert db.read("files").count() == 4
    assert_same_rows(db.read("sessions"), [("a", 2), ("a", 1), ("b", 1)])
    assert db.verify("sessions").correct
