"""The program that EXPLAIN shows, run on DuckDB as it is printed, gives the change of the view."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import duckdb
import pytest
import sqlglot

from rollview.algebra.relations import Relation
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.prepare import Prepared, prepare
from rollview.sql.program import render_program
from rollview.sql.render import render
from tests.algebra.examples import DEFINITIONS, PEOPLE
from tests.properties.dialect import MACROS, to_duckdb

SETUP = """
    CREATE TABLE before_people AS SELECT * FROM (VALUES
      (1, 'ann', 'a', 100), (2, 'ben', 'a', 40), (3, 'cat', 'b', 60), (4, NULL, NULL, 60),
      (5, 'eve', 'z', NULL)) t(id, name, team, pay);
    CREATE TABLE changes_people AS SELECT *, CAST(w AS BIGINT) AS __weight FROM (VALUES
      (1, 'ann', 'a', 100, -1), (3, 'cat', 'b', 60, -1), (3, 'cat', 'c', 61, 1),
      (6, 'fay', 'z', 120, 1), (2, 'ben', 'a', 40, 1)) t(id, name, team, pay, w);
    CREATE TABLE before_teams AS SELECT * FROM (VALUES ('a', 'Alpha'), ('b', 'Beta'), ('c', NULL),
      (NULL, 'none')) t(code, title);
    CREATE TABLE changes_teams AS SELECT *, CAST(w AS BIGINT) AS __weight FROM (VALUES
      ('a', 'Alpha', -1), ('z', 'Zeta', 1), ('b', 'Beta', 1)) t(code, title, w);
    CREATE TABLE after_people AS FROM before_people UNION ALL
      SELECT id, name, team, pay FROM changes_people WHERE __weight > 0;
    DELETE FROM after_people WHERE (id, team) IN ((1, 'a'), (3, 'b'));
    CREATE TABLE after_teams AS FROM before_teams UNION ALL
      SELECT code, title FROM changes_teams WHERE __weight > 0;
    DELETE FROM after_teams WHERE code = 'a'"""

# What only Spark runs.
SPARK_ONLY = {"join_single"}


@pytest.fixture
def engine() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(SETUP)
    connection.execute(MACROS)
    return connection


def statements(prepared: Prepared) -> list[str]:
    """The statements of the program for changes of both tables, each with its comment."""
    program = render_program(compile_delta(prepared, ("people", "teams")), prepared)
    return program.split("\n\n")


def rows(engine: duckdb.DuckDBPyConnection, relation: Relation, moment: str) -> Counter[object]:
    leaves = {name: f"{moment}_{name}" for name in ("people", "teams")}
    return Counter(engine.execute(to_duckdb(render(relation, leaves))).fetchall())


@pytest.mark.parametrize("name", sorted(DEFINITIONS.keys() - SPARK_ONLY))
def test_what_is_shown_gives_the_change(engine: duckdb.DuckDBPyConnection, name: str) -> None:
    prepared = prepare(DEFINITIONS[name])
    for kept in prepared.kept:
        leaves = {table: f"before_{table}" for table in ("people", "teams")}
        text = to_duckdb(render(kept.relation, leaves))
        engine.execute(f"CREATE TABLE state_{kept.label} AS {text}")
    found: Counter[object] = rows(engine, DEFINITIONS[name], "before")
    for text in statements(prepared):
        comment, _, statement = text.partition("\n")
        assert comment.startswith("-- ")
        if statement.startswith("CACHE TABLE"):
            head, _, query = statement.partition(" AS\n")
            engine.execute(f"CREATE TABLE {head.split()[-1]} AS {to_duckdb(query)}")
        elif statement:
            for row in engine.execute(to_duckdb(statement)).fetchall():
                found[row[:-1]] += row[-1]
    now = rows(engine, DEFINITIONS[name], "after")
    assert {row: n for row, n in found.items() if n} == dict(now)


@pytest.mark.parametrize("name", DEFINITIONS)
def test_spark_would_read_it(name: str) -> None:
    for text in statements(prepare(DEFINITIONS[name])):
        assert len(sqlglot.parse(text, read="spark")) == 1


def test_every_step_says_what_it_is_for() -> None:
    comments = [text.partition("\n")[0] for text in statements(prepare(DEFINITIONS["join_semi"]))]
    assert comments == [
        "-- change_1: the change of an input (for Join semi on (team = code))",
        "-- keys_1: the keys that the change leads to (for Join semi on (team = code))",
        "-- change_2: the change of an input (for Join semi on (team = code))",
        "-- keys_2: the keys that the change leads to (for Join semi on (team = code))",
        "-- concerned_1: rows whose matches may have changed (for Join semi on (team = code))",
        "-- the change of the view: rows to add (1) and to remove (-1)",
    ]


def test_leaves_have_telling_names() -> None:
    shown = "\n".join(statements(prepare(DEFINITIONS["aggregate"])))
    assert set(re.findall(r"FROM ((?:changes|before|after|state)_\w*[a-z]\w*)", shown)) >= {
        "changes_people",
        "state_aggregate_1",
    }


def test_odd_source_names_are_quoted() -> None:
    shown = "\n".join(statements(prepare(replace(PEOPLE, source="größe"))))
    assert "nothing that the view reads ever changes" in shown
    prepared = prepare(replace(PEOPLE, source="größe"))
    assert "FROM `changes_größe`" in render_program(compile_delta(prepared, ("größe",)), prepared)
