"""Refreshes from changes, on Delta: every kind of view, several rounds, always compared."""

from __future__ import annotations

import logging
from collections import Counter
from datetime import UTC, datetime

import pytest
from pyspark.sql import DataFrame, SparkSession

import rollview
from rollview import Session
from rollview.errors import NotIncremental
from rollview.runtime import costs, pinning
from rollview.runtime.report import Mode, RefreshReport
from rollview.storage.delta_changes import DeltaChanges, Plan
from tests.properties.seed import SEED

pytestmark = pytest.mark.spark
Row = tuple[str, ...]

VIEWS = {
    "plain": "SELECT id, amount * 2 AS twice FROM sales WHERE amount > 10",
    "bag": "SELECT shop FROM sales",
    "joined": "SELECT s.id, p.name FROM sales s JOIN shops p ON s.shop = p.code",
    "lonely": "SELECT p.code, s.id FROM shops p LEFT JOIN sales s ON s.shop = p.code",
    "both": "SELECT p.name, s.id FROM shops p FULL JOIN sales s ON s.shop = p.code",
    "sold": "SELECT code FROM shops WHERE EXISTS (SELECT 1 FROM sales WHERE shop = code)",
    "marked": "SELECT p.code, p.sold, s.id FROM (SELECT code, EXISTS (SELECT 1 FROM sales WHERE "
    "shop = code) AS sold FROM shops) p FULL JOIN sales s ON p.sold = (s.amount > 20)",
    "newest": "SELECT p.code, p.day, s.id FROM (SELECT code, (SELECT max(day) FROM sales WHERE "
    "shop = code) AS day FROM shops) p FULL JOIN sales s ON p.day = s.day",
    "only": "SELECT s.id, s.name, p.name AS other FROM (SELECT id, (SELECT name FROM shops WHERE "
    "code = shop AND code = 'c') AS name FROM sales) s FULL JOIN shops p ON s.name = p.name",
    "unsold": "SELECT code FROM shops WHERE code NOT IN (SELECT shop FROM sales)",
    "totals": "SELECT shop, count(*) AS n, sum(amount) AS s, avg(amount) AS a, min(day) AS lo, "
    "max(amount) AS hi FROM sales GROUP BY shop",
    "grand": "SELECT count(*) AS n, sum(amount) AS s, max(amount) AS hi FROM sales",
    "having": "SELECT shop, sum(amount) AS s FROM sales GROUP BY shop HAVING count(*) > 1",
    "distincts": "SELECT shop, count(DISTINCT day) AS d, collect_set(amount) AS c FROM sales "
    "GROUP BY shop",
    "days": "SELECT DISTINCT day FROM sales",
    "shared": "SELECT shop FROM sales INTERSECT ALL SELECT code FROM shops",
    "others": "SELECT shop FROM sales EXCEPT SELECT code FROM shops",
    "ranked": "SELECT id, shop, rank() OVER (PARTITION BY shop ORDER BY amount DESC) AS r "
    "FROM sales",
    "firsts": "SELECT id, shop, amount FROM (SELECT *, row_number() OVER (PARTITION BY shop "
    "ORDER BY amount DESC, id) AS n FROM sales) WHERE n <= 2",
    "top": "SELECT id, amount FROM sales ORDER BY amount DESC, id LIMIT 3",
    "best": "SELECT id FROM sales WHERE amount = (SELECT max(amount) FROM sales)",
    "daily": "SELECT max(s) AS m FROM (SELECT day, sum(amount) AS s FROM sales GROUP BY day)",
    "rolled": "SELECT shop, day, sum(amount) AS s FROM sales GROUP BY ROLLUP (shop, day)",
    "upper": "SELECT n, count(*) AS shops FROM totals GROUP BY n",
    "upmost": "SELECT u.n, u.shops, t.shop FROM upper u JOIN totals t ON u.n = t.n",
}
# How many of the first columns of a view are its key.
KEYS = {"totals": 1, "having": 1, "distincts": 1, "days": 1, "upper": 1, "grand": 0, "daily": 0}
CHANGES = [
    ["INSERT INTO sales VALUES (6, 'b', 60, DATE'2024-01-03'), (6, 'b', 60, DATE'2024-01-03')"],
    ["DELETE FROM sales WHERE id IN (1, 6)", "INSERT INTO shops VALUES ('z', 'Zoo'), ('b', 'Bis')"],
    [
        "UPDATE sales SET amount = amount + 100 WHERE shop = 'a'",
        "UPDATE sales SET shop = NULL WHERE id = 3",
        "DELETE FROM shops WHERE code IS NULL OR code = 'a'",
    ],
    ["UPDATE shops SET name = 'Same' WHERE code = 'b'", "UPDATE sales SET amount = amount"],
    ["DELETE FROM sales", "INSERT INTO shops VALUES (NULL, 'Nil')"],
    ["INSERT INTO sales VALUES (9, 'c', NULL, NULL), (NULL, NULL, 5, DATE'2024-02-01')"],
]


