"""Spark SQL as DuckDB reads it."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

import pytest

from tests.properties.dialect import arguments, closing, to_duckdb
from tests.properties.duckdb_engine import DuckEngine, connect

RESULTS = {
    "SELECT 1L + 2L": [(3,)],
    "SELECT NULL <=> NULL, 1 <=> NULL": [(True, False)],
    "SELECT '1L <=> `' AS `odd name`": [("1L <=> `",)],
    "SELECT sequence(1L, sum(a)) FROM (SELECT 2 AS a)": [([1, 2],)],
    "SELECT avg(CAST(a AS DECIMAL(12,2))) FILTER (WHERE (a > 0)) FROM (SELECT 1 AS a)": [
        (Decimal("1.000000"),)
    ],
    "SELECT named_struct('0', 1, '1', array(2, 3))": [({"0": 1, "1": [2, 3]},)],
    "SELECT CAST(NULL AS ARRAY<INT>)": [(None,)],
    "SELECT CAST(array() AS ARRAY<STRUCT<p: INT, q: MAP<STRING, INT>>>)": [([],)],
    "SELECT map_from_arrays(array('a', 'b'), array(1, 2))['b']": [(2,)],
    "SELECT get(array(7, 8), 1), get(array(7), 1), array_size(array(7))": [(8, None, 1)],
    "SELECT CAST(NULL AS MAP<STRING, TIMESTAMP_NTZ>)": [(None,)],
    "SELECT TIMESTAMP_NTZ '2020-02-29 12:00:00'": [(datetime(2020, 2, 29, 12),)],
    "SELECT unhex('ff00')": [(b"\xff\x00",)],
    "SELECT CAST(NULL AS STRUCT<p: DECIMAL(12,2), q: STRING>)": [(None,)],
    "SELECT id FROM range(2)": [(0,), (1,)],
    "WITH t AS (SELECT 1 AS a)\nSELECT /*+ BROADCAST(t) */ a FROM t": [(1,)],
    "WITH t AS (SELECT 1 AS a), u AS (SELECT 2 AS b)\n"
    "SELECT a FROM t\nLEFT ANTI JOIN u\n  ON (a = b)": [(1,)],
    "WITH t AS (SELECT 1 AS a, 2 AS b)\n"
    "SELECT a, i\nFROM t\nLATERAL VIEW explode(array(a, b)) e AS i": [(1, 1), (1, 2)],
    "WITH t AS (SELECT 1 AS a)\n"
    "SELECT a, i\nFROM t\nLATERAL VIEW OUTER explode(CASE WHEN (a > 1) THEN array(a) END) e AS i": [
        (1, None)
    ],
    "WITH t AS (SELECT 7 AS a)\n"
    "SELECT a, p, i\nFROM t\nLATERAL VIEW posexplode(array(a, 8)) e AS p, i": [
        (7, 0, 7),
        (7, 1, 8),
    ],
}


@pytest.mark.parametrize("statement", RESULTS)
def test_results(statement: str) -> None:
    assert DuckEngine(connect()).rows(statement) == RESULTS[statement]


def test_text_is_left_alone() -> None:
    assert to_duckdb("SELECT 'LEFT SEMI JOIN 5L'") == "SELECT 'LEFT SEMI JOIN 5L'"


def test_parentheses_in_text_do_not_count() -> None:
    assert closing("f(')', g(1))", 1) == 11
    assert arguments("a, f(b, c), ','") == ["a", "f(b, c)", "','"]
