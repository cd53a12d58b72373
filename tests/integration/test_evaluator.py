"""What is evaluated in the driver is what Spark gives, and takes no job; tables are looked up once.

Every statement is run twice, over held rows and over the same rows that Spark has to read.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from rollview.runtime.lookups import Lookups, Moved, stored_lookup
from rollview.runtime.source_changes import Read
from rollview.runtime.spark_engine import SparkEngine, frame_of
from tests.properties.seed import SEED

pytestmark = pytest.mark.spark

TYPES = {
    "k": ("INT", ["1", "2", "3", "4", "NULL"]),
    "g": ("BIGINT", ["10", "20", "9223372036854775807", "NULL"]),
    "d": ("DOUBLE", ["0.0", "-0.0", "1.5", "'NaN'", "NULL"]),
    "m": ("DECIMAL(12,2)", ["1.10", "-2.25", "NULL"]),
    "s": ("STRING", ["'a'", "'b '", "''", "NULL"]),
    "t": ("DATE", ["'1992-01-01'", "'2026-02-28'", "NULL"]),
    "a": ("ARRAY<INT>", ["array(1, 2)", "array()", "NULL"]),
    "w": ("BIGINT", ["1", "-1", "2"]),
}

STATEMENTS = {
    "project": "SELECT k + 1 AS x, upper(s) AS y, m * 2 AS z, date_add(t, 3) AS t, d FROM {one}",
    "case": "SELECT CASE WHEN k > 2 THEN s ELSE 'low' END AS c, nullif(g, 10) AS n FROM {one}",
    "between": "SELECT * FROM {one} WHERE k BETWEEN 2 AND 3 AND s LIKE '%b%' OR m IN (1.10, 7)",
    "constant": "SELECT 1 AS one, 'x' AS x, CAST(NULL AS INT) AS nothing",
    "union": "SELECT k, s FROM {one} UNION ALL SELECT k, s FROM {two}",
    "widened": "SELECT k AS x FROM {one} UNION ALL SELECT g FROM {two}",
    "distinct": "SELECT DISTINCT k, d, s FROM {one}",
    "inner": "SELECT x.*, y.m AS other FROM {one} x JOIN {two} y ON x.k = y.k AND x.w < y.w",
    "null-safe": "SELECT x.k, y.s FROM {one} x JOIN {two} y ON x.k <=> y.k AND x.s <=> y.s",
    "floating": "SELECT x.d, y.d AS e FROM {one} x JOIN {two} y ON x.d = y.d",
    "by expressions": "SELECT x.k, y.k AS l FROM {one} x JOIN {two} y ON x.k + 1 = y.k * 2",
    "less": "SELECT x.k, y.k AS l FROM {one} x JOIN {two} y ON x.k < y.k",
    "cross": "SELECT x.k, y.s FROM {one} x CROSS JOIN {two} y",
    "left": "SELECT x.k, x.s, y.m FROM {one} x LEFT JOIN {two} y ON x.k = y.k AND y.w > 0",
    "right": "SELECT x.k, y.s, y.m FROM {one} x RIGHT JOIN {two} y ON x.k = y.k AND x.w > 0",
    "full": "SELECT x.k, x.s, y.m FROM {one} x FULL JOIN {two} y ON x.k = y.k AND x.s = y.s",
    "semi": "SELECT * FROM {one} x LEFT SEMI JOIN {two} y ON x.k = y.k AND x.w <> y.w",
    "anti": "SELECT * FROM {one} x LEFT ANTI JOIN {two} y ON x.k = y.k AND x.s = y.s",
    "using": "SELECT * FROM {one} JOIN {two} USING (k, g)",
    "groups": (
        "SELECT k, d, count(*) AS n, count(s) AS c, sum(m) AS sm, sum(w) AS sw, min(s) AS lo, "
        "max(t) AS hi, avg(w) AS av, bool_and(w > 0) AS b FROM {one} GROUP BY k, d"
    ),
    "having": "SELECT s, sum(w) * 2 + 1 AS x FROM {one} GROUP BY s HAVING sum(w) > 1",
    "grouped by": "SELECT k % 2 AS odd, sum(w) AS n FROM {one} GROUP BY k % 2",
    "filtered": "SELECT k, count(*) FILTER (WHERE w > 0) AS n FROM {one} GROUP BY k",
    "distinct calls": (
        "SELECT k, count(DISTINCT s) AS n, sum(DISTINCT w) AS x FROM {one} GROUP BY k"
    ),
    "one group": "SELECT count(*) AS n, sum(m) AS s, max(s) AS t FROM {one}",
    "no rows": "SELECT count(*) AS n, sum(m) AS s FROM {one} WHERE k > 100",
    "no groups": "SELECT k, count(*) AS n FROM {one} WHERE k > 100 GROUP BY k",
    "arrays": "SELECT a, count(*) AS n FROM {one} GROUP BY a",
    "explode": "SELECT k, e FROM {one} LATERAL VIEW explode(a) x AS e",
    "outer explode": "SELECT k, e FROM {one} LATERAL VIEW OUTER explode(a) x AS e",
    "copies": "SELECT k, explode(array_repeat(s, CAST(abs(w) AS INT))) AS c FROM {one}",
    "cube": "SELECT k, s, sum(w) AS n, grouping_id() AS g FROM {one} GROUP BY CUBE (k, s)",
    "first": "SELECT * FROM {one} ORDER BY k DESC NULLS LAST, g, d, m, s, t, w, size(a) LIMIT 7",
    "steps": (
        "WITH x AS (SELECT k, sum(w) AS n FROM {one} GROUP BY k), "
        "y AS (SELECT x.k, x.n, z.s FROM x LEFT JOIN {two} z ON x.k = z.k), "
        "v AS (SELECT k, n FROM y UNION ALL SELECT k, -n FROM x) SELECT k, sum(n) AS n FROM v "
        "GROUP BY k"
    ),
}
ELSEWHERE = {
    "window": "SELECT k, row_number() OVER (PARTITION BY k ORDER BY w, s, m) AS n FROM {one}",
    "collected": "SELECT k, sort_array(collect_list(w)) AS all FROM {one} GROUP BY k",
    "subquery": "SELECT k FROM {one} WHERE w > (SELECT min(w) FROM {two})",
    "maps": "SELECT map(k, s) AS m FROM {one} WHERE k IS NOT NULL",
}


def rows_of(spark: SparkSession, random: Random, count: int) -> DataFrame:
    cells = [
        ", ".join(f"CAST({random.choice(values)} AS {type})" for type, values in TYPES.values())
        for _ in range(count)
    ]
    return spark.sql(f"SELECT * FROM VALUES ({'), ('.join(cells)}) AS t({', '.join(TYPES)})")


def texts(frame: DataFrame) -> Counter[str]:
    return Counter(repr(row) for row in frame.collect())


def jobs(spark: SparkSession, group: str) -> int:
    return len(spark.sparkContext.statusTracker().getJobIdsForGroup(group))


@pytest.mark.parametrize("name", [*STATEMENTS, *ELSEWHERE])
def test_statements_over_held_rows(spark: SparkSession, tmp_path: Path, name: str) -> None:
    random = Random(f"{SEED} {name}")
    text = (STATEMENTS | ELSEWHERE)[name]
    with SparkEngine(spark) as engine:
        held, read = {}, {}
        for view in ("one", "two"):
            rows_of(spark, random, 60).write.parquet(str(tmp_path / view))
            frame = spark.read.parquet(str(tmp_path / view))
            held[view] = engine.hold(frame, view).table
            read[view] = engine.name(frame, f"read_{view}")
        spark.sparkContext.setJobGroup(name, name)
        found = spark.table(engine.compute("found", text.format(**held)).table)
        assert bool(jobs(spark, name)) == (name in ELSEWHERE and name != "maps")
        expected = spark.sql(text.format(**read))
        assert found.dtypes == expected.dtypes
        assert texts(found) == texts(expected), f"seed {SEED}"


Table = dict[str, tuple[DataFrame, Any]]
"""Moments of a table: all rows, and a lookup of them."""


@pytest.fixture
def table(spark: SparkSession, tmp_path: Path) -> tuple[Table, Read]:
    """2,000 rows of which 30 changed, after, before, and as a base with the change beside it."""
    before = spark.range(2000).selectExpr(
        "CAST(id AS INT) AS k", "id % 50 AS g", "concat('n', id % 7) AS s", "id / 8 AS d"
    )
    gone = before.where("k % 100 = 3")
    new = before.where("k % 200 = 3").selectExpr("k", "g + 1 AS g", "s", "-d AS d")
    after = before.where("k % 100 <> 3").unionAll(new)
    changes = gone.selectExpr("*", "-1L AS __weight").unionAll(
        new.selectExpr("*", "1L AS __weight")
    )
    frames = {"before": before, "after": after, "changes": changes}
    for name, frame in frames.items():
        frame.write.parquet(str(tmp_path / name))
        frames[name] = spark.read.parquet(str(tmp_path / name))
    held = SparkEngine(spark).held(frames["changes"])
    read = Read(held, int(held.rows()))
    moved = Moved(before.columns, frames["after"], frames["before"], read)
    found = {w: (frames[w], one) for w, one in Lookups().of(("t",), lambda: moved).items()}
    sum = stored_lookup("t", frames["after"], frames["before"], frames["changes"])
    return {**found, "sum": (frames["after"], sum)}, read


LOOKED_UP = {
    "by key": "SELECT c.k, c.w, t.g, t.s FROM {one} c JOIN {table} t ON c.k = t.k",
    "under a filter": "SELECT c.k, t.x FROM {one} c JOIN (SELECT k AS y, g * 2 AS x FROM {table} "
    "WHERE s <> 'n1') t ON c.k = t.y",
    "two columns": "SELECT c.w, t.* FROM {one} c JOIN {table} t ON c.k = t.k AND c.g = t.g",
    "left": "SELECT c.k, c.w, t.g FROM {one} c LEFT JOIN {table} t ON c.k = t.k AND t.g > 5",
    "anti": "SELECT c.k, c.w FROM {one} c LEFT ANTI JOIN {table} t ON c.k = t.k",
    "rows of keys": "SELECT * FROM {table} t LEFT SEMI JOIN {one} c ON t.k = c.k",
    "null-safe": "SELECT c.w, t.* FROM {one} c JOIN {table} t ON c.k <=> t.k",
    "twice": "SELECT a.k, b.k AS other FROM {one} c JOIN {table} a ON c.k = a.k "
    "JOIN {table} b ON a.g = b.g",
    "by an expression": "SELECT c.w, t.k FROM {one} c JOIN {table} t ON c.k = t.k + 1",
    "of groups": "SELECT c.w, t.* FROM {one} c JOIN "
    "(SELECT k, sum(g) AS n FROM {table} GROUP BY k) t ON c.k = t.k",
}


@pytest.mark.parametrize("moment", ["after", "before", "sum"])
@pytest.mark.parametrize("name", LOOKED_UP)
def test_statements_that_look_up(
    spark: SparkSession, table: tuple[Table, Read], moment: str, name: str
) -> None:
    rows, lookup = table[0][moment]
    with SparkEngine(spark) as engine:
        keys = spark.sql(
            "SELECT CAST(k AS INT) AS k, CAST(g AS BIGINT) AS g, w FROM VALUES (3, 3, 1), "
            "(103, 3, 1), (203, 4, -1), (7, 7, 2), (7, 8, 1), (9999, 1, 1), (NULL, 1, 1) "
            "AS t(k, g, w)"
        )
        names = {
            "one": engine.hold(keys, "one").table,
            "table": engine.name(frame_of(lookup, spark), "table"),
        }
        plain = {"one": engine.name(keys, "keys"), "table": engine.name(rows, "plain")}
        engine.find(names["table"], lookup)
        text = LOOKED_UP[name]
        group = f"lookup {moment} {name}"
        spark.sparkContext.setJobGroup(group, group)
        found = spark.table(engine.compute("found", text.format(**names)).table)
        assert jobs(spark, group) > 0
        expected = spark.sql(text.format(**plain))
        assert found.dtypes == expected.dtypes
        assert texts(found) == texts(expected)
        if name in ("by an expression", "of groups"):
            return
        spark.sparkContext.setJobGroup(f"{group} again", group)
        again = spark.table(engine.compute("again", text.format(**names)).table)
        assert jobs(spark, f"{group} again") == 0, "what was found is remembered"
        assert texts(again) == texts(expected)


def test_keys_are_looked_up_together_with_all_of_their_origin(
    spark: SparkSession, table: tuple[Table, Read]
) -> None:
    (_, lookup), read = table[0]["after"], table[1]
    with SparkEngine(spark) as engine:
        changes = engine.keep(read.held, "changes").table
        name = engine.name(frame_of(lookup, spark), "table")
        engine.find(name, lookup)
        text = (
            f"SELECT c.k, t.g FROM (SELECT k, s FROM {changes} WHERE s = '{{}}') c "
            f"JOIN {name} t ON c.k = t.k"
        )
        engine.compute("some", text.format("n1"))
        spark.sparkContext.setJobGroup("others", "others")
        engine.compute("others", text.format("n2"))
        assert jobs(spark, "others") == 0


def test_no_keys_take_no_look(spark: SparkSession, table: tuple[Table, Read]) -> None:
    (_, lookup), read = table[0]["after"], table[1]
    with SparkEngine(spark) as engine:
        changes = engine.keep(read.held, "changes").table
        name = engine.name(frame_of(lookup, spark), "table")
        engine.find(name, lookup)
        spark.sparkContext.setJobGroup("none", "none")
        none = engine.compute(
            "none",
            f"SELECT c.k FROM (SELECT k FROM {changes} WHERE k < 0) c JOIN {name} t ON c.k = t.k",
        )
        assert (none.rows, jobs(spark, "none")) == (0, 0)


def test_a_change_that_is_not_in_the_table_is_left_to_spark(
    spark: SparkSession, table: tuple[Table, Read]
) -> None:
    """Rows of a table that somebody changed meanwhile: nothing is made up."""
    before = table[0]["before"][0]
    stranger = before.limit(1).selectExpr("k", "g + 77 AS g", "s", "d", "-1L AS __weight")
    lookup = stored_lookup("t", before, before, stranger)
    with SparkEngine(spark) as engine:
        keys = engine.hold(stranger.select("k"), "keys").table
        name = engine.name(frame_of(lookup, spark), "table")
        engine.find(name, lookup)
        found = engine.compute("found", f"SELECT t.* FROM {keys} c JOIN {name} t ON c.k = t.k")
        assert found.rows == 1