def make_tables(own: SparkSession) -> None:
    own.sql(
        "CREATE TABLE sales USING delta AS SELECT id, shop, CAST(amount AS DECIMAL(10,2)) AS "
        "amount, CAST(day AS DATE) AS day FROM VALUES (1, 'a', 10, '2024-01-01'), "
        "(2, 'a', 20, '2024-01-02'), (3, 'b', 30, '2024-01-01'), (4, NULL, 40, NULL), "
        "(5, 'q', NULL, '2024-01-02'), (2, 'a', 20, '2024-01-02') AS t(id, shop, amount, day)"
    )
    own.sql(
        "CREATE TABLE shops USING delta AS SELECT * FROM VALUES ('a', 'Alpha'), ('b', 'Beta'), "
        "('c', 'Gamma'), (NULL, 'None') AS t(code, name)"
    )


@pytest.fixture
def shop(own: SparkSession) -> Session:
    make_tables(own)
    return rollview.connect(own)


def refresh(db: Session, name: str, **more: bool) -> RefreshReport:
    report = db.refresh(name, **more)
    assert isinstance(report, RefreshReport)
    return report


def rotated(number: int) -> list[str]:
    """A part of the views that goes round with the seed, and what they read."""
    start = SEED + number
    names = [name for index, name in enumerate(VIEWS) if (index + start) % 7 == 0]
    lower = ["totals"] if {"upper", "upmost"} & set(names) else []
    return list(dict.fromkeys([*lower, *(["upper"] if "upmost" in names else []), *names]))


def test_views_follow_their_sources(shop: Session) -> None:
    names = rotated(0)
    for name in names:
        shop.create_view(name, VIEWS[name], policy="incremental")
    first = SEED % 4
    for statements in CHANGES[first : first + 3]:
        for statement in statements:
            shop.sql(statement)
        before = {name: contents(shop, name) for name in names}
        reports = shop.refresh()
        assert isinstance(reports, list)
        wrong = [r for r in reports if r.mode not in (Mode.INCREMENTAL, Mode.PARTIAL, Mode.NOOP)]
        assert not wrong, [(r.view, r.mode, r.reason) for r in wrong]
        for name in names:
            assert shop.verify(name).correct, (name, statements)
        for report in reports:
            after = contents(shop, report.view)
            assert_counts_are_true(report, before[report.view], after)


def ways_read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """From here on, how changes are read: the way, and how many files and commits of the feed."""
    ways: list[str] = []
    read = DeltaChanges.read

    def spied(self: DeltaChanges, plan: Plan, columns: list[str]) -> DataFrame:
        ways.append(f"{plan.diff.way} {len(plan.diff.files)} {len(plan.diff.feed)}")
        return read(self, plan, columns)

    monkeypatch.setattr(DeltaChanges, "read", spied)
    return ways


