"""Views whose rows depend on more than the rows of tables: clocks, settings, names, signs."""

from __future__ import annotations

import shutil
import time
from decimal import Decimal
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import rollview
from rollview import Session
from rollview.errors import BadQuery, NotIncremental, SourceReplaced
from rollview.frontend.checks import moments_in
from rollview.frontend.define import define
from rollview.maintenance.program import Kept
from rollview.planning.verdict import maintained
from rollview.runtime.catalog import Catalog
from rollview.runtime.report import Mode
from rollview.storage.delta_log import forget

pytestmark = pytest.mark.spark


@pytest.fixture
def db(own: SparkSession) -> Session:
    own.sql("CREATE TABLE t (k INT, x STRING, d DOUBLE) USING delta")
    own.sql("INSERT INTO t VALUES (1, 'a', 0.0D), (1, 'b', 2.5D)")
    return rollview.connect(own)


def rows(db: Session, name: str) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in db.read(name).collect())


def test_nth_value_of_peers(db: Session) -> None:
    db.create_view("v", "SELECT k, x, nth_value(x, 2) OVER (ORDER BY k) IS NULL AS n FROM t")
    assert rows(db, "v") == [(1, "a", False), (1, "b", False)]
    db.create_view(
        "near", "SELECT k, nth_value(x, 1) OVER (ORDER BY k RANGE 1 PRECEDING) AS n FROM t"
    )
    assert len(rows(db, "near")) == 2


def test_plain_view_with_other_names_for_its_columns(db: Session) -> None:
    db.spark.sql("CREATE VIEW pv (a, b) AS SELECT k, d FROM t")
    db.create_view("v", "SELECT CAST(a AS DOUBLE) AS a FROM pv")
    db.spark.sql("CREATE OR REPLACE VIEW pv (b, a) AS SELECT k, d FROM t")
    assert db.refresh("v").mode is Mode.FULL
    assert rows(db, "v") == [(0.0,), (2.5,)]


def test_plain_view_of_the_same_text_in_another_schema(db: Session) -> None:
    db.spark.sql("CREATE VIEW pv AS SELECT k FROM t")
    db.create_view("v", "SELECT k FROM pv")
    db.spark.sql("CREATE SCHEMA other")
    db.spark.sql("CREATE TABLE other.t (k INT) USING delta")
    here = db.spark.catalog.currentDatabase()
    db.spark.sql("USE other")
    db.spark.sql(f"CREATE OR REPLACE VIEW {here}.pv AS SELECT k FROM t")
    db.spark.sql(f"USE {here}")
    db.refresh("v")
    assert rows(db, "v") == []


@pytest.mark.parametrize(
    "moment",
    [
        "TIMESTAMP'now'",
        "TIMESTAMP_LTZ ' NOW '",
        "to_timestamp('now')",
        "CAST('no' || 'w' AS TIMESTAMP)",
    ],
)
def test_words_for_moments(db: Session, moment: str) -> None:
    db.spark.sql("CREATE TABLE e (at TIMESTAMP) USING delta")
    db.spark.sql("INSERT INTO e SELECT current_timestamp() + INTERVAL 4 SECONDS")
    text = f"SELECT at FROM e WHERE at <= {moment}"
    with pytest.raises(NotIncremental):
        db.create_view("strict", text, policy="strict")
    db.create_view("v", text)
    assert rows(db, "v") == []
    time.sleep(4)
    db.refresh("v")
    assert len(rows(db, "v")) == 1


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SELECT * FROM t TIMESTAMP AS OF '2024-01-01'", 0),
        ("SELECT * FROM t FOR SYSTEM_TIME AS OF to_timestamp('2024-01-01')", 0),
        ("SELECT * FROM t TIMESTAMP AS OF DATE'2024-01-01'", 0),
        ("SELECT * FROM t VERSION AS OF 3 WHERE at < now()", 0),
        ("SELECT * FROM t TIMESTAMP AS OF current_timestamp() - INTERVAL 1 HOUR", 1),
        ("SELECT * FROM t TIMESTAMP AS OF 'yesterday'", 1),
        ("SELECT * FROM t TIMESTAMP AS OF (SELECT max(at) FROM runs)", 1),
        ("SELECT DATE 'today' AS d, TIMESTAMP_NTZ\"tomorrow\" AS t, DATE'2024-01-01' AS c", 2),
        ("SELECT 'now' AS n, DATE(x) AS today", 0),
    ],
)
def test_moments_in_texts(text: str, found: int) -> None:
    assert len(moments_in(text)) == found


def test_time_travel_to_a_moment_in_the_text(db: Session) -> None:
    moment = db.spark.sql("DESCRIBE HISTORY t").select("timestamp").collect()[0][0]
    db.spark.sql("INSERT INTO t VALUES (2, 'c', 1.0D)")
    db.create_view("v", f"SELECT k FROM t TIMESTAMP AS OF '{moment}'", policy="strict")
    assert rows(db, "v") == [(1,), (1,)]
    db.spark.sql("INSERT INTO t VALUES (3, 'd', 1.0D)")
    assert db.refresh("v").mode is Mode.NOOP


def test_change_feed_as_a_source(db: Session) -> None:
    db.spark.sql(
        "CREATE TABLE f (k INT) USING delta TBLPROPERTIES (delta.enableChangeDataFeed=true)"
    )
    db.spark.sql("INSERT INTO f VALUES (1)")
    db.spark.sql("DELETE FROM f")
    db.create_view("v", "SELECT count(*) AS n, max(_change_type) AS c FROM table_changes('f', 0)")
    assert rows(db, "v") == [(2, "insert")]
    db.spark.sql("INSERT INTO f VALUES (2)")
    db.refresh("v")
    assert rows(db, "v") == [(3, "insert")]
    assert db.verify("v").correct


