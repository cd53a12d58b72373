"""What Spark's own optimizer would spoil, and what the analyzed plan says about a query."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from rollview import errors
from rollview.algebra.codec import decode, encode
from rollview.algebra.definition import Definition, DependencyKind, ReasonCode, SourceKind
from rollview.algebra.fingerprint import fingerprint
from rollview.algebra.relations import Aggregate, Filter, Join, Scan
from rollview.algebra.traverse import walk
from rollview.frontend.define import define, original
from rollview.sql.render import render
from rollview.testing import assert_same_rows

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def tables(spark: SparkSession) -> Iterator[SparkSession]:
    """A schema with a fact table, a dimension, an empty table and plain views."""
    spark.sql("CREATE SCHEMA IF NOT EXISTS defining")
    spark.sql("USE defining")
    spark.sql("CREATE TABLE fact (id INT, day INT, amount INT) USING delta PARTITIONED BY (day)")
    spark.sql("INSERT INTO fact VALUES (1, 1, 10), (2, 1, NULL), (3, 2, 30), (3, 2, 30)")
    spark.sql("CREATE TABLE dim (day INT, name STRING) USING delta PARTITIONED BY (day)")
    spark.sql("INSERT INTO dim VALUES (1, 'one'), (2, 'two'), (3, NULL)")
    spark.sql("CREATE TABLE nothing (id INT, t STRING) USING delta")
    spark.sql("CREATE VIEW plain AS SELECT id, amount FROM fact WHERE amount > 5")
    yield spark
    spark.sql("USE default")
    spark.sql("DROP SCHEMA defining CASCADE")


def rendered(spark: SparkSession, definition: Definition) -> DataFrame:
    assert definition.relation is not None, definition.reasons
    return spark.sql(render(definition.relation, {s.id: s.name for s in definition.sources}))


def check(spark: SparkSession, query: str) -> Definition:
    """Define, render, run, compare; and the original over its own tables."""
    definition = define(spark, query, managed={})
    expected = spark.sql(query)
    assert_same_rows(rendered(spark, definition), expected)
    leaves = {s.id: spark.table(s.name) for s in definition.sources}
    assert_same_rows(original(spark, definition, leaves), expected)
    assert decode(json.loads(json.dumps(encode(definition)))) == definition
    return definition


def kinds(definition: Definition) -> list[type]:
    assert definition.relation is not None
    return [type(node) for node in walk(definition.relation)]


def test_filter_on_an_iceberg_partition_column_stays(tables: SparkSession) -> None:
    catalog = _iceberg_catalog(tables)
    name = f"{catalog}.defining.parted"
    tables.sql(f"CREATE TABLE {name} (id INT, day INT) USING iceberg PARTITIONED BY (day)")
    tables.sql(f"INSERT INTO {name} VALUES (1, 1), (2, 1), (3, 2)")
    try:
        definition = check(tables, f"SELECT id FROM {name} WHERE day = 1")
        assert Filter in kinds(definition)
        assert definition.sources[0].provider == "iceberg"
        assert {c.name for c in definition.sources[0].columns} == {"id", "day"}
    finally:
        tables.sql(f"DROP TABLE {name}")


def _iceberg_catalog(spark: SparkSession) -> str:
    keys = spark.sparkContext.getConf().getAll()
    for key, value in keys:
        if value == "org.apache.iceberg.spark.SparkCatalog":
            return key.removeprefix("spark.sql.catalog.")
    pytest.fail("the local session has no Iceberg catalog")


def test_cached_table_is_still_a_scan(tables: SparkSession) -> None:
    tables.sql("CACHE TABLE fact")
    try:
        assert Scan in kinds(check(tables, "SELECT sum(amount) AS s FROM fact"))
    finally:
        tables.sql("UNCACHE TABLE fact")


def test_star_join_over_partitions_has_no_runtime_filter(tables: SparkSession) -> None:
    query = "SELECT f.id, d.name FROM fact f JOIN dim d ON f.day = d.day WHERE d.name = 'one'"
    definition = check(tables, query)
    assert kinds(definition).count(Join) == 1
    assert kinds(definition).count(Scan) == 2


@pytest.mark.parametrize("call", ["count(*)", "max(day)", "min(id)", "count(amount)"])
@pytest.mark.parametrize("provider", ["delta", "iceberg"])
def test_aggregate_over_a_whole_table_stays(tables: SparkSession, call: str, provider: str) -> None:
    table = "fact"
    if provider == "iceberg":
        table = "iceberg.whole.fact"
        tables.sql(f"CREATE TABLE IF NOT EXISTS {table} USING iceberg AS SELECT * FROM fact")
    definition = check(tables, f"SELECT {call} AS x FROM {table}")
    assert {Aggregate, Scan} <= set(kinds(definition))


def test_empty_table_stays(tables: SparkSession) -> None:
    definition = check(tables, "SELECT t, count(*) AS n FROM nothing GROUP BY t")
    assert Scan in kinds(definition)


def test_scans_are_narrow(tables: SparkSession) -> None:
    definition = check(tables, "SELECT id FROM fact WHERE amount IS NOT NULL")
    assert [c.name for c in definition.sources[0].columns] == ["id", "amount"]


def test_time_travelled_table_is_another_source(tables: SparkSession) -> None:
    query = "SELECT a.id FROM fact a JOIN fact VERSION AS OF 1 b ON a.id = b.id"
    definition = define(tables, query, managed={})
    assert [s.pinned for s in definition.sources] == [None, "1"]
    assert len({s.id for s in definition.sources}) == 2


def test_managed_view_is_not_looked_into(tables: SparkSession) -> None:
    managed = {"spark_catalog.defining.plain": "plain"}
    query = "SELECT p.id, f.day FROM plain p JOIN fact f ON p.id = f.id"
    definition = define(tables, query, managed=managed)
    assert [s.kind for s in definition.sources] == [SourceKind.VIEW, SourceKind.TABLE]
    assert not definition.dependencies
    leaves = {"plain": tables.table("plain"), "fact": tables.table("fact")}
    assert_same_rows(original(tables, definition, leaves), tables.sql(query))


def test_plain_view_is_a_dependency(tables: SparkSession) -> None:
    definition = check(tables, "SELECT sum(amount) AS s FROM plain")
    assert [(d.kind, d.name) for d in definition.dependencies] == [
        (DependencyKind.VIEW, "`spark_catalog`.`defining`.`plain`")
    ]
    assert "amount > 5" in definition.dependencies[0].text


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("SELECT rand() AS r FROM fact", ReasonCode.NON_DETERMINISTIC),
        ("SELECT uuid() AS r FROM fact", ReasonCode.NON_DETERMINISTIC),
        ("SELECT id FROM fact LIMIT 2", ReasonCode.NON_DETERMINISTIC),
        ("SELECT 1 AS one, id FROM fact LIMIT 2", ReasonCode.NON_DETERMINISTIC),
        ("SELECT rand() AS one FROM fact LIMIT 2", ReasonCode.NON_DETERMINISTIC),
        ("WITH a AS (SELECT id FROM fact) SELECT * FROM a LIMIT 2", ReasonCode.NON_DETERMINISTIC),
        ("SELECT id FROM fact TABLESAMPLE (50 PERCENT)", ReasonCode.NON_DETERMINISTIC),
        ("SELECT id, _metadata.file_name AS f FROM fact", ReasonCode.NON_DETERMINISTIC),
        ("SELECT current_user() AS u, id FROM fact", ReasonCode.NON_DETERMINISTIC),
        ("SELECT id FROM fact WHERE day < day(current_date())", ReasonCode.TIME_DEPENDENT),
        ("SELECT id FROM fact WHERE now() > TIMESTAMP '2020-01-01'", ReasonCode.TIME_DEPENDENT),
        ("SELECT CAST('today' AS DATE) AS d, id FROM fact", ReasonCode.TIME_DEPENDENT),
    ],
)
def test_reasons(tables: SparkSession, query: str, code: ReasonCode) -> None:
    assert code in {reason.code for reason in define(tables, query, managed={}).reasons}


@pytest.mark.parametrize(
    "query",
    [
        "SELECT sum(amount) AS s FROM fact LIMIT 5",
        "SELECT id FROM fact ORDER BY id, day, amount LIMIT 2",
        "SELECT id FROM fact WHERE id IN (SELECT max(id) FROM fact)",
        "SELECT 1 AS one, 'x' AS x FROM fact WHERE id > 1 LIMIT 2",
        "SELECT a.one + 1 AS two FROM (SELECT 1 AS one FROM fact) AS a LIMIT 2 OFFSET 1",
        "WITH a AS (SELECT 1 AS one FROM fact), b AS (SELECT one FROM a LIMIT 1)"
        " SELECT id FROM fact CROSS JOIN (SELECT (SELECT one FROM b) AS s) WHERE s IS NOT NULL",
    ],
)
def test_no_reason_where_the_result_is_determined(tables: SparkSession, query: str) -> None:
    assert define(tables, query, managed={}).reasons == ()


def test_session_variable_and_declared_chance(tables: SparkSession) -> None:
    tables.sql("DECLARE OR REPLACE VARIABLE factor INT DEFAULT 2")
    tables.udf.register("dice", F.udf(lambda x: x, "int").asNondeterministic())
    for query, piece in (
        ("SELECT id * factor AS x FROM fact", "factor"),
        ("SELECT dice(id) AS x FROM fact", "dice("),
    ):
        reasons = define(tables, query, managed={}).reasons
        assert reasons[0].code is ReasonCode.NON_DETERMINISTIC
        assert piece in reasons[0].piece


def test_what_is_not_understood_is_named(tables: SparkSession) -> None:
    query = "SELECT count(*) AS n FROM fact GROUP BY session_window(timestamp_seconds(id), '1 day')"
    definition = define(tables, query, managed={})
    assert definition.relation is None
    assert [(r.code, r.piece) for r in definition.reasons] == [
        (ReasonCode.NOT_UNDERSTOOD, "SessionWindow: session_window(...)")
    ]
    frame = tables.table("fact").mapInPandas(lambda batches: batches, "id INT")
    pieces = {r.code: r.piece for r in define(tables, frame, managed={}).reasons}
    assert pieces[ReasonCode.OPAQUE_FUNCTION] == "MapInPandas"
    assert pieces[ReasonCode.NOT_UNDERSTOOD].startswith("MapInPandas")


def test_clock_is_not_folded_into_a_constant(tables: SparkSession) -> None:
    definition = define(tables, "SELECT id FROM fact WHERE day < day(now())", managed={})
    assert definition.relation is not None
    assert "now()" in render(definition.relation, {"fact": "fact"})


def test_hidden_argument_is_never_lost(tables: SparkSession) -> None:
    """Field names of arrays_zip come from column names, which the algebra changes."""
    query = """
        SELECT arrays_zip(a.xs, b.xs) AS z
        FROM (SELECT id, array(amount) AS xs FROM fact) a
        JOIN (SELECT id, array(day) AS xs FROM fact) b ON a.id = b.id
    """
    definition = check(tables, query)
    found, expected = rendered(tables, definition).schema, tables.sql(query).schema
    assert (
        found.simpleString() == expected.simpleString() == "struct<z:array<struct<xs:int,xs:int>>>"
    )


def test_settings_are_kept(tables: SparkSession) -> None:
    settings = dict(define(tables, "SELECT id FROM fact", managed={}).settings)
    assert settings["rollview.schema"] == "defining"
    assert {"spark.sql.session.timeZone", "spark.sql.ansi.enabled"} <= set(settings)


@pytest.mark.parametrize(
    ("query", "error", "says"),
    [
        ("SELEC id FROM fact", errors.BadQuery, "SELEC"),
        ("SELECT id FROM fakt", errors.UnknownTable, "fakt"),
        ("SELECT idd FROM fact", errors.UnknownColumn, "idd"),
        ("SELECT frobnicate(id) AS x FROM fact", errors.UnknownFunction, "frobnicate"),
        ("SELECT id FROM fact QUALIFY row_number() OVER (ORDER BY id) = 1", errors.BadQuery, "("),
        ("SELECT id, id FROM fact", errors.DuplicateColumn, "id"),
        ("SELECT id, day AS ID FROM fact", errors.DuplicateColumn, "ID"),
        ("SELECT id + map(1, 2) AS x FROM fact", errors.BadQuery, "DATATYPE_MISMATCH"),
    ],
)
def test_refused(
    tables: SparkSession, query: str, error: type[errors.RollviewError], says: str
) -> None:
    with pytest.raises(error) as caught:
        define(tables, query, managed={})
    assert says in caught.value.message
    assert "JVM" not in str(caught.value)
    assert "SQLSTATE" not in str(caught.value)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM fact",
        "DROP TABLE fact",
        "INSERT INTO fact VALUES (9, 9, 9)",
        "CREATE TABLE oops (id INT) USING delta",
        "TRUNCATE TABLE fact",
        "SET spark.sql.ansi.enabled = false",
    ],
)
def test_a_statement_is_refused_and_not_executed(tables: SparkSession, statement: str) -> None:
    with pytest.raises(errors.BadQuery, match="statement"):
        define(tables, statement, managed={})
    assert tables.table("fact").count() == 4
    assert not tables.catalog.tableExists("oops")
    assert tables.conf.get("spark.sql.ansi.enabled") == "true"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id FROM fact WHERE (SELECT max(day) FROM dim) BETWEEN day AND id",
        "SELECT nullif((SELECT max(name) FROM dim), 'x') AS m, id FROM fact",
        "SELECT sum(amount) + (SELECT max(day) FROM dim) AS a, (SELECT max(day) FROM dim) AS b "
        "FROM fact",
        "SELECT * FROM (SELECT id, (SELECT max(day) FROM dim) AS m FROM fact) WHERE m > id",
    ],
)
def test_the_same_scalar_subquery_twice(tables: SparkSession, query: str) -> None:
    check(tables, query)


def test_the_same_query_has_the_same_fingerprint(tables: SparkSession) -> None:
    query = "SELECT transform(array(id, day), x -> x + 1) AS xs FROM fact"
    first, again = (define(tables, query, managed={}) for _ in range(2))
    assert fingerprint(first) == fingerprint(again)
    frame = tables.table("fact").select(F.transform(F.array("id"), lambda x: x + 1).alias("xs"))
    same = tables.table("fact").select(F.transform(F.array("id"), lambda x: x + 1).alias("xs"))
    other = tables.table("fact").select(F.transform(F.array("id"), lambda x: x + 2).alias("xs"))
    prints = [fingerprint(define(tables, f, managed={})) for f in (frame, same, other)]
    assert prints[0] == prints[1] != prints[2]


def test_sort_within_partitions_is_no_order(tables: SparkSession) -> None:
    definition = define(tables, "SELECT id FROM fact SORT BY id LIMIT 2", managed={})
    assert [reason.code for reason in definition.reasons] == [ReasonCode.NON_DETERMINISTIC]


def test_exists_is_not_left_open(tables: SparkSession) -> None:
    query = "SELECT id FROM fact WHERE EXISTS (SELECT * FROM dim WHERE name = 'one')"
    assert check(tables, query).left_open == ()


def test_temporary_view_is_refused_in_text_only(tables: SparkSession) -> None:
    tables.table("fact").createOrReplaceTempView("passing")
    with pytest.raises(errors.TemporaryObject, match="passing"):
        define(tables, "SELECT id FROM passing", managed={})
    definition = define(tables, tables.table("passing").select("id"), managed={})
    assert_same_rows(rendered(tables, definition), tables.table("fact").select("id"))


def test_data_without_a_table_is_refused(tables: SparkSession) -> None:
    frame = tables.createDataFrame([(1, "a")], "id INT, t STRING")
    with pytest.raises(errors.DataWithoutTable, match="no table"):
        define(tables, frame.join(tables.table("fact"), "id"), managed={})


def test_stream_is_refused(tables: SparkSession) -> None:
    with pytest.raises(errors.StreamingQuery):
        define(tables, tables.readStream.table("fact"), managed={})


def test_anonymous_function_is_refused_and_a_registered_one_kept(tables: SparkSession) -> None:
    def nameless(x):  # type: ignore[no-untyped-def]
        return x + 1

    with pytest.raises(errors.AnonymousFunction, match="nameless"):
        define(
            tables, tables.table("fact").select(F.udf(nameless, "int")("id").alias("x")), managed={}
        )
    with pytest.raises(errors.AnonymousFunction, match="<lambda>"):
        define(
            tables,
            tables.table("fact").select(F.udf(lambda x: x, "int")("id").alias("x")),
            managed={},
        )
    tables.udf.register("increment", lambda x: x + 1, "int")
    definition = check(tables, "SELECT increment(id) AS x FROM fact")
    assert [d.name for d in definition.dependencies] == ["increment"]


def test_dataframe_is_kept_as_a_plan(tables: SparkSession) -> None:
    frame = (
        tables.table("fact").groupBy("day").agg(F.sum("amount").alias("s")).where("s IS NOT NULL")
    )
    definition = define(tables, frame, managed={})
    assert definition.text is None
    again = decode(json.loads(json.dumps(encode(definition))))
    leaves = {s.id: tables.table(s.name) for s in again.sources}
    assert_same_rows(original(tables, again, leaves), frame)


def test_original_reads_the_given_versions(tables: SparkSession) -> None:
    query = "SELECT count(*) AS n FROM fact WHERE id IN (SELECT id FROM fact)"
    definition = define(tables, query, managed={})
    before = tables.sql("SELECT * FROM fact VERSION AS OF 0")
    frame = original(tables, definition, {definition.sources[0].id: before})
    assert [row.n for row in frame.collect()] == [0]
