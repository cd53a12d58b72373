"""Cross-check with an SMT solver: a row is relevant if and only if the solver finds the others."""

from __future__ import annotations

from random import Random

import duckdb
import pytest
import z3

from rollview.analysis.relevance.changes import relevance
from rollview.sql.expressions import text
from tests.analysis.relevance.systems import System, Tables, random_system, random_tables, view
from tests.properties.dialect import to_duckdb
from tests.properties.duckdb_engine import connect
from tests.properties.seed import SEED

CASES, ROWS, LARGEST = 90, 12, 40
_COMPARED = {
    "EqualTo": lambda one, two: one == two,
    "LessThan": lambda one, two: one < two,
    "LessThanOrEqual": lambda one, two: one <= two,
    "GreaterThan": lambda one, two: one > two,
    "GreaterThanOrEqual": lambda one, two: one >= two,
}


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    return connect()


def is_satisfiable(system: System, tables: Tables, row: tuple[int, ...]) -> bool:
    variables = {name: z3.Int(name) for name in tables.names}
    solver = z3.Solver()
    for name, value in zip(tables.changed, row, strict=True):
        solver.add(variables[name] == value)
    ways = []
    for part in system:
        terms = []
        for one in part:
            right = one.number if one.two is None else variables[one.two] + one.number
            terms.append(_COMPARED[one.kind](variables[one.one], right))
        ways.append(z3.And(*terms))
    solver.add(z3.Or(*ways))
    return bool(solver.check() == z3.sat)


def test_the_solver_agrees(connection: duckdb.DuckDBPyConnection) -> None:
    rng = Random(f"{SEED}-solver")
    answers = set()
    for number in range(CASES):
        tables = random_tables(rng, most=7)
        system = random_system(rng, tables.names, LARGEST, ways=1 + number % 3)
        found = relevance(view(system, tables)).predicates.get(tables.scan("r"))
        far = LARGEST * 3
        rows = [tuple(rng.randint(-far, far) for _ in tables.changed) for _ in range(ROWS)]
        values = ", ".join(f"({', '.join(map(str, row))})" for row in rows)
        names = ", ".join(tables.changed)
        wanted = "TRUE" if found is None else text(found)
        statement = f"SELECT {wanted} FROM (VALUES {values}) AS r({names})"
        said = [bool(one) for (one,) in connection.execute(to_duckdb(statement)).fetchall()]
        expected = [is_satisfiable(system, tables, row) for row in rows]
        assert said == expected, (SEED, system, rows)
        answers |= set(expected)
    assert answers == {True, False}