def test_encryption_with_a_random_start(db: Session) -> None:
    salted = "SELECT DISTINCT k, aes_encrypt(x, '0000111122223333') AS e FROM t"
    with pytest.raises(NotIncremental):
        db.create_view("strict", salted, policy="strict")
    db.create_view("v", salted)
    db.create_view(
        "fixed", "SELECT aes_encrypt(x, '0000111122223333', 'ECB') AS e FROM t", policy="strict"
    )
    db.spark.sql("DELETE FROM t WHERE x = 'a'")
    db.refresh()
    assert len(rows(db, "v")) == 1
    assert db.verify("fixed").correct


def test_what_is_drawn_once_and_used_twice(db: Session) -> None:
    db.create_view(
        "v",
        "WITH c AS (SELECT uuid() AS u FROM t) SELECT count(*) AS n FROM c a JOIN c b ON a.u = b.u",
    )
    assert rows(db, "v") == [(2,)]
    db.spark.sql("INSERT INTO t VALUES (2, 'c', 1.0D)")
    db.refresh("v")
    assert rows(db, "v") == [(3,)]


@pytest.mark.parametrize(
    ("settings", "constant"),
    [
        (
            {"spark.sql.session.timeZone": "America/Los_Angeles"},
            "TIMESTAMP'2021-11-07 01:30:00-08:00'",
        ),
        ({"spark.sql.timestampType": "TIMESTAMP_NTZ"}, "TIMESTAMP_LTZ'2021-11-07 01:30:00'"),
        ({"spark.sql.parser.escapedStringLiterals": "true"}, r"'a\d'"),
    ],
)
def test_constants_under_settings(db: Session, settings: dict[str, str], constant: str) -> None:
    before = {key: db.spark.conf.get(key) for key in settings}
    text = f"SELECT k, {constant} AS c, v.c AS w FROM t CROSS JOIN VALUES ({constant}) v(c)"
    try:
        for key, value in settings.items():
            db.spark.conf.set(key, value)
        wanted = sorted(tuple(row) for row in db.spark.sql(text).collect())
        db.create_view("v", text)
        db.refresh("v", full=True)
        assert rows(db, "v") == wanted
        db.spark.sql("INSERT INTO t SELECT 2, x, d FROM t")
        db.refresh("v")
        assert db.verify("v").correct
        assert len(rows(db, "v")) == 4
    finally:
        for key, value in before.items():
            db.spark.conf.set(key, str(value))


def test_signs_of_zeros_in_sources(db: Session) -> None:
    db.spark.sql("CREATE TABLE z (k INT, d DOUBLE, a ARRAY<FLOAT>) USING delta")
    db.spark.sql("INSERT INTO z VALUES (1, 0.0D, array(0.0F)), (2, -0.5D, array(-0.05F))")
    text = "SELECT k, string(d) AS d, string(a) AS a FROM z"
    db.create_view("v", text, policy="incremental")
    minus = "CAST('-0.0' AS DOUBLE)"
    for change in (
        f"UPDATE z SET d = {minus}, a = array(CAST('-0.0' AS FLOAT)) WHERE k = 1",
        f"INSERT INTO z VALUES (3, {minus}, NULL), (3, 0.0D, NULL)",
        "DELETE FROM z WHERE k = 1",
    ):
        db.spark.sql(change)
        assert db.refresh("v").mode is Mode.INCREMENTAL
        assert db.verify("v").correct, change


def test_settings_of_json(db: Session) -> None:
    key = "spark.sql.jsonGenerator.ignoreNullFields"
    db.spark.conf.set(key, "false")
    try:
        db.create_view("v", "SELECT k, to_json(struct(k, x)) AS j FROM t", policy="incremental")
    finally:
        db.spark.conf.unset(key)
    db.spark.sql("INSERT INTO t VALUES (2, NULL, NULL)")
    assert db.refresh("v").mode is Mode.INCREMENTAL
    assert '{"k":2,"x":null}' in [j for _, j in rows(db, "v")]


def followed(db: Session, query: str | dict[str, str], *changes: str) -> None:
    """The views are created, and after every change refreshed from it and compared.

    One view is concerned by every change, of several some may not be.
    """
    views = {"followed": query} if isinstance(query, str) else query
    idle = () if isinstance(query, str) else (Mode.NOOP,)
    for name, text in views.items():
        db.create_view(name, text, policy="strict")
        assert db.verify(name).correct, name
    for change in changes:
        db.spark.sql(change)
        for report in db.refresh():
            assert report.mode in (Mode.INCREMENTAL, Mode.PARTIAL, *idle), report.reason
            assert db.verify(report.view).correct, (report.view, change)


def test_structs_are_united_by_position(db: Session) -> None:
    db.spark.sql("CREATE TABLE l (s STRUCT<a: INT, b: INT>) USING delta")
    db.spark.sql("CREATE TABLE r (s STRUCT<b: INT, a: INT>, k INT) USING delta")
    followed(
        db,
        "SELECT u.s, u.s.a AS a, t.x FROM (SELECT s FROM l UNION ALL SELECT s FROM r) u "
        "LEFT JOIN t ON t.k = u.s.a",
        "INSERT INTO r SELECT named_struct('b', 1, 'a', 2), 1",
        "INSERT INTO t VALUES (1, 'one', 1), (2, 'two', 2)",
        "INSERT INTO l SELECT named_struct('a', 1, 'b', 2)",
        "DELETE FROM r",
    )


def test_averages_are_rounded_once(db: Session) -> None:
    db.spark.sql("CREATE TABLE p (g INT, x DECIMAL(18,2)) USING delta")
    db.spark.sql("INSERT INTO p VALUES (1, 0.50), (2, -0.50)")
    db.spark.sql("INSERT INTO p SELECT g, 0 FROM range(1000000), VALUES (1), (2) v(g)")
    followed(
        db,
        "SELECT g, avg(x) AS a FROM p GROUP BY g",
        "INSERT INTO p VALUES (3, 1.00), (3, 0.01)",
        "DELETE FROM p WHERE x = 0.01",
    )
    assert (1, Decimal(0)) in rows(db, "followed")


