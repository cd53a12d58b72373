"""The stable text of a tree, which EXPLAIN and the documents show."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from rollview.algebra.printer import print_tree
from rollview.algebra.relations import Relation
from rollview.algebra.traverse import walk
from tests.algebra.examples import EXAMPLES
from tests.algebra.generators import relation_trees


def test_different_relations_print_differently() -> None:
    printed = {name: print_tree(relation) for name, relation in EXAMPLES.items()}
    assert len(set(printed.values())) == len(printed)


def test_one_line_per_operator() -> None:
    for relation in EXAMPLES.values():
        assert len(print_tree(relation).splitlines()) == len(list(walk(relation)))


def test_inputs_are_indented_below() -> None:
    top, second, third = print_tree(EXAMPLES["filter"]).splitlines()
    assert not top.startswith(" ")
    assert second.startswith("  ")
    assert third.startswith("    ")


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(relation_trees())
def test_anything_can_be_printed(relation: Relation) -> None:
    assert print_tree(relation)
