"""Functions that are evaluated anew in the groups of changed rows, and sums that overflowed.

The reference is Spark's answer to the text at that moment, not `verify`, which leaves out what
depends on the order of rows. So the data leave nothing to that: `same` is one value per group.
"""

from __future__ import annotations

import re

import pandas as pd
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.functions import pandas_udf

import rollview
from rollview import Session
from rollview.runtime.report import Mode
from rollview.testing import assert_same_rows

pytestmark = pytest.mark.spark

FUNCTIONS = {
    "distincts": "count(DISTINCT v) AS a, sum(DISTINCT v) AS b, avg(DISTINCT v) AS c",
    "percentiles": "percentile(v, 0.25) AS a, median(v) AS b, "
    "percentile_cont(0.5) WITHIN GROUP (ORDER BY v DESC) AS c, mode(same) AS d",
    "by_another": "min_by(v, id) AS a, max_by(v, struct(id, v)) AS b",
    "ends": "first(same) AS a, last(same) AS b, any_value(same) AS c, first(v, true) IS NULL AS d",
    "lists": "sort_array(collect_list(v)) AS a, sort_array(collect_set(v)) AS b, "
    "listagg(string(v), '|') WITHIN GROUP (ORDER BY id, v) AS c",
    "approximate": "histogram_numeric(v, 50) AS a, approx_count_distinct(v) AS b, "
    "approx_percentile(v, 0.5, 10000) AS c",
    "higher": "skewness(v) AS a, kurtosis(v) AS b, try_sum(v) AS c",
}
CHANGES = [
    "INSERT INTO readings VALUES ('a', 7, 70, 'A'), ('a', 8, NULL, 'A'), ('d', 9, 90, 'D')",
    "UPDATE readings SET v = v + 1 WHERE id IN (1, 7)",
    "DELETE FROM readings WHERE id IN (2, 8) OR g = 'd'",
]


@pytest.fixture
def readings(own: SparkSession) -> Session:
    own.sql("CREATE TABLE readings (g STRING, id INT, v INT, same STRING) USING delta")
    own.sql(
        "INSERT INTO readings VALUES ('a', 1, 10, 'A'), ('a', 2, 20, 'A'), ('a', 3, 20, 'A'), "
        "('b', 4, 5, 'B'), ('b', 5, NULL, 'B'), (NULL, 6, 1, 'N')"
    )
    return rollview.connect(own)


def query(calls: str) -> str:
    return f"SELECT g, {calls} FROM readings GROUP BY g"


def assert_follows(db: Session, texts: dict[str, str], change: str) -> None:
    """All views, refreshed by what changed alone, are what Spark says of their texts."""
    db.sql(change)
    for report in db.refresh():
        assert report.mode is Mode.INCREMENTAL, (report.view, report.reason)
        assert_same_rows(db.read(report.view), db.spark.sql(texts[report.view]))
        assert db.verify(report.view).correct, (report.view, change)


def test_they_are_evaluated_in_the_groups_of_changed_rows(readings: Session) -> None:
    texts = {name: query(calls) for name, calls in FUNCTIONS.items()}
    for name, text in texts.items():
        readings.create_view(name, text, policy="strict")
        told = readings.explain(name)
        (aggregate,) = [one for one in told.operators if one.kind == "Aggregate"]
        assert (told.mode, aggregate.rule) == ("incremental", "groups"), name
        assert [read for read in aggregate.reads if re.fullmatch("after of .* under g", read)], name
    for change in CHANGES:
        assert_follows(readings, texts, change)


def spread(values: pd.Series) -> float:
    known = values.dropna()
    return float(known.max() - known.min()) if len(known) else -1.0


def test_functions_of_the_users_own(readings: Session) -> None:
    readings.spark.udf.register("spread", pandas_udf(spread, "double"))
    texts = {"spreads": query("spread(v) AS s")}
    readings.create_view("spreads", texts["spreads"], policy="strict")
    for change in CHANGES:
        assert_follows(readings, texts, change)


MOST = "9" * 38


def test_a_sum_that_overflowed_before_is_evaluated_anew(own: SparkSession) -> None:
    """Without ANSI arithmetic it is NULL, and NULL with an added row is not the sum of both."""
    own.conf.set("spark.sql.ansi.enabled", "false")
    own.sql("CREATE TABLE long (g INT, id INT, v DECIMAL(38,0)) USING delta")
    own.sql(f"INSERT INTO long VALUES (1, 1, {MOST}), (1, 2, 1), (2, 1, 5), (3, 1, {MOST})")
    db = rollview.connect(own)
    texts = {
        "sums": "SELECT g, sum(v) AS s, count(*) AS n FROM long GROUP BY g",
        "averages": "SELECT g, avg(v) AS a FROM long GROUP BY g",
    }
    for name, text in texts.items():
        db.create_view(name, text, policy="strict")
    seen = []
    for change in (
        "INSERT INTO long VALUES (1, 3, 1), (2, 2, 6)",
        "INSERT INTO long VALUES (3, 2, 1)",
        "DELETE FROM long WHERE g = 1 AND id IN (2, 3)",
        "UPDATE long SET v = -v WHERE g = 3 AND id = 2",
    ):
        assert_follows(db, texts, change)
        sums = {row.g: row.s for row in db.read("sums").collect()}
        seen.append([None if sums[g] is None else str(sums[g]) for g in (1, 2, 3)])
    less = str(int(MOST) - 1)
    assert seen == [
        [None, "11", MOST],
        [None, "11", None],
        [MOST, "11", None],
        [MOST, "11", less],
    ]