def test_strings_that_are_no_text(db: Session) -> None:
    db.spark.sql("CREATE TABLE b (x STRING, v INT) USING delta")
    db.spark.sql("INSERT INTO b SELECT CAST(X'636166E9' AS STRING), 1")
    db.spark.sql("INSERT INTO b VALUES ('${spark.app.name}', 2)")
    followed(
        db,
        "SELECT b.v, t.k FROM t JOIN b ON t.x = b.x",
        "INSERT INTO t SELECT 2, CAST(X'636166E9' AS STRING), NULL",
        "INSERT INTO t SELECT 3, x, NULL FROM b WHERE v = 2",
    )
    assert rows(db, "followed") == [(1, 2), (2, 3)]


def test_spellings_of_a_collation(db: Session) -> None:
    db.spark.sql("CREATE TABLE c (id INT, s STRING, u STRING) USING delta")
    db.spark.sql("INSERT INTO c VALUES (1, 'A', 'x'), (2, 'b', 'y')")
    views = {
        "once": "SELECT DISTINCT s COLLATE UTF8_LCASE AS s FROM c",
        "pairs": "SELECT s COLLATE UTF8_LCASE AS s, u COLLATE UTF8_LCASE AS u, count(*) AS n "
        "FROM c GROUP BY 1, 2",
        "first": "SELECT id, s COLLATE UTF8_LCASE AS s FROM c ORDER BY id LIMIT 2",
        "least": "SELECT t.k, (SELECT min(s COLLATE UTF8_LCASE) FROM c WHERE id = 1) AS m FROM t",
    }
    for change in (
        "UPDATE c SET s = 'a' WHERE id = 1",
        "INSERT INTO c VALUES (3, 'A', 'X')",
        "DELETE FROM c WHERE id = 1",
        "INSERT INTO c VALUES (4, 'a', 'X'), (5, 'B', 'Y')",
        "DELETE FROM c WHERE id = 3",
    ):
        followed(db, views, change)
        views = {}
        there = {row[0] for row in db.spark.sql("SELECT s FROM c").collect()}
        assert {row[0] for row in rows(db, "once")} <= there


def test_keys_that_tell_more_than_partitions(db: Session) -> None:
    db.spark.sql("CREATE TABLE z (id INT, p DOUBLE) USING delta")
    db.spark.sql("INSERT INTO z VALUES (1, 0.0D), (2, CAST('-0.0' AS DOUBLE))")
    followed(
        db,
        "SELECT w.id, w.n, t.k FROM (SELECT id, p, count(*) OVER (PARTITION BY p) AS n FROM z) w "
        "JOIN t ON string(w.p) = t.x",
        "INSERT INTO t VALUES (7, '0.0', NULL)",
        "INSERT INTO t VALUES (8, '-0.0', NULL)",
    )


def test_floating_windows_compare_with_what_they_said(db: Session) -> None:
    db.spark.sql("CREATE TABLE s (id INT, g STRING, x DOUBLE) USING delta")
    db.spark.sql("INSERT INTO s VALUES (3, 'a', 0.1D), (2, 'a', 0.2D), (1, 'a', 0.3D)")
    text = "SELECT id, sum(x) OVER (PARTITION BY g) AS s FROM s"
    assert any(kept.name.startswith("window") for kept in _kept(db, text))
    followed(db, text, "DELETE FROM s WHERE id = 1", "INSERT INTO s VALUES (4, 'a', 0.7D)")


def _kept(db: Session, text: str) -> list[Kept]:
    prepared = maintained(define(db.spark, text, managed={}))
    assert prepared is not None
    return list(prepared.kept)


def test_scalars_that_cannot_be_compared(db: Session) -> None:
    db.spark.sql("CREATE TABLE config (k INT, m MAP<STRING, INT>) USING delta")
    db.spark.sql("INSERT INTO config VALUES (1, map('a', 1))")
    followed(
        db,
        "SELECT k, (SELECT m FROM config WHERE k = 1) AS m FROM t",
        "UPDATE config SET m = map('a', 2)",
        "INSERT INTO t VALUES (9, NULL, NULL)",
    )


@pytest.mark.parametrize(
    "text",
    [
        "SELECT m, count(*) AS n FROM maps GROUP BY m",
        "SELECT DISTINCT make_interval(0, k) AS i FROM maps",
        "SELECT k AS __weight FROM maps",
        "SELECT array(x COLLATE UTF8_LCASE) AS a, count(*) AS n FROM t GROUP BY 1",
        "SELECT x COLLATE UTF8_LCASE AS x FROM t EXCEPT SELECT 'b' COLLATE UTF8_LCASE",
    ],
)
def test_what_has_no_rule_says_so(db: Session, text: str) -> None:
    db.spark.sql("CREATE TABLE maps (k INT, m MAP<STRING, INT>) USING delta")
    db.spark.sql("INSERT INTO maps VALUES (1, map('a', 1)), (2, map('a', 1))")
    with pytest.raises(NotIncremental):
        db.create_view("strict", text, policy="strict")
    db.create_view("v", text)
    assert db.explain("v").mode == "full"
    db.spark.sql("INSERT INTO maps VALUES (3, map('b', 1))")
    db.spark.sql("UPDATE t SET x = 'A' WHERE x = 'a'")
    assert db.refresh("v").mode is Mode.FULL
    assert db.verify("v").correct


def test_top_of_intervals_and_the_order_in_maps(db: Session) -> None:
    db.spark.sql("CREATE TABLE maps (k INT, m MAP<STRING, INT>) USING delta")
    db.spark.sql("INSERT INTO maps VALUES (1, map('a', 1, 'b', 2)), (2, map('a', 1))")
    views = {
        "top": "SELECT k, make_interval(0, k) AS i FROM maps ORDER BY k LIMIT 1",
        "names": "SELECT k, map_keys(m) AS n FROM maps",
    }
    followed(db, views, "UPDATE maps SET m = map('b', 2, 'a', 1) WHERE k = 1")
    assert (1, ["b", "a"]) in rows(db, "names")


