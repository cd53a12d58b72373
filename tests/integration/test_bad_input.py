"""Bad input: every mistake has an error of its own, with a message that helps."""

from __future__ import annotations

import json
import re
import shutil

import pytest
from pyspark.sql import SparkSession

import rollview
from rollview import RollviewError, Session
from rollview import errors as e
from rollview.runtime.report import Mode
from rollview.testing import assert_same_rows, assert_view_matches_recompute
from tests.integration.conftest import control, leftovers, make_orders

pytestmark = pytest.mark.spark

COUNT = "SELECT count(*) AS n FROM orders"
SUMS = "SELECT customer, sum(amount) AS total FROM orders GROUP BY customer"


def refused(db: Session, name: str, query: str, **options: object) -> RollviewError:
    with pytest.raises(RollviewError) as caught:
        db.create_view(name, query, **options)  # type: ignore[arg-type]
    assert "stacktrace" not in str(caught.value)
    assert "\n\tat " not in str(caught.value)
    return caught.value


def test_queries_that_spark_refuses_leave_nothing_behind(db: Session, own: SparkSession) -> None:
    for query, kind, message in [
        ("SELEC 1", e.BadQuery, "PARSE_SYNTAX_ERROR"),
        ("SELECT * FROM nowhere", e.UnknownTable, "there is no table or view `nowhere`"),
        ("SELECT custmer FROM orders", e.UnknownColumn, "there is no column `custmer`"),
        ("SELECT frob(id) FROM orders", e.UnknownFunction, "there is no function `frob`"),
        ("SELECT id, id AS ID FROM orders", e.DuplicateColumn, "two columns named"),
    ]:
        error = refused(db, "x", query)
        assert isinstance(error, kind), error
        assert message in str(error)
    error = refused(db, "x", own.createDataFrame([(1,)], "a INT"))  # type: ignore[arg-type]
    assert isinstance(error, e.DataWithoutTable)
    assert leftovers(db) == []


def test_a_query_that_fails_while_it_runs(db: Session, own: SparkSession) -> None:
    error = refused(db, "x", "SELECT 1 / (id - 1) AS q FROM orders")
    assert isinstance(error, e.EvaluationFailed)
    assert "could not compute the view x: [DIVIDE_BY_ZERO]" in str(error)
    assert leftovers(db) == []
    assert db.views() == []


def test_names(db: Session, own: SparkSession) -> None:
    own.sql("CREATE VIEW plain AS SELECT 1 AS one")
    own.range(1).createOrReplaceTempView("temporary")
    db.create_view("Counted", COUNT)
    schema = own.catalog.currentDatabase()
    for name, kind, message in [
        ("counted", e.ViewExists, "a materialized view Counted exists already"),
        ("ORDERS", e.NameTaken, f"{schema}.ORDERS is the name of a table or view that rollview"),
        ("plain", e.NameTaken, "rollview did not make"),
        ("temporary", e.NameTaken, "temporary view temporary, which would hide"),
        ("elsewhere.v", e.BadName, f"is not in the schema spark_catalog.{schema}"),
        ("a b", e.BadName, "'a b' cannot be the name of a view"),
        ("", e.BadName, "'' cannot be the name of a view"),
        ("_rollview/x", e.BadName, "cannot be the name of a view"),
    ]:
        error = refused(db, name, COUNT)
        assert isinstance(error, kind), error
        assert message in str(error)
    assert db.create_view(f"{schema}.other", COUNT).name == "other"
    with pytest.raises(e.UnknownView, match="there is no materialized view missing"):
        db.drop_view("missing")
    db.drop_view("missing", if_exists=True)


