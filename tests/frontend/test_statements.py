"""Our SQL statements are recognised however they are typed, and nothing else is."""

from __future__ import annotations

import pytest

from rollview.errors import BadStatement
from rollview.frontend.statements import (
    CreateView,
    DescribeView,
    DropView,
    ExplainCreate,
    RefreshView,
    ShowViews,
    Statement,
    parse,
)

OURS: list[tuple[str, Statement]] = [
    ("CREATE MATERIALIZED VIEW v AS SELECT 1", CreateView("v", "SELECT 1")),
    ("create materialized view v as select 1;", CreateView("v", "select 1")),
    (
        "CREATE OR REPLACE MATERIALIZED VIEW v AS SELECT 1",
        CreateView("v", "SELECT 1", replace=True),
    ),
    (
        "CREATE MATERIALIZED VIEW IF NOT EXISTS a.b.v AS SELECT 1",
        CreateView("a.b.v", "SELECT 1", if_not_exists=True),
    ),
    ("CREATE MATERIALIZED VIEW v REFRESH POLICY AUTO AS TABLE t", CreateView("v", "TABLE t")),
    (
        "CREATE MATERIALIZED VIEW v REFRESH POLICY incremental AS TABLE t",
        CreateView("v", "TABLE t", "incremental"),
    ),
    (
        "CREATE MATERIALIZED VIEW v REFRESH POLICY INCREMENTAL STRICT AS TABLE t",
        CreateView("v", "TABLE t", "strict"),
    ),
    (
        "CREATE MATERIALIZED VIEW v REFRESH POLICY FULL AS TABLE t",
        CreateView("v", "TABLE t", "full"),
    ),
    (
        "-- monthly\n/* a /* b */ c */ CREATE\n MATERIALIZED -- really\n VIEW v AS\n SELECT 1",
        CreateView("v", "SELECT 1"),
    ),
    (
        "CREATE MATERIALIZED VIEW `my sales`.`a``b` AS SELECT 1",
        CreateView("`my sales`.`a``b`", "SELECT 1"),
    ),
    ("CREATE MATERIALIZED VIEW `plain` AS SELECT 1", CreateView("plain", "SELECT 1")),
    ("CREATE MATERIALIZED VIEW `AS` AS SELECT 1", CreateView("AS", "SELECT 1")),
    ("CREATE MATERIALIZED VIEW refresh AS SELECT 1", CreateView("refresh", "SELECT 1")),
    ("CREATE MATERIALIZED VIEW 2024_sales AS SELECT 1", CreateView("2024_sales", "SELECT 1")),
    (
        "CREATE MATERIALIZED VIEW v AS\n  SELECT  'a; AS b', \"--\"  -- not; the end\n ;; ",
        CreateView("v", "SELECT  'a; AS b', \"--\"  -- not; the end"),
    ),
    (
        "CREATE MATERIALIZED VIEW v AS WITH x AS (SELECT 1 AS a) SELECT * FROM x",
        CreateView("v", "WITH x AS (SELECT 1 AS a) SELECT * FROM x"),
    ),
    (
        "CREATE MATERIALIZED VIEW v AS SELECT /*+ BROADCAST(t) */ r'\\d', 12L, x'1F', `a b` FROM t",
        CreateView("v", "SELECT /*+ BROADCAST(t) */ r'\\d', 12L, x'1F', `a b` FROM t"),
    ),
    ("CREATE MATERIALIZED VIEW v AS(SELECT 1)", CreateView("v", "(SELECT 1)")),
    (
        "EXPLAIN CREATE MATERIALIZED VIEW v AS SELECT 1",
        ExplainCreate(CreateView("v", "SELECT 1")),
    ),
    (
        "explain create or replace materialized view v refresh policy full as select 1",
        ExplainCreate(CreateView("v", "select 1", "full", replace=True)),
    ),
    ("REFRESH MATERIALIZED VIEW v", RefreshView("v")),
    ("refresh materialized view s.v full;", RefreshView("s.v", full=True)),
    ("REFRESH MATERIALIZED VIEW full", RefreshView("full")),
    ("DROP MATERIALIZED VIEW v", DropView("v")),
    ("DROP MATERIALIZED VIEW IF EXISTS `v 1`", DropView("`v 1`", if_exists=True)),
    ("SHOW MATERIALIZED VIEWS", ShowViews()),
    ("DESCRIBE MATERIALIZED VIEW v", DescribeView("v")),
    ("DESC MATERIALIZED VIEW s.v", DescribeView("s.v")),
]