def test_partition_that_only_the_catalog_forgets(db: Session, tmp_path: Path) -> None:
    db.spark.conf.set("spark.sql.hive.manageFilesourcePartitions", "true")
    db.spark.sql(
        f"CREATE TABLE q (k INT, d INT) USING parquet PARTITIONED BY (d) LOCATION '{tmp_path}/q'"
    )
    db.spark.sql("INSERT INTO q VALUES (1, 1), (2, 2)")
    db.create_view("v", "SELECT k FROM q")
    db.spark.sql("ALTER TABLE q DROP PARTITION (d = 1)")
    db.refresh("v")
    assert rows(db, "v") == [(2,)]


def test_another_column_of_the_same_name(db: Session) -> None:
    schema = db.spark.catalog.currentDatabase()
    name = f"iceberg.{schema}.i"
    db.spark.sql(f"CREATE TABLE {name} (k INT, a INT, b INT) USING iceberg")
    db.spark.sql(f"INSERT INTO {name} VALUES (1, 10, 20)")
    db.create_view("v", f"SELECT k, a FROM {name}", policy="incremental")
    db.create_view("other", f"SELECT k FROM {name}", policy="strict")
    db.spark.sql(f"ALTER TABLE {name} DROP COLUMN a")
    db.spark.sql(f"ALTER TABLE {name} ADD COLUMN a INT")
    db.refresh()
    assert rows(db, "v") == [(1, None)]
    assert db.refresh("v").mode is Mode.NOOP
    db.spark.sql(f"INSERT INTO {name} (k, a) VALUES (2, 30)")
    reports = db.refresh()
    assert {report.mode for report in reports} == {Mode.INCREMENTAL}, reports
    assert db.verify("v").correct
    assert db.verify("other").correct


def test_what_a_subquery_or_an_outer_generator_leaves_null(db: Session) -> None:
    db.spark.sql("CREATE TABLE o (id INT, g INT, k INT, tags STRING) USING delta")
    db.spark.sql("CREATE TABLE s (k INT, v INT NOT NULL) USING delta")
    db.spark.sql("INSERT INTO o VALUES (1, 1, 99, NULL), (2, 1, 1, 'a'), (3, 1, 1, 'b,c')")
    db.spark.sql("INSERT INTO s VALUES (1, 10)")
    value = "(SELECT coalesce(s.v, 0) FROM s WHERE s.k = o.k)"
    views = {
        "top": f"SELECT id, {value} AS v FROM o ORDER BY id LIMIT 2",
        "tags": "SELECT * FROM o LATERAL VIEW OUTER posexplode(split(tags, ',')) x AS p, tag "
        "ORDER BY id, p LIMIT 2",
        "sums": f"SELECT g, sum({value}) AS t, avg({value}) AS m, count({value}) AS n FROM o "
        "GROUP BY g",
        "once": f"SELECT DISTINCT {value} AS v FROM o",
    }
    followed(
        db,
        views,
        "INSERT INTO o VALUES (4, 7, 99, ''), (5, 7, 98, NULL)",
        "DELETE FROM o WHERE id = 1",
        "INSERT INTO s VALUES (98, 5)",
        "DELETE FROM o WHERE id IN (2, 4)",
    )


def test_columns_named_like_parts_of_statements(db: Session) -> None:
    db.spark.sql(
        "CREATE TABLE n (id INT, arr ARRAY<INT>, x1 INT, changes_1 STRUCT<id: INT>, expanded INT, "
        "single_match INT) USING delta"
    )
    views = {
        "lambdas": "SELECT id, transform(arr, y -> y + x1) AS s FROM n",
        "structs": "SELECT id, changes_1.id AS inner_id FROM n",
        "marks": "SELECT id AS `a``b`, x1 AS `c.d`, arr AS `e f` FROM n",
        "sets": "SELECT expanded, count(*) AS c, sum(x1) AS s FROM n GROUP BY ROLLUP (expanded)",
        "matches": "SELECT single_match, (SELECT x FROM t WHERE k = n.id AND x = 'a') AS x FROM n",
    }
    followed(db, views, "INSERT INTO n VALUES (1, array(10, 20), 5, named_struct('id', 42), 1, 2)")


def test_a_table_that_is_partitioned_anew(db: Session) -> None:
    db.create_view("some", "SELECT k, x FROM t WHERE k > 0", policy="incremental")
    db.create_view("groups", "SELECT k, count(*) AS n FROM t GROUP BY k", policy="incremental")
    again = db.spark.createDataFrame(db.spark.table("t").collect(), db.spark.table("t").schema)
    writer = again.write.format("delta").mode("overwrite").option("overwriteSchema", "true")
    writer.partitionBy("k").saveAsTable("t")
    for report in db.refresh():
        assert report.mode is Mode.FULL
        assert db.verify(report.view).correct
    assert rows(db, "groups") == [(1, 2)]


def test_one_partition_by_its_path(db: Session, tmp_path: Path) -> None:
    path = f"{tmp_path}/by_x"
    db.spark.table("t").write.format("delta").partitionBy("x").save(path)
    followed(
        db,
        f"SELECT k FROM delta.`{path}/x=a`",
        f"INSERT INTO delta.`{path}` VALUES (7, 'a', 0), (8, 'b', 0)",
        f"UPDATE delta.`{path}` SET x = 'a' WHERE k = 8",
        f"DELETE FROM delta.`{path}` WHERE k = 7",
    )


def test_replace_after_a_function_was_registered_anew(db: Session) -> None:
    db.spark.udf.register("f_of_k", lambda k: k + 1, "int")
    text = "SELECT DISTINCT f_of_k(k) AS y FROM t"
    db.create_view("v", text)
    db.spark.udf.register("f_of_k", lambda k: k + 100, "int")
    db.create_view("v", text, replace=True)
    assert rows(db, "v") == [(101,)]


