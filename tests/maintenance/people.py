"""Two small tables, and a view over them refreshed once: what the tests of the rules share.

Every refresh is also checked against recomputation, states included.
"""

from __future__ import annotations

from functools import cache

import duckdb

from rollview.algebra.relations import After, Before, Relation
from rollview.algebra.traverse import walk
from rollview.maintenance.choice import ANY, Choice
from rollview.maintenance.program import Program
from tests.algebra.examples import PEOPLE, TEAMS
from tests.properties.cases import Case, Change, Row, Table
from tests.properties.duckdb_engine import connect
from tests.properties.maintained import Maintained, Refresh

ANN, BEN, CAT = (1, "ann", "a", 100), (2, "ben", "a", 40), (3, "cat", "b", 60)
DAN, EVE = (4, None, None, 60), (5, "eve", "z", None)
FAY = (6, "fay", "c", 70)
ALPHA, BETA, GAMMA, NONE = ("a", "Alpha"), ("b", "Beta"), ("c", None), (None, "none")
ZETA = ("z", "Zeta")

TABLES = {
    "people": Table(PEOPLE.columns, (ANN, BEN, CAT, DAN, EVE)),
    "teams": Table(TEAMS.columns, (ALPHA, BETA, GAMMA, NONE)),
}


@cache
def connection() -> duckdb.DuckDBPyConnection:
    """One database for all tests of the rules."""
    return connect()


def hired(*rows: Row) -> list[Change]:
    """People who come."""
    return [Change("people", row, 1) for row in rows]


def left(*rows: Row) -> list[Change]:
    """People who go."""
    return [Change("people", row, -1) for row in rows]


def founded(*rows: Row) -> list[Change]:
    """Teams that come."""
    return [Change("teams", row, 1) for row in rows]


def closed(*rows: Row) -> list[Change]:
    """Teams that go."""
    return [Change("teams", row, -1) for row in rows]


def maintained(relation: Relation, way: Choice = ANY) -> Maintained:
    """The view with its first contents."""
    return Maintained(Case(TABLES, relation, ()), connection(), choice=way)


def refresh(relation: Relation, *changes: list[Change], way: Choice = ANY) -> Refresh:
    """The view, refreshed once after these changes."""
    return maintained(relation, way).refresh(tuple(change for some in changes for change in some))


def tables_read(program: Program) -> set[str]:
    """The sources of which a program reads more than the changes, whatever these are."""
    results = [*program.states.values(), *([] if program.delta is None else [program.delta])]
    read = [step.relation for step in program.steps] + results
    nodes = (node for relation in read for node in walk(relation))
    return {node.source for node in nodes if isinstance(node, After | Before)}