NOT_OURS = [
    "",
    "   -- nothing",
    "SELECT 1",
    "SELECT 'CREATE MATERIALIZED VIEW v AS SELECT 1'",
    "-- CREATE MATERIALIZED VIEW v AS\nSELECT 1",
    "CREATE VIEW v AS SELECT 1",
    "CREATE OR REPLACE TABLE t AS SELECT 1",
    "CREATE TABLE materialized (view INT)",
    "REFRESH TABLE t",
    "DESCRIBE materialized",
    "EXPLAIN SELECT 1",
    "SHOW TABLES",
    "SHOW VIEWS",
    "DROP VIEW v",
    "`CREATE` MATERIALIZED VIEW v AS SELECT 1",
    "SELECT 'not closed",
]

NEAR_MISSES = [
    ("CREATE MATERIALIZED VIEW v", "line 1, column 27: expected AS, found the end"),
    ("CREATE MATERIALIZED VIEW v SELECT 1", "line 1, column 28: expected AS, found SELECT"),
    ("CREATE MATERIALIZED\nVIEW my-view AS SELECT 1", "line 2, column 8: expected AS, found -"),
    ("CREATE MATERIALIZED VIEW v (a, b) AS SELECT 1", "expected AS, found ("),
    ("CREATE MATERIALIZED VIEW AS SELECT 1", "expected a name, found AS"),
    ("CREATE MATERIALIZED VIEW s. AS SELECT 1", "expected a name, found AS"),
    ("CREATE MATERIALIZED VIEW 'v' AS SELECT 1", "expected a name, found 'v'"),
    ("CREATE MATERIALIZED TABLE v AS SELECT 1", "expected VIEW, found TABLE"),
    ("CREATE MATERIALIZED VIEW v AS", "the query after AS is missing"),
    ("CREATE MATERIALIZED VIEW v AS ;", "the query after AS is missing"),
    ("CREATE MATERIALIZED VIEW v AS SELECT 1; SELECT 2", "did not expect SELECT"),
    ("CREATE MATERIALIZED VIEW v REFRESH AS SELECT 1", "expected POLICY, found AS"),
    (
        "CREATE MATERIALIZED VIEW v REFRESH POLICY HOURLY AS SELECT 1",
        "unknown refresh policy HOURLY",
    ),
    (
        "CREATE OR REPLACE MATERIALIZED VIEW IF NOT EXISTS v AS SELECT 1",
        "OR REPLACE and IF NOT EXISTS exclude each other",
    ),
    ("CREATE MATERIALIZED VIEW v AS SELECT 'a", "cannot be read"),
    ("EXPLAIN CREATE MATERIALIZED VIEW v", "expected AS, found the end"),
    ("REFRESH MATERIALIZED VIEW", "expected a name, found the end"),
    ("REFRESH MATERIALIZED VIEW v FAST", "did not expect FAST"),
    ("DROP MATERIALIZED VIEW IF NOT EXISTS v", "did not expect NOT"),
    ("SHOW MATERIALIZED VIEW", "expected VIEWS, found VIEW"),
    ("SHOW MATERIALIZED VIEWS LIKE 'a'", "did not expect LIKE"),
    ("DESCRIBE MATERIALIZED VIEW", "expected a name, found the end"),
]


@pytest.mark.parametrize(("text", "statement"), OURS)
def test_statement_is_recognised(text: str, statement: Statement) -> None:
    assert parse(text) == statement


@pytest.mark.parametrize("text", NOT_OURS)
def test_other_text_is_left_to_spark(text: str) -> None:
    assert parse(text) is None


@pytest.mark.parametrize(("text", "message"), NEAR_MISSES)
def test_near_miss_names_position_and_fix(text: str, message: str) -> None:
    with pytest.raises(BadStatement) as caught:
        parse(text)
    assert message in caught.value.message
    assert caught.value.hint