def test_a_column_that_only_the_past_has(db: Session) -> None:
    db.spark.sql("ALTER TABLE t SET TBLPROPERTIES (delta.columnMapping.mode = 'name')")
    db.create_view("v", "SELECT x FROM t VERSION AS OF 1", policy="strict")
    db.spark.sql("ALTER TABLE t DROP COLUMN x")
    assert db.refresh("v").mode is Mode.NOOP
    assert db.verify("v").correct


def test_a_view_on_the_frame_of_a_view(db: Session) -> None:
    db.create_view("lower_one", "SELECT k, x FROM t WHERE x IS NOT NULL")
    db.create_view("upper_one", db.read("lower_one").groupBy("x").count(), policy="incremental")
    assert db.read("lower_one").schema == db.spark.table("t").select("k", "x").schema
    db.spark.sql("INSERT INTO t VALUES (5, 'a', 0), (6, 'z', 0)")
    assert [report.view for report in db.refresh()] == ["lower_one", "upper_one"]
    assert ("z", 1) in rows(db, "upper_one")
    db.create_view("lower_one", "SELECT k, 'other' AS x FROM t", replace=True)
    db.refresh()
    assert [x for x, _ in rows(db, "upper_one")] == ["other"]
    assert db.verify("upper_one").correct


def test_stored_rows_by_their_path_are_refused(db: Session) -> None:
    db.create_view("lower_one", "SELECT k FROM t")
    [path] = {file.rpartition("/")[0] for file in db.read("lower_one").inputFiles()}
    with pytest.raises(BadQuery, match="read the view by its name"):
        db.create_view("v", f"SELECT * FROM delta.`{path}`")


def test_cached_rows_of_a_view_are_not_kept(db: Session) -> None:
    db.create_view("v", "SELECT x, count(*) AS n FROM t GROUP BY x", policy="incremental")
    db.read("v").cache().count()
    db.spark.sql("CACHE TABLE v")
    for change in ("INSERT INTO t VALUES (9, 'new', 0)", "DELETE FROM t WHERE k = 9"):
        db.spark.sql(change)
        db.refresh("v")
        expected = sorted(db.spark.sql("SELECT x, count(*) FROM t GROUP BY x").collect(), key=str)
        assert sorted(db.read("v").collect(), key=str) == expected
        assert sorted(db.spark.table("v").collect(), key=str) == expected


def test_cached_files_without_a_table(db: Session, tmp_path: Path) -> None:
    path = f"{tmp_path}/files"
    db.spark.sql("SELECT 1 AS a").write.parquet(path)
    db.create_view("v", f"SELECT * FROM parquet.`{path}`")
    db.spark.read.parquet(path).cache().count()
    db.spark.sql("SELECT 2 AS a").write.mode("overwrite").parquet(f"{tmp_path}/other")
    for file in Path(tmp_path, "other").glob("*.parquet"):
        file.rename(Path(path, file.name))
    db.refresh("v")
    assert rows(db, "v") == [(1,), (2,)]


def test_files_whose_columns_are_inferred_otherwise(db: Session, tmp_path: Path) -> None:
    folder = tmp_path / "lines"
    folder.mkdir()
    (folder / "1.json").write_text('{"a": 1, "b": 1}')
    db.create_view("texts", f"SELECT a, string(b) AS b FROM json.`{folder}`")
    db.create_view("numbers", f"SELECT b FROM json.`{folder}`")
    (folder / "2.json").write_text('{"a": 2, "b": "two"}')
    by_view = {report.view: report for report in db.refresh()}
    assert by_view["texts"].mode is Mode.FULL
    assert rows(db, "texts") == [(1, "1"), (2, "two")]
    assert db.verify("texts").correct
    assert by_view["numbers"].mode is Mode.FAILED
    assert "b BIGINT became b STRING" in str(by_view["numbers"].error)


def test_paths_with_patterns(db: Session, tmp_path: Path) -> None:
    db.spark.sql("SELECT 1 AS a").write.parquet(f"{tmp_path}/day=1")
    db.create_view("v", f"SELECT a FROM parquet.`{tmp_path}/day=*`")
    db.spark.sql("SELECT 2 AS a").write.parquet(f"{tmp_path}/day=2")
    assert db.refresh("v").mode is Mode.FULL
    assert rows(db, "v") == [(1,), (2,)]
    assert db.verify("v").correct
    assert db.refresh("v").mode is Mode.NOOP


def test_paths_with_patterns_in_a_plain_view(db: Session, tmp_path: Path) -> None:
    db.spark.sql("SELECT 1 AS a").write.parquet(f"{tmp_path}/day=1")
    db.spark.sql(f"CREATE VIEW p AS SELECT a FROM parquet.`{tmp_path}/day=*`")
    db.create_view("v", "SELECT count(*) AS n FROM p")
    db.spark.sql("SELECT 2 AS a").write.parquet(f"{tmp_path}/day=2")
    assert db.refresh("v").mode is Mode.FULL
    assert rows(db, "v") == [(2,)]


def test_a_file_of_a_pattern_that_is_gone(db: Session, tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"{number}.csv").write_text(f"{number}\n")
    db.create_view("v", f"SELECT _c0 AS a FROM csv.`{tmp_path}/*.csv`")
    (tmp_path / "1.csv").unlink()
    assert db.refresh("v").mode is Mode.FULL
    assert rows(db, "v") == [("2",)]


def test_a_constant_whose_version_is_gone(db: Session) -> None:
    place = f"iceberg.{db.spark.catalog.currentDatabase()}.moments"
    db.spark.sql(f"CREATE TABLE {place} USING iceberg AS SELECT 1 AS a")
    [(first,)] = db.spark.sql(f"SELECT snapshot_id FROM {place}.snapshots").collect()
    db.create_view("v", f"SELECT a FROM {place} VERSION AS OF {first}")
    db.spark.sql(f"INSERT INTO {place} VALUES (2)")
    db.spark.sql(
        f"CALL iceberg.system.expire_snapshots(table => '{place.partition('.')[2]}', "
        "older_than => TIMESTAMP '2999-01-01', retain_last => 1)"
    )
    assert db.refresh("v").mode is Mode.NOOP
    assert rows(db, "v") == [(1,)]
    db.spark.sql(f"DROP TABLE {place}")


