"""The recursion helpers reach every part of a tree."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from rollview.algebra.relations import Relation, Scan
from rollview.algebra.traverse import (
    column_names,
    expressions,
    inputs,
    transform_up,
    walk,
    with_inputs,
)
from tests.algebra.examples import EXAMPLES, SAME_TEAM
from tests.algebra.generators import relation_trees


@pytest.mark.parametrize("name", EXAMPLES)
def test_inputs_can_be_put_back(name: str) -> None:
    relation = EXAMPLES[name]
    assert with_inputs(relation, inputs(relation)) == relation


@pytest.mark.parametrize("name", EXAMPLES)
def test_expressions_use_columns_of_the_inputs(name: str) -> None:
    for relation in walk(EXAMPLES[name]):
        known = {column.name for child in inputs(relation) for column in child.columns}
        used = {name for e in expressions(relation) for name in column_names(e)}
        assert used <= known


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(relation_trees())
def test_identity_changes_nothing(relation: Relation) -> None:
    assert transform_up(relation, lambda node: node) == relation


def test_transform_reaches_the_leaves() -> None:
    def renamed(node: Relation) -> Relation:
        return Scan("other", node.fields, node.columns) if isinstance(node, Scan) else node

    changed = transform_up(EXAMPLES["join_full"], renamed)
    assert {node.source for node in walk(changed) if isinstance(node, Scan)} == {"other"}


def test_column_names() -> None:
    assert column_names(SAME_TEAM) == {"team", "code"}