def test_a_failing_view_does_not_stop_the_others(db: Session, own: SparkSession) -> None:
    db.create_view("ratio", "SELECT id, 100 / amount AS r FROM orders")
    db.create_view("upper_ratio", "SELECT max(r) AS m FROM ratio")
    db.create_view("counted", COUNT)
    own.sql("INSERT INTO orders VALUES (4, 'c', 0)")
    reports = {report.view: report for report in db.refresh()}  # type: ignore[union-attr]
    assert reports["counted"].mode is Mode.INCREMENTAL
    assert reports["ratio"].mode is Mode.FAILED
    assert reports["ratio"].error is not None
    assert reports["ratio"].error["code"] == "QUERY.EVALUATION"
    assert reports["upper_ratio"].mode is Mode.SKIPPED
    assert "ratio, which it reads, could not be" in str(reports["upper_ratio"].reason)
    with pytest.raises(e.DependencyFailed, match="upper_ratio was not refreshed, since ratio"):
        db.refresh("upper_ratio")
    assert len(db.read("ratio").collect()) == 3
    assert db.history("ratio", limit=1)[0].mode is Mode.FAILED
    assert_view_matches_recompute(db, "ratio")


def test_a_base_table_dropped_and_created_anew(db: Session, own: SparkSession) -> None:
    db.create_view("counted", COUNT)
    db.create_view("sums", SUMS, policy="strict")
    own.sql("DROP TABLE orders")
    with pytest.raises(e.SourceMissing, match=r"the table spark_catalog\.\w+\.orders does not"):
        db.refresh("counted")
    assert_same_rows(db.read("counted"), [(3,)])
    status = {s.name: s for s in db.status()}
    assert status["counted"].problem is not None
    assert status["counted"].problem["code"] == "SOURCE.MISSING"

    make_orders(own)
    with pytest.raises(e.SourceReplaced, match="refresh it first"):
        db.verify("counted")
    report = db.refresh("counted")
    assert "orders was dropped and created anew" in str(report.reason)  # type: ignore[union-attr]
    assert_view_matches_recompute(db, "counted")
    with pytest.raises(e.SourceReplaced, match="its policy is strict"):
        db.refresh("sums")
    assert db.refresh("sums", full=True).mode is Mode.FULL  # type: ignore[union-attr]


def test_used_columns_dropped_and_retyped(db: Session, own: SparkSession) -> None:
    db.create_view("sums", SUMS)
    db.create_view("counted", COUNT)
    own.sql("CREATE OR REPLACE TABLE orders USING delta AS SELECT 1 AS id, 'a' AS customer")
    with pytest.raises(e.SourceChanged, match=r"the column amount of .*orders is gone; it has: id"):
        db.refresh("sums")
    own.sql(
        "CREATE OR REPLACE TABLE orders USING delta AS "
        "SELECT 1 AS id, 'a' AS customer, 1.5D AS amount"
    )
    with pytest.raises(e.SourceChanged, match=r"amount of .*orders was INT and is DOUBLE now"):
        db.refresh("sums")
    assert db.refresh("counted").mode is Mode.FULL  # type: ignore[union-attr]
    assert_same_rows(db.read("sums"), [("a", 40), ("b", 20)])
    db.create_view("sums", SUMS, replace=True)
    assert_same_rows(db.read("sums"), [("a", 1.5)])


def test_a_used_column_of_iceberg_retyped(db: Session, own: SparkSession) -> None:
    """It makes no snapshot: the version is the same, and only the columns tell."""
    table = f"iceberg.{own.catalog.currentDatabase()}.events"
    own.sql(f"CREATE TABLE {table} USING iceberg AS SELECT 1 AS id, 'a' AS customer, 10 AS amount")
    listed = f"SELECT id, amount FROM {table}"
    db.create_view("listed", listed)
    db.create_view("rigid", listed, policy="strict")
    db.create_view("people", f"SELECT customer FROM {table}", policy="strict")
    own.sql(f"ALTER TABLE {table} ALTER COLUMN amount TYPE BIGINT")
    told = f"the column amount of {table} was INT and is BIGINT now"
    other = "and the view listed would have other columns: amount INT became amount BIGINT"
    for view, why in (("listed", f", {other}"), ("rigid", "; the view rigid uses it")):
        with pytest.raises(e.SourceChanged, match=told + why):
            db.refresh(view)
        with pytest.raises(e.SourceChanged, match=f"{told}; the view {view} uses it"):
            db.verify(view)
        assert db.read(view).dtypes == [("id", "int"), ("amount", "int")]
        assert_same_rows(db.read(view), [(1, 10)])
    assert db.refresh("people").mode is Mode.NOOP  # type: ignore[union-attr]
    assert_view_matches_recompute(db, "people")

    db.create_view("listed", listed, replace=True)
    assert db.read("listed").dtypes == [("id", "int"), ("amount", "bigint")]
    assert_view_matches_recompute(db, "listed")
    own.sql(f"INSERT INTO {table} VALUES (2, 'b', 5000000000)")
    db.refresh("listed")
    assert_same_rows(db.read("listed"), [(1, 10), (2, 5_000_000_000)])
    assert_view_matches_recompute(db, "listed")
    own.sql(f"DROP TABLE {table}")