def test_a_partition_in_a_folder_with_a_space(db: Session, tmp_path: Path) -> None:
    db.spark.conf.set("spark.sql.hive.manageFilesourcePartitions", "true")
    db.spark.sql("CREATE TABLE parts (a INT, p INT) USING parquet PARTITIONED BY (p)")
    place = tmp_path / "my part"
    db.spark.sql("SELECT 1 AS a").write.parquet(str(place))
    db.spark.sql(f"ALTER TABLE parts ADD PARTITION (p = 1) LOCATION '{place}'")
    db.create_view("v", "SELECT a FROM parts")
    assert rows(db, "v") == [(1,)]
    db.spark.sql("SELECT 2 AS a").write.mode("append").parquet(str(place))
    assert db.refresh("v").mode is Mode.FULL
    assert rows(db, "v") == [(1,), (2,)]


def test_numbered_rows_that_are_chosen_by_another_column(db: Session) -> None:
    """Which of two equal rows is the first decides whether there is one at all."""
    db.spark.sql(
        "CREATE TABLE ties USING delta AS SELECT * FROM VALUES (1, 1, 7), (1, 1, 3) AS t(a, b, c)"
    )
    numbered = "SELECT *, row_number() OVER (PARTITION BY a ORDER BY b) AS n FROM ties"
    for name, condition in (("by_c", "n = 1 AND c > 5"), ("by_both", "n <= c - 6")):
        db.create_view(name, f"SELECT a FROM ({numbered}) WHERE {condition}")
        assert db.verify(name).correct


def test_partitions_by_a_timestamp_in_another_zone(db: Session) -> None:
    utc = "spark.databricks.delta.write.utcTimestampPartitionValues"
    db.spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    for name, value in (("with_zone", "true"), ("without_zone", "false")):
        db.spark.conf.set(utc, value)
        db.spark.sql(f"CREATE TABLE {name} (k INT, at TIMESTAMP) USING delta PARTITIONED BY (at)")
        db.spark.sql(f"INSERT INTO {name} VALUES (1, TIMESTAMP'2024-07-01 00:00:00')")
        db.create_view(f"of_{name}", f"SELECT at, sum(k) AS s FROM {name} GROUP BY at")
        db.spark.sql(f"INSERT INTO {name} VALUES (2, TIMESTAMP'2024-07-01 00:00:00')")
        db.spark.conf.unset(utc)
    db.spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    for report in db.refresh():
        assert report.mode is Mode.INCREMENTAL, report.reason
        assert db.verify(report.view).correct
        assert [s for _, s in rows(db, report.view)] == [3]


def test_status_sees_the_clock_and_redefined_views(db: Session) -> None:
    db.spark.sql("CREATE VIEW plain AS SELECT k FROM t")
    db.create_view("on_plain", "SELECT * FROM plain")
    db.create_view("by_date", "SELECT k FROM t WHERE current_date() > DATE'2020-01-01'")
    db.create_view("by_time", "SELECT k FROM t WHERE now() > TIMESTAMP'2020-01-01 00:00:00'")
    assert {s.name: s.fresh for s in db.status()} == {
        "by_date": True,
        "by_time": False,
        "on_plain": True,
    }
    db.spark.sql("CREATE OR REPLACE VIEW plain AS SELECT k FROM t WHERE k > 1")
    assert not db.status("on_plain")[0].fresh


def test_averages_of_long_decimals(db: Session) -> None:
    types = ("DECIMAL(18,2)", "DECIMAL(17,4)", "DECIMAL(24,2)", "DECIMAL(30,2)", "DECIMAL(38,2)")
    columns = ", ".join(f"x{i} {type}" for i, type in enumerate(types))
    db.spark.sql(f"CREATE TABLE p (g INT, {columns}) USING delta")
    long = "1234567890123456.78, 1234567890123.4567, 1234567890123456789012.34"
    db.spark.sql(f"INSERT INTO p VALUES (1, {long}, 12345678901234567.89, 1234567890123456.78)")
    views = {f"of_x{i}": f"SELECT g, avg(x{i}) AS a FROM p GROUP BY g" for i in range(len(types))}
    followed(
        db,
        views,
        "INSERT INTO p VALUES (1, -0.01, 0.0001, 1, 3, -5), (2, 1, 1, 1, 1, 1)",
        "DELETE FROM p WHERE g = 1 AND x0 < 0",
    )
    assert (1, Decimal("1234567890123456.780000")) in rows(db, "of_x0")


def test_structs_of_a_union_whose_first_part_is_not_concerned(db: Session) -> None:
    db.spark.sql("CREATE TABLE l (s STRUCT<a: INT, b: INT>) USING delta")
    db.spark.sql("CREATE TABLE r (s STRUCT<b: INT, a: INT>) USING delta")
    db.spark.sql("INSERT INTO r SELECT struct(b, a) FROM VALUES (1, 100), (5, 7) v(b, a)")
    both = "SELECT 'L' AS src, s FROM l UNION ALL SELECT 'R', s FROM r"
    followed(
        db,
        f"SELECT src, max(s.a) AS m FROM ({both}) GROUP BY src",
        "DELETE FROM r WHERE s.b = 5",
        "INSERT INTO l SELECT struct(3, 4)",
    )
    assert rows(db, "followed") == [("L", 3), ("R", 1)]