def test_tables_that_have_the_feed(shop: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    for table in ("sales", "shops"):
        shop.sql(f"ALTER TABLE {table} SET TBLPROPERTIES (delta.enableChangeDataFeed = true)")
    names = ("both", "totals", "ranked", "unsold")
    for name in names:
        shop.create_view(name, VIEWS[name], policy="incremental")
    ways = ways_read(monkeypatch)
    for statements in CHANGES:
        for statement in statements:
            shop.sql(statement)
        for report in shop.refresh():
            assert report.mode in (Mode.INCREMENTAL, Mode.PARTIAL, Mode.NOOP), report.reason
        for name in names:
            assert shop.verify(name).correct, (name, statements)
    assert [way for way in ways if way.startswith("feed 0 ")]


def contents(db: Session, name: str) -> Counter[Row]:
    """The rows of a view as a bag, each value by how it is written."""
    return Counter(tuple(map(repr, row)) for row in db.read(name).collect())


def assert_counts_are_true(
    report: RefreshReport, before: Counter[Row], after: Counter[Row]
) -> None:
    """An update is a row that goes and one that comes under the same key, where there is a key."""
    told = (report.rows_inserted, report.rows_updated, report.rows_deleted)
    if report.mode is Mode.NOOP:
        assert before == after, report.view
        return
    inserted, updated, deleted = (count or 0 for count in told)
    come, gone = after - before, before - after
    assert (inserted + updated, updated + deleted) == (come.total(), gone.total()), (
        report.view,
        told,
        come,
        gone,
    )
    if report.view in KEYS:
        keys = [{row[: KEYS[report.view]] for row in bag} for bag in (come, gone)]
        assert updated == len(keys[0] & keys[1]), (report.view, told, come, gone)


def test_report_says_what_changed(shop: Session) -> None:
    shop.create_view("totals", VIEWS["totals"])
    shop.create_view("bag", VIEWS["bag"])
    shop.sql("INSERT INTO sales VALUES (7, 'a', 1, NULL), (8, 'new', 1, NULL)")
    shop.sql("DELETE FROM sales WHERE shop = 'b'")
    report = refresh(shop, "totals")
    assert report.mode is Mode.INCREMENTAL
    assert (report.rows_inserted, report.rows_updated, report.rows_deleted) == (1, 1, 1)
    assert list(report.rows_changed.values()) == [3]
    assert report.strategy == "counting"
    bag = refresh(shop, "bag")
    assert (bag.rows_inserted, bag.rows_updated, bag.rows_deleted, bag.rows) == (2, 0, 1, 7)


def test_change_that_shows_nowhere_changes_no_row(shop: Session) -> None:
    shop.create_view("names", "SELECT name FROM shops WHERE code = 'a'")
    shop.sql("UPDATE shops SET name = 'Other' WHERE code = 'b'")
    report = refresh(shop, "names")
    assert (report.mode, report.rows_inserted, report.rows_deleted) == (Mode.INCREMENTAL, 0, 0)
    assert refresh(shop, "names").mode is Mode.NOOP


def test_lower_view_refreshed_alone_several_times(shop: Session) -> None:
    shop.create_view("totals", VIEWS["totals"])
    shop.create_view("upper", VIEWS["upper"])
    for number in range(3):
        shop.sql(f"INSERT INTO sales VALUES ({20 + number}, 'a', 5, NULL)")
        refresh(shop, "totals")
    report = refresh(shop, "upper", cascade=False)
    assert report.mode is Mode.INCREMENTAL
    assert shop.verify("upper").correct


def test_the_change_of_a_lower_view_is_read_and_not_its_rows(
    shop: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of values that are only equal, too: -0.0 is no 0.0 to the view above."""
    shop.sql("CREATE TABLE many USING delta AS SELECT id % 5000 AS k, id AS v FROM range(20000)")
    shop.sql("CREATE TABLE zeros USING delta AS SELECT -0.0D AS z FROM range(2)")
    shop.create_view("lower", "SELECT k, sum(v) AS s FROM many GROUP BY k", policy="incremental")
    shop.create_view("upper", "SELECT s % 7 AS r, count(*) AS n FROM lower GROUP BY s % 7")
    shop.create_view("zeros_below", "SELECT z FROM zeros", policy="incremental")
    zeros_above = "SELECT CAST(z AS STRING) AS z, count(*) AS n FROM zeros_below GROUP BY 1"
    shop.create_view("zeros_above", zeros_above, policy="incremental")
    ways = ways_read(monkeypatch)
    for number in range(3):
        shop.sql(f"UPDATE many SET v = v * 3 + 1 WHERE k = {number}")
        refresh(shop, "lower")
    shop.sql("DELETE FROM many WHERE k = 9")
    refresh(shop, "lower")
    ways.clear()
    report = refresh(shop, "upper", cascade=False)
    assert ways == ["feed 0 4"]
    assert report.rows_changed == {"lower": 7}
    assert shop.verify("upper").correct
    shop.sql("INSERT INTO zeros VALUES (0.0D), (1.0D)")
    refresh(shop, "zeros_below")
    shop.sql("DELETE FROM zeros WHERE z = 1.0D")
    for name in ("zeros_below", "zeros_above"):
        assert refresh(shop, name).mode is Mode.INCREMENTAL
    assert sorted(map(tuple, shop.read("zeros_above").collect())) == [("-0.0", 2), ("0.0", 1)]


def test_policies(shop: Session, caplog: pytest.LogCaptureFixture) -> None:
    for policy in ("auto", "incremental", "strict", "full"):
        shop.create_view(policy, VIEWS["totals"], policy=policy)
    shop.sql("INSERT INTO sales VALUES (7, 'a', 1, NULL)")
    assert refresh(shop, "full").mode is Mode.FULL
    for policy in ("auto", "incremental", "strict"):
        assert refresh(shop, policy).mode is Mode.INCREMENTAL
    shop.sql("CREATE OR REPLACE TABLE shops USING delta AS SELECT 'x' AS code, 'y' AS name")
    shop.create_view("held", "SELECT * FROM shops", policy="strict")
    shop.sql("INSERT INTO shops VALUES ('n', 'm')")
    _lose_state(shop, "strict")
    shop.sql("INSERT INTO sales VALUES (8, 'a', 1, NULL)")
    with pytest.raises(NotIncremental, match="state of some operators"):
        shop.refresh("strict")
    assert refresh(shop, "strict", full=True).mode is Mode.FULL
    _lose_state(shop, "incremental")
    with caplog.at_level(logging.WARNING, "rollview"):
        assert refresh(shop, "incremental").mode is Mode.FULL
    assert "recomputed as a whole" in caplog.text
    for name in ("auto", "incremental", "strict", "full"):
        shop.refresh(name)
        assert shop.verify(name).correct


def _lose_state(db: Session, name: str) -> None:
    view = db._catalog.get(name)
    folder = db._lake.view_folder(view.view_id)
    db._lake.files.remove(f"{folder}/state")


def test_evaluation_error_of_a_delta_is_tried_as_a_whole(shop: Session) -> None:
    """A new row meets an old one that is gone by now: no row of the view, before or after."""
    shop.sql("CREATE TABLE ups (k INT, x INT) USING delta")
    shop.sql("CREATE TABLE downs (k INT, y INT) USING delta")
    shop.sql("INSERT INTO ups VALUES (1, 5), (1, 7)")
    shop.sql("INSERT INTO downs VALUES (1, 3)")
    query = "SELECT u.x, 10 / (u.x - d.y) AS ratio FROM ups u JOIN downs d ON u.k = d.k"
    for policy in ("incremental", "strict"):
        shop.create_view(policy, query, policy=policy)
    shop.sql("UPDATE ups SET x = 3 WHERE x = 7")
    shop.sql("UPDATE downs SET y = 7")
    report = refresh(shop, "incremental")
    assert report.mode is Mode.FULL
    assert "DIVIDE_BY_ZERO" in (report.reason or "")
    assert shop.verify("incremental").correct
    with pytest.raises(rollview.RollviewError, match="DIVIDE_BY_ZERO"):
        shop.refresh("strict")


LONGEST = 9223372036854775807


def summed(shop: Session, *values: int) -> None:
    """A table of long integers, and a view of their sum that is never recomputed."""
    shop.sql("CREATE TABLE big (id INT, v BIGINT) USING delta")
    insert(shop, *values)
    shop.create_view("summed", "SELECT sum(v) AS s, count(*) AS n FROM big", policy="strict")


def insert(shop: Session, *values: int) -> None:
    rows = ", ".join(f"({number}, {value})" for number, value in enumerate(values))
    shop.sql(f"INSERT INTO big VALUES {rows}")


def total(shop: Session, mode: Mode = Mode.INCREMENTAL) -> int | None:
    assert refresh(shop, "summed").mode is mode
    found: int | None = shop.read("summed").collect()[0].s
    return found


def test_changed_row_overflows_no_sum_that_fits(shop: Session) -> None:
    summed(shop, LONGEST - 1)
    shop.sql("UPDATE big SET v = v + 1")
    assert total(shop) == LONGEST
    assert shop.verify("summed").correct


def test_changes_that_overflow_alone_are_added_to_a_sum(shop: Session) -> None:
    summed(shop, -LONGEST)
    insert(shop, LONGEST, LONGEST)
    assert total(shop) == LONGEST


def test_sum_that_overflows_fails_as_the_query_does(shop: Session) -> None:
    summed(shop, LONGEST)
    shop.sql("INSERT INTO big VALUES (7, 1)")
    with pytest.raises(rollview.RollviewError, match="ARITHMETIC_OVERFLOW"):
        shop.refresh("summed")
    assert shop.read("summed").collect()[0].s == LONGEST
    shop.sql("UPDATE big SET v = -1 WHERE id = 7")
    assert total(shop) == LONGEST - 1


def test_sum_that_wraps_around_wraps_around(shop: Session) -> None:
    shop.spark.conf.set("spark.sql.ansi.enabled", "false")
    try:
        summed(shop, LONGEST)
    finally:
        shop.spark.conf.set("spark.sql.ansi.enabled", "true")
    insert(shop, LONGEST, LONGEST)
    assert total(shop, Mode.PARTIAL) == 3 * LONGEST - 2**64
    assert shop.verify("summed").correct
    shop.sql("DELETE FROM big WHERE id = 1")
    assert total(shop) == -2
    assert shop.verify("summed").correct


def test_longest_decimals_that_overflow_on_the_way(shop: Session) -> None:
    most = "9" * 38
    shop.sql("CREATE TABLE long (id INT, v DECIMAL(38,0)) USING delta")
    shop.sql(f"INSERT INTO long VALUES (1, {most[:-1]}8)")
    shop.create_view("most", "SELECT sum(v) AS s FROM long", policy="strict")
    shop.sql(f"UPDATE long SET v = {most}")
    assert refresh(shop, "most").mode is Mode.PARTIAL
    assert str(shop.read("most").collect()[0].s) == most
    assert shop.verify("most").correct


def test_much_changed_is_recomputed_by_cost(shop: Session) -> None:
    shop.spark.conf.set("spark.databricks.delta.stats.collect", "true")
    shop.sql("CREATE TABLE many USING delta AS SELECT id, id % 7 AS k FROM range(5000)")
    query = "SELECT k, count(*) AS n, max(id) AS m FROM many GROUP BY k"
    shop.create_view("counted", query)
    shop.create_view("kept", query, policy="incremental")
    shop.sql("UPDATE many SET k = k + 1 WHERE id < 4000")
    report = refresh(shop, "counted")
    assert report.mode is Mode.FULL
    assert "rows of" in (report.reason or "")
    assert refresh(shop, "kept").mode is Mode.INCREMENTAL
    assert shop.verify("counted").correct
    assert shop.verify("kept").correct


def test_only_auto_recomputes_because_it_is_faster(
    shop: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    for policy in ("auto", "incremental", "strict"):
        shop.create_view(policy, VIEWS["totals"], policy=policy)
    shop.sql("INSERT INTO sales VALUES (7, 'a', 1, NULL)")
    monkeypatch.setattr(costs, "_FIXED", 1000.0)
    report = refresh(shop, "auto")
    assert (report.mode, report.number) == (Mode.FULL, 2)
    assert "deriving a change is expected to take 100" in (report.reason or "")
    for policy in ("incremental", "strict"):
        assert refresh(shop, policy).mode is Mode.INCREMENTAL


def test_rows_enter_and_leave_by_the_clock(shop: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, "2024-01-02T12:00:00")
    shop.create_view("new", "SELECT id FROM sales WHERE day >= current_date() - 1", policy="strict")
    shop.create_view(
        "newest",
        "SELECT s.shop, count(*) AS n FROM sales s JOIN shops p ON s.shop = p.code "
        "WHERE s.day > now() - INTERVAL 36 HOURS GROUP BY s.shop",
        policy="strict",
    )
    held = []
    for moment, change in [
        ("2024-01-02T13:00:00", None),
        ("2024-01-03T12:00:00", None),
        ("2024-01-04T12:00:00", "INSERT INTO sales VALUES (7, 'a', 1, DATE'2024-01-04')"),
        ("2024-01-09T12:00:00", None),
        ("2024-01-02T12:00:00", "DELETE FROM sales WHERE id = 1"),
    ]:
        at(monkeypatch, moment)
        if change:
            shop.sql(change)
        modes = [refresh(shop, name).mode for name in ("new", "newest")]
        assert Mode.FULL not in modes
        held.append((modes[0], sorted(row.id for row in shop.read("new").collect())))
        for name in ("new", "newest"):
            told = shop.verify(name)
            assert told.correct
            assert told.note is None or "compared with the query as of 2024-01-0" in told.note
    dated = shop.spark.sql("SELECT id, day FROM sales WHERE id IS NOT NULL").collect()
    assert held[0][0] is Mode.NOOP
    assert held[3] == (Mode.INCREMENTAL, [])
    assert held[4][1] == sorted(row.id for row in dated if row.day and str(row.day) >= "2024-01-01")


def at(monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    """From here on runs take this for the present."""
    now = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    monkeypatch.setattr(pinning, "present", lambda: now)