def test_a_used_column_retyped_under_a_view_that_stays_the_same(
    db: Session, own: SparkSession
) -> None:
    db.create_view("totals", SUMS)
    db.create_view("rigid", SUMS, policy="strict")
    db.create_view("framed", own.table("orders").where("amount > 10").select("id"))
    db.create_view("known", "SELECT date_add(DATE'2020-01-01', amount) AS day FROM orders")
    own.sql("ALTER TABLE orders SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true')")
    own.sql("ALTER TABLE orders ALTER COLUMN amount TYPE BIGINT")
    own.sql("INSERT INTO orders VALUES (9, 'z', 5000000000)")
    told = r"the column amount of .*orders was INT and is BIGINT now"
    with pytest.raises(e.SourceChanged, match=f"{told}; the view totals uses it"):
        db.verify("totals")
    report = db.refresh("totals")
    assert report.mode is Mode.FULL  # type: ignore[union-attr]
    assert re.search(told, str(report.reason))  # type: ignore[union-attr]
    assert_view_matches_recompute(db, "totals")
    for view in ("rigid", "framed"):
        with pytest.raises(e.SourceChanged, match=f"{told}; the view {view} uses it"):
            db.refresh(view)
    with pytest.raises(e.SourceChanged, match=f"{told}, and the query of known is none any more"):
        db.refresh("known")
    own.sql("DELETE FROM orders WHERE id = 9")
    assert db.refresh("totals").mode is Mode.INCREMENTAL  # type: ignore[union-attr]
    assert_view_matches_recompute(db, "totals")


def test_a_plain_view_redefined(db: Session, own: SparkSession) -> None:
    own.sql("CREATE VIEW big AS SELECT * FROM orders WHERE amount >= 20")
    query = "SELECT id FROM big"
    db.create_view("loose", query)
    db.create_view("rigid", query, policy="strict")
    own.sql("CREATE OR REPLACE VIEW big AS SELECT * FROM orders WHERE amount >= 30")
    report = db.refresh("loose")
    assert report.mode is Mode.FULL  # type: ignore[union-attr]
    assert re.search(r"the view .*big.* was redefined", str(report.reason))  # type: ignore[union-attr]
    assert_same_rows(db.read("loose"), [(3,)])
    assert db.refresh("loose").mode is Mode.NOOP  # type: ignore[union-attr]
    assert_view_matches_recompute(db, "loose")
    with pytest.raises(e.DependencyChanged, match="its policy is strict"):
        db.refresh("rigid")
    own.sql("CREATE OR REPLACE VIEW big AS SELECT string(id) AS id FROM orders")
    with pytest.raises(e.DependencyChanged, match="other columns: id INT became id STRING"):
        db.refresh("loose")
    own.sql("DROP VIEW big")
    with pytest.raises(e.DependencyChanged, match=r"big.*, which the view loose uses, does not"):
        db.refresh("loose")


def test_corrupt_definitions(db: Session, own: SparkSession) -> None:
    db.create_view("counted", COUNT)
    db.create_view("sums", SUMS)
    path = control(db) / "definitions" / "counted.json"
    good = path.read_text()
    for text in ("", "{}", good[:100], good.replace('"Aggregate"', '"Agregate"')):
        path.write_text(text)
        with pytest.raises(e.DefinitionCorrupt, match="the definition of the view counted cannot"):
            db.read("counted")
    reports = {r.view: r for r in rollview.connect(own).refresh()}  # type: ignore[union-attr]
    assert reports["sums"].mode is Mode.NOOP
    assert reports["counted"].mode is Mode.FAILED
    assert db.status()[-1].problem is not None
    db.drop_view("counted")
    assert [view.name for view in db.views()] == ["sums"]
    db.refresh()
    assert len(list((control(db) / "views").glob("*"))) == 1


