"""Rendered algebra, run on DuckDB: each operator gives the rows that are expected by hand."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest
import sqlglot

from rollview.algebra.expressions import ColumnRef
from rollview.algebra.relations import JoinKind, Named, Project, Scan
from rollview.algebra.schema import Column
from rollview.errors import InternalError
from rollview.sql.render import render
from rollview.testing import assert_same_rows
from tests.algebra.examples import EXAMPLES, LEAVES, PEOPLE

SETUP = """
    CREATE TABLE people AS SELECT * FROM (VALUES
      (1, 'ann', 'a', 100), (2, 'ben', 'a', 40), (3, 'cat', 'b', 60), (4, NULL, NULL, 60),
      (5, 'eve', 'z', NULL)) t(id, name, team, pay);
    CREATE TABLE teams AS SELECT * FROM (VALUES ('a', 'Alpha'), ('b', 'Beta'), ('c', NULL),
      (NULL, 'none')) t(code, title);
    CREATE TABLE after_people AS FROM people;
    CREATE TABLE before_people AS FROM people WHERE id < 3;
    CREATE TABLE changes_people AS SELECT *, CAST(1 AS BIGINT) AS __weight FROM people WHERE id > 2;
    CREATE TABLE state_aggregate_1 AS SELECT 'a' AS team, CAST(140 AS BIGINT) AS total;
    CREATE TABLE keys_1 AS SELECT DISTINCT team FROM changes_people"""

ANN, BEN, CAT = (1, "ann", "a", 100), (2, "ben", "a", 40), (3, "cat", "b", 60)
DAN, EVE = (4, None, None, 60), (5, "eve", "z", None)
ALPHA, BETA, GAMMA, NONE = ("a", "Alpha"), ("b", "Beta"), ("c", None), (None, "none")
NOTHING = (None, None)
NOBODY = (None, None, None, None)
MATCHED = [(*ANN, *ALPHA), (*BEN, *ALPHA), (*CAT, *BETA)]

EXPECTED: dict[str, list[tuple[object, ...]]] = {
    "scan": [ANN, BEN, CAT, DAN, EVE],
    "values": [(1, "x")],
    "project": [(1, 100), (2, 40), (3, 60), (4, 60), (5, None)],
    "filter": [(1,), (3,), (4,)],
    "join_inner": MATCHED,
    "join_cross": [(*p, *t) for p in (ANN, BEN, CAT, DAN, EVE) for t in (ALPHA, BETA, GAMMA, NONE)],
    "join_left": [*MATCHED, (*DAN, *NOTHING), (*EVE, *NOTHING)],
    "join_right": [*MATCHED, (*NOBODY, *GAMMA), (*NOBODY, *NONE)],
    "join_full": [
        *MATCHED,
        (*DAN, *NOTHING),
        (*EVE, *NOTHING),
        (*NOBODY, *GAMMA),
        (*NOBODY, *NONE),
    ],
    "join_semi": [ANN, BEN, CAT],
    "join_anti": [DAN, EVE],
    "join_existence": [(*p, p in (ANN, BEN, CAT)) for p in (ANN, BEN, CAT, DAN, EVE)],
    "aggregate": [("a", 140, 100), ("b", 60, 60), (None, 60, 60), ("z", None, None)],
    "aggregate_global": [(260,)],
    "aggregate_without_inverse": [(60.0,)],
    "distinct": [("a",), ("b",), (None,), ("z",)],
    "union": [("a",), ("a",), ("b",), (None,), ("z",), ("a",), ("b",), ("c",), (None,)],
    "intersect": [("a",), ("b",), (None,)],
    "intersect_all": [("a",), ("b",), (None,)],
    "except": [("z",)],
    "except_all": [("a",), ("z",)],
    "window": [(1, 100), (2, 140), (3, 60), (4, 60), (5, None)],
    "window_global": [(1, 100), (2, 140), (3, 200), (4, 260), (5, 260)],
    "filter_rank": [(*ANN, 2), (*BEN, 1), (*CAT, 1), (*DAN, 1), (*EVE, 1)],
    "sort": [(1,), (2,), (3,), (4,), (5,)],
    "top_k": [(1,), (3,)],
    "top_k_offset": [(3,), (4,)],
    "single_row": [(260,)],
    "recursion": [(i,) for start in (1, 2, 3, 4) for i in range(start, 5)] + [(5,)],
    "recursion_constant": [(1,), (2,), (3,), (4,)],
    "changes": [(*CAT, 1), (*DAN, 1), (*EVE, 1)],
    "before": [ANN, BEN],
    "after": [ANN, BEN, CAT, DAN, EVE],
    "state": [("a", 140)],
    "temporary": [("b",), (None,), ("z",)],
    "generate": [
        (1, 1),
        (1, 100),
        (2, 2),
        (2, 40),
        (3, 3),
        (3, 60),
        (4, 4),
        (4, 60),
        (5, 5),
        (5, None),
    ],
}

# What only Spark runs; the round trip tests cover these.
SPARK_ONLY = {"expand", "join_single", "table_function"}


@pytest.fixture(scope="module")
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = duckdb.connect()
    connection.execute(SETUP)
    yield connection
    connection.close()


def test_every_example_is_expected() -> None:
    assert EXPECTED.keys() | SPARK_ONLY == EXAMPLES.keys()


@pytest.mark.parametrize("name", EXPECTED)
def test_rows(engine: duckdb.DuckDBPyConnection, name: str) -> None:
    (text,) = sqlglot.transpile(render(EXAMPLES[name], LEAVES), read="spark", write="duckdb")
    result = engine.execute(text)
    assert [c[0] for c in result.description] == [c.name for c in EXAMPLES[name].columns]
    assert_same_rows(result.fetchall(), EXPECTED[name])


@pytest.mark.parametrize("name", EXAMPLES)
def test_rendered_text_parses(name: str) -> None:
    assert len(sqlglot.parse(render(EXAMPLES[name], LEAVES), read="spark")) == 1


def test_one_common_table_expression_per_operator() -> None:
    assert render(EXAMPLES["filter"], LEAVES) == (
        "WITH scan_1 AS (\n"
        "  SELECT id, name, team, pay\n"
        "  FROM people\n"
        "),\n"
        "filter_1 AS (\n"
        "  SELECT id, name, team, pay\n"
        "  FROM scan_1\n"
        "  WHERE (pay > 50)\n"
        "),\n"
        "project_1 AS (\n"
        "  SELECT id\n"
        "  FROM filter_1\n"
        ")\n"
        "SELECT id\n"
        "FROM project_1"
    )


def test_equal_inputs_are_written_once() -> None:
    text = render(EXAMPLES["union"], LEAVES)
    assert text.count("FROM people") == 1
    assert render(EXAMPLES["join_inner"], LEAVES).count("JOIN") == 1


def test_odd_names_are_quoted() -> None:
    odd = ("a b", "select", "tick`", "größe", "A.b")
    scan = Scan("s", odd, tuple(Column(f"c{i}", "INT") for i in range(len(odd))))
    items = tuple(Named(name, ColumnRef(f"c{i}", "INT")) for i, name in enumerate(odd))
    text = render(Project(scan, items), {"s": "`odd table`"})
    for name in ("`a b`", "`select`", "`tick```", "`größe`", "`A.b`", "`odd table`"):
        assert name in text


def test_a_line_break_in_a_name_is_not_indented() -> None:
    odd = Project(PEOPLE, (Named("it's\na `name", ColumnRef("id", "INT")),))
    statement = render(Project(odd, (Named("x", ColumnRef("it's\na `name", "INT")),)), LEAVES)
    assert statement.count("`it's\na ``name`") == 2
    assert "\n  SELECT" in statement


def test_missing_leaf_is_named() -> None:
    with pytest.raises(InternalError, match="people"):
        render(PEOPLE, {})


def test_all_kinds_of_join_have_an_example() -> None:
    assert {f"join_{kind.value}" for kind in JoinKind} <= EXAMPLES.keys()
