"""Relations without what depends on empty steps: the same rows, with less to evaluate."""

from __future__ import annotations

import itertools

import pytest

from rollview.algebra.relations import Join, Relation, Scan, Temporary, Values
from rollview.algebra.traverse import transform_up, walk
from rollview.maintenance.emptiness import is_empty, without_empty
from tests.algebra.examples import DEFINITIONS, EXAMPLES
from tests.maintenance.people import TABLES, connection
from tests.properties.bags import bag
from tests.properties.duckdb_engine import DuckEngine
from tests.properties.maintained import create

SUBSETS = [frozenset(some) for n in range(3) for some in itertools.combinations(TABLES, n)]


def over_steps(relation: Relation) -> Relation:
    """The relation with a step of an earlier computation in the place of every table."""

    def change(node: Relation) -> Relation:
        return Temporary(node.source, node.columns) if isinstance(node, Scan) else node

    return transform_up(relation, change)


@pytest.mark.parametrize("empty", SUBSETS, ids=lambda some: " and ".join(sorted(some)) or "none")
@pytest.mark.parametrize("name", DEFINITIONS)
def test_the_rows_are_the_same(name: str, empty: frozenset[str]) -> None:
    relation = over_steps(EXAMPLES[name])
    leaves = {}
    for table, contents in TABLES.items():
        rows = () if table in empty else contents.rows
        create(connection(), f"given_{table}", contents.columns, rows)
        leaves[f"temporary {table}"] = f"given_{table}"
    engine = DuckEngine(connection())
    less = without_empty(relation, empty)
    assert less.columns == relation.columns
    assert bag(engine.recomputed(less, leaves)) == bag(engine.recomputed(relation, leaves))


def test_what_depends_on_nothing_is_nothing() -> None:
    joined = over_steps(EXAMPLES["join_inner"])
    assert is_empty(without_empty(joined, frozenset({"teams"})))


def test_a_left_join_of_rows_with_nothing_stays() -> None:
    joined = over_steps(EXAMPLES["join_left"])
    left = without_empty(joined, frozenset({"teams"}))
    assert isinstance(left, Join)
    assert isinstance(left.right, Values)


def test_an_aggregate_of_all_rows_has_a_row_of_nothing() -> None:
    total = over_steps(EXAMPLES["aggregate_global"])
    assert not is_empty(without_empty(total, frozenset({"people"})))


def test_examples_reach_both_tables() -> None:
    sources = {n.source for r in EXAMPLES.values() for n in walk(r) if isinstance(n, Scan)}
    assert sources == set(TABLES)
