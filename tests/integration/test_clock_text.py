"""Views by the clock against Spark's answer to their text, with the moment written into it.

`verify` goes by the stored algebra where the moment of the refresh is over; here nothing of ours
says what is right.
"""

from __future__ import annotations

from datetime import datetime

import pytest
from pyspark.sql import SparkSession

import rollview
from rollview.runtime.report import Mode
from rollview.testing import assert_same_rows
from tests.integration.test_incremental import at, make_tables

pytestmark = pytest.mark.spark

VIEWS = {
    "since": "SELECT id FROM sales WHERE day >= {today} - 1",
    "joined": "SELECT s.shop, count(*) AS n, max(s.day) AS last FROM sales s JOIN shops p "
    "ON s.shop = p.code WHERE s.day > {now} - INTERVAL 36 HOURS GROUP BY s.shop",
    "quiet": "SELECT shop, max(day) AS last FROM sales GROUP BY shop HAVING max(day) < {today}",
    "without": "SELECT code FROM shops WHERE NOT EXISTS (SELECT 1 FROM sales WHERE shop = code "
    "AND day BETWEEN {today} - 1 AND {today})",
    "newest": "SELECT id, day FROM sales WHERE day <= {today} ORDER BY day DESC, id LIMIT 2",
}
MOMENTS = [
    ("2024-01-02T13:00:00", None),
    ("2024-01-03T00:00:00", None),
    ("2024-01-03T12:00:00", "INSERT INTO sales VALUES (7, 'b', 1, DATE'2024-01-03')"),
    ("2024-01-09T12:00:00", "UPDATE sales SET day = DATE'2024-01-09' WHERE shop = 'a'"),
    ("2024-01-02T12:00:00", "DELETE FROM sales WHERE id = 1"),
]


def written(query: str, moment: str) -> str:
    """The query as it is at a moment, without asking the clock."""
    day = datetime.fromisoformat(moment).date()
    return query.format(today=f"DATE'{day}'", now=f"TIMESTAMP'{moment}Z'")


def test_rows_are_those_of_the_text_at_the_moment(
    own: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    own.conf.set("spark.sql.session.timeZone", "UTC")
    make_tables(own)
    db = rollview.connect(own)
    at(monkeypatch, "2024-01-02T12:00:00")
    for name, query in VIEWS.items():
        asking = query.format(today="current_date()", now="now()")
        db.create_view(name, asking, policy="strict")
        assert_same_rows(db.read(name), own.sql(written(query, "2024-01-02T12:00:00")))
    for moment, change in MOMENTS:
        at(monkeypatch, moment)
        if change:
            own.sql(change)
        reports = db.refresh()
        assert isinstance(reports, list)
        assert not [r for r in reports if r.mode in (Mode.FULL, Mode.FAILED)], reports
        for name, query in VIEWS.items():
            assert_same_rows(db.read(name), own.sql(written(query, moment)))