def test_equal_and_not_the_same_inside_and_alone(db: Session) -> None:
    db.spark.sql("CREATE TABLE c (id INT, s STRING, z DOUBLE) USING delta")
    db.spark.sql("INSERT INTO c VALUES (1, 'a', 0.0D), (2, 'b', 1.0D)")
    tags = "SELECT id, array(s COLLATE UTF8_LCASE) AS tags FROM c"
    views = {
        "first_tags": f"{tags} ORDER BY id LIMIT 2",
        "one_tag": f"SELECT k, (SELECT tags FROM ({tags}) WHERE id = 1) AS m FROM t",
        "one_zero": "SELECT k, string((SELECT z FROM c WHERE id = 1)) AS s FROM t",
        "zeros": "SELECT string(max(z)) AS s FROM c GROUP BY id",
    }
    followed(
        db,
        views,
        "UPDATE c SET s = 'A', z = -0.0D WHERE id = 1",
        "INSERT INTO c VALUES (3, 'x', 0.0D)",
        "UPDATE c SET z = 5.0D WHERE id = 1",
    )
    assert sorted(s for (s,) in rows(db, "zeros")) == ["0.0", "1.0", "5.0"]
    assert (1, ["A"]) in rows(db, "first_tags")


def test_calendar_intervals_inside_arrays(db: Session) -> None:
    query = "SELECT k, x, array(make_interval(0, k)) AS a FROM t"
    db.create_view("first_ones", f"{query} ORDER BY k, x LIMIT 1")
    db.create_view("once", f"SELECT DISTINCT a FROM ({query})")
    db.spark.sql("INSERT INTO t VALUES (0, 'z', 1)")
    for report in db.refresh():
        assert report.error is None
        assert db.verify(report.view).correct


def test_timestamps_with_a_zone_where_the_word_means_another_type(db: Session) -> None:
    db.spark.sql("CREATE TABLE at (ts TIMESTAMP_LTZ, k INT) USING delta")
    db.spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    db.spark.sql("INSERT INTO at VALUES (TIMESTAMP_LTZ'2024-07-01 10:00:00', 1)")
    db.spark.conf.set("spark.sql.timestampType", "TIMESTAMP_NTZ")
    db.create_view("v", "SELECT ts, count(*) AS n FROM at GROUP BY ts")
    db.spark.sql("INSERT INTO at VALUES (TIMESTAMP_LTZ'2024-07-01 10:00:00', 2)")
    db.refresh("v")
    assert [n for _, n in rows(db, "v")] == [2]
    assert db.verify("v").correct


def test_microseconds_are_kept_whatever_the_session_writes(db: Session) -> None:
    db.spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MILLIS")
    query = "SELECT timestamp_micros(k + 1234567L) AS ts, count(*) AS n FROM t GROUP BY 1"
    db.create_view("v", query)
    db.spark.sql("INSERT INTO t VALUES (1, 'c', 1)")
    db.refresh("v")
    assert [n for _, n in rows(db, "v")] == [3]
    assert db.verify("v").correct


def test_rows_before_where_only_a_compaction_is_left(db: Session) -> None:
    db.spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    db.spark.sql("CREATE TABLE u (k INT, y INT) USING delta")
    db.spark.sql("INSERT INTO t VALUES (7, 'n', -0.0D)")
    db.create_view("v", "SELECT string(t.d) AS s, u.y FROM t JOIN u USING (k)", policy="strict")
    db.spark.sql("OPTIMIZE t")
    db.spark.sql("VACUUM t RETAIN 0 HOURS")
    db.spark.sql("INSERT INTO t VALUES (8, 'm', 1)")
    db.spark.sql("INSERT INTO u VALUES (7, 1)")
    db.refresh("v")
    assert rows(db, "v") == [("-0.0", 1)]
    assert db.verify("v").correct


def copied(db: Session, name: str) -> Path:
    place = db.spark.sql(f"DESCRIBE DETAIL {name}").collect()[0]["location"]
    folder = Path("/" + place.removeprefix("file:").lstrip("/"))
    shutil.copytree(folder, folder.with_name(f"{folder.name}_copy"))
    return folder


def restore(db: Session, folder: Path) -> None:
    shutil.rmtree(folder)
    folder.with_name(f"{folder.name}_copy").rename(folder)
    forget(db.spark, f"file:{folder}")


def test_a_table_that_was_restored_from_a_copy(db: Session) -> None:
    folder = copied(db, "t")
    db.spark.sql("INSERT INTO t VALUES (5, 'lost', 1)")
    db.create_view("v", "SELECT x FROM t")
    restore(db, folder)
    db.spark.sql("INSERT INTO t VALUES (5, 'kept', 1)")
    assert not db.status("v")[0].fresh
    with pytest.raises(SourceReplaced, match="t was restored from a copy"):
        db.verify("v")
    assert db.refresh("v").mode is Mode.FULL
    assert rows(db, "v") == [("a",), ("b",), ("kept",)]


def test_rows_of_a_view_that_were_restored_from_a_copy(db: Session) -> None:
    db.create_view("v", "SELECT x FROM t", policy="incremental")
    [place] = {file.rpartition("/")[0] for file in db.read("v").inputFiles()}
    folder = Path("/" + place.removeprefix("file:").lstrip("/"))
    shutil.copytree(folder, folder.with_name("data_copy"))
    for number in range(3):
        db.spark.sql(f"INSERT INTO t VALUES ({number}, 'new {number}', 1)")
        if number < 2:
            db.refresh("v")
    restore(db, folder)
    db.refresh("v")
    assert rows(db, "v") == [("a",), ("b",), ("new 0",), ("new 1",), ("new 2",)]
    assert db.verify("v").correct