def test_stored_rows_that_are_gone(db: Session, own: SparkSession) -> None:
    view = db.create_view("counted", COUNT)
    shutil.rmtree(control(db) / "views" / view.stored.view_id)
    with pytest.raises(e.DefinitionCorrupt, match="the stored rows of counted cannot be read"):
        db.read("counted")
    db.drop_view("counted")
    db.create_view("counted", COUNT)


def test_a_broken_log_of_one_view(db: Session, own: SparkSession) -> None:
    view = db.create_view("counted", COUNT)
    db.create_view("upper", "SELECT max(n) AS m FROM counted")
    db.create_view("sums", SUMS)
    own.sql("INSERT INTO orders VALUES (4, 'c', 1)")
    log = control(db) / "views" / view.stored.view_id / "data" / "_delta_log"
    max(log.glob("*.json")).write_text("{")
    own._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()  # type: ignore[union-attr]
    own.sql("DROP VIEW counted")  # as in a new process, which has to publish it first
    again = rollview.connect(own)
    reports = {r.view: r for r in again.refresh()}  # type: ignore[union-attr]
    assert {name: r.mode for name, r in reports.items()} == {
        "counted": Mode.FAILED,
        "upper": Mode.SKIPPED,
        "sums": Mode.INCREMENTAL,
    }
    told = "the log of the stored rows of counted cannot be read"
    assert told in str(reports["counted"].reason)
    assert_view_matches_recompute(again, "sums")
    with pytest.raises(e.DefinitionCorrupt, match=told):
        again.verify("counted")
    with pytest.raises(e.DefinitionCorrupt, match=told):
        again.refresh("upper", cascade=False)
    problems = {s.name: s.problem for s in again.status()}
    assert problems["counted"] is not None
    assert told in str(problems["counted"]["message"])
    assert problems["sums"] is None
    again.drop_view("upper")
    again.drop_view("counted")
    again.create_view("counted", COUNT)
    assert_same_rows(again.read("counted"), [(4,)])


def test_a_lake_of_a_newer_version(db: Session, own: SparkSession) -> None:
    db.create_view("counted", COUNT)
    (control(db) / "format.json").write_text(json.dumps({"format": 99, "rollview": "9.1"}))
    with pytest.raises(e.LakeTooNew, match=r"has format 99, written by rollview 9\.1"):
        rollview.connect(own)
    (control(db) / "format.json").write_text("?")
    with pytest.raises(e.DefinitionCorrupt, match=r"format\.json cannot be read"):
        rollview.connect(own)


def test_lost_watermarks_lead_to_a_full_refresh(db: Session, own: SparkSession) -> None:
    view = db.create_view("counted", COUNT)
    folder = control(db) / "views" / view.stored.view_id / "refreshes"
    for file in folder.iterdir():
        file.write_text("not json")
    report = db.refresh("counted")
    assert report.mode is Mode.FULL  # type: ignore[union-attr]
    assert "not known which versions" in str(report.reason)  # type: ignore[union-attr]
    assert_view_matches_recompute(db, "counted")


def test_what_fails_while_it_is_analyzed(db: Session) -> None:
    with pytest.raises(e.BadQuery, match="'x'"):
        db.create_view("v", "SELECT id FROM orders ORDER BY id LIMIT CAST('x' AS INT)")
    with pytest.raises(e.BadQuery, match="'x'"):
        db.explain("SELECT id FROM orders ORDER BY id LIMIT CAST('x' AS INT)")


def test_names_that_are_nearly_right(db: Session) -> None:
    with pytest.raises(e.UnknownTable) as caught:
        db.create_view("v", "SELECT * FROM order")
    assert caught.value.hint == "the tables nearest in name are orders"


def test_a_type_that_cannot_be_stored(db: Session) -> None:
    point = "ST_GeomFromWKB(X'0101000000000000000000F03F0000000000000040')"
    with pytest.raises(e.RollviewError, match=r"(?i)geo"):
        db.create_view("v", f"SELECT id, {point} AS p FROM orders")
    assert db.views() == []