def test_views_above_rows_that_were_restored_from_a_copy(db: Session) -> None:
    db.create_view("v", "SELECT k, x FROM t", policy="incremental")
    db.create_view("above", "SELECT k, count(*) AS n FROM v GROUP BY k", policy="incremental")
    [place] = {file.rpartition("/")[0] for file in db.read("v").inputFiles()}
    folder = Path("/" + place.removeprefix("file:").lstrip("/"))
    shutil.copytree(folder, folder.with_name("data_copy"))
    db.spark.sql("INSERT INTO t VALUES (8, 'new', 1)")
    db.refresh()
    restore(db, folder)
    db.spark.sql("INSERT INTO t VALUES (9, 'newer', 1)")
    db.refresh()
    assert db.verify("v").correct
    assert db.verify("above").correct
    assert [k for k, _ in rows(db, "above")][-2:] == [8, 9]


def test_a_definition_that_a_crash_kept_from_being_written(
    db: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    db.spark.sql("CREATE VIEW p AS SELECT x FROM t")
    db.create_view("v", "SELECT x FROM p")
    db.spark.sql("CREATE OR REPLACE VIEW p AS SELECT upper(x) AS x FROM t")
    with monkeypatch.context() as patched:
        patched.setattr(Catalog, "replace", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            db.refresh("v")
    db.spark.sql("CREATE OR REPLACE VIEW p AS SELECT x FROM t")
    assert db.refresh("v").mode is Mode.FULL
    assert rows(db, "v") == [("a",), ("b",)]


def test_state_that_lost_some_of_its_files(db: Session) -> None:
    db.create_view("v", "SELECT k, count(*) AS n FROM t GROUP BY k", policy="incremental")
    view = db._catalog.get("v")
    state = Path(db._lake.view_folder(view.view_id), "state")
    for part in state.rglob("part-*"):
        part.unlink()
    db.spark.sql("INSERT INTO t VALUES (1, 'c', 1)")
    report = db.refresh("v")
    assert report.mode is Mode.FULL
    assert "the state of some operators is not there" in str(report.reason)
    assert rows(db, "v") == [(1, 3)]


def test_an_iceberg_name_that_is_given_to_another_column(db: Session) -> None:
    place = f"iceberg.{db.spark.catalog.currentDatabase()}.prices"
    db.spark.sql(f"CREATE TABLE {place} (id INT, price INT) USING iceberg")
    db.spark.sql(f"INSERT INTO {place} VALUES (1, 10)")
    db.spark.sql(f"ALTER TABLE {place} RENAME COLUMN price TO amount")
    db.create_view("v", f"SELECT id, amount FROM {place}", policy="incremental")
    db.spark.sql(f"ALTER TABLE {place} ADD COLUMN other INT")
    assert db.refresh("v").mode is Mode.NOOP
    db.spark.sql(f"ALTER TABLE {place} RENAME COLUMN amount TO amount_old")
    db.spark.sql(f"ALTER TABLE {place} ADD COLUMN amount INT")
    assert db.refresh("v").mode is Mode.FULL
    assert rows(db, "v") == [(1, None)]
    db.spark.sql(f"INSERT INTO {place} (id, amount) VALUES (2, 20)")
    db.refresh("v")
    assert db.verify("v").correct
    assert db.read("v").count() == 2


def test_iceberg_fields_that_were_dropped_and_added(db: Session) -> None:
    place = f"iceberg.{db.spark.catalog.currentDatabase()}.nested"
    inner = "STRUCT<a: INT, x: INT>"
    db.spark.sql(
        f"CREATE TABLE {place} (id INT, s {inner}, l ARRAY<{inner}>, m MAP<STRING, {inner}>) "
        "USING iceberg"
    )
    one = "named_struct('a', 10, 'x', 20)"
    db.spark.sql(f"INSERT INTO {place} SELECT 1, {one}, array({one}), map('k', {one})")
    for column in ("s", "l.element", "m.value"):
        db.spark.sql(f"ALTER TABLE {place} DROP COLUMN {column}.a")
        db.spark.sql(f"ALTER TABLE {place} ADD COLUMN {column}.b INT")
    query = "SELECT s.x, s.b, l[0].x AS lx, l[0].b AS lb, m['k'].x AS mx, m['k'].b AS mb FROM"
    db.create_view("v", f"{query} {place}", policy="incremental")
    assert rows(db, "v") == [(20, None, 20, None, 20, None)]
    db.spark.sql(f"ALTER TABLE {place} DROP COLUMN s.b")
    db.spark.sql(f"ALTER TABLE {place} ADD COLUMN s.b INT")
    db.refresh("v")
    db.spark.sql(f"INSERT INTO {place} (id, s) SELECT 2, named_struct('x', 1, 'b', 2)")
    db.refresh("v")
    assert db.verify("v").correct
    assert db.read("v").count() == 2


def test_an_iceberg_branch_by_its_name(db: Session) -> None:
    place = f"iceberg.{db.spark.catalog.currentDatabase()}.branched"
    db.spark.sql(f"CREATE TABLE {place} (id INT) USING iceberg")
    db.spark.sql(f"INSERT INTO {place} VALUES (1)")
    db.spark.sql(f"ALTER TABLE {place} CREATE BRANCH audit")
    db.spark.sql(f"INSERT INTO {place}.branch_audit VALUES (2)")
    db.create_view("v", f"SELECT id FROM {place}.branch_audit")
    assert rows(db, "v") == [(1,), (2,)]
    db.spark.sql(f"INSERT INTO {place}.branch_audit VALUES (3)")
    db.refresh("v")
    assert rows(db, "v") == [(1,), (2,), (3,)]


def test_another_catalog_is_current(db: Session) -> None:
    here = db.spark.catalog.currentDatabase()
    db.spark.sql(f"CREATE SCHEMA IF NOT EXISTS iceberg.{here}")
    db.spark.sql(f"USE iceberg.{here}")
    try:
        db.create_view("v", f"SELECT k, count(*) AS n FROM spark_catalog.{here}.t GROUP BY k")
        db.spark.sql(f"INSERT INTO spark_catalog.{here}.t VALUES (1, 'z', 0)")
        db.refresh("v")
        assert rows(db, "v") == [(1, 3)]
        assert db.verify("v").correct
    finally:
        db.spark.sql(f"USE spark_catalog.{here}")
