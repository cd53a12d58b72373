"""Every strategy has its turn in the generated cases, with every value of its options."""

from __future__ import annotations

import argparse

from rollview.maintenance.choice import ANY
from rollview.maintenance.strategies import STRATEGIES, choose
from tests.algebra.examples import EXAMPLES, PEOPLE
from tests.properties.run import numbered_case
from tests.properties.ways import (
    WAYS,
    add_arguments,
    arguments,
    asked_for,
    reaches,
    way_of,
)


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return parser.parse_args(words)


def test_every_way_has_its_turn() -> None:
    assert {way_of(number) for number in range(len(WAYS))} == set(WAYS)
    assert {way.strategy for way in WAYS} == set(STRATEGIES)
    assert choose("algebraic", form="post") in WAYS
    assert choose("counting", join_terms="truth_table") in WAYS


def test_a_way_can_be_asked_for() -> None:
    assert asked_for(parsed()) is None
    assert asked_for(parsed("--strategy", "auto")) == ANY
    for way in WAYS:
        assert asked_for(parsed(*arguments(way).split())) == way
        assert way_of(17, way) == way


def test_most_generated_views_are_within_reach_of_every_strategy() -> None:
    """But for change tables, for which others are made (`above`)."""
    cases = [numbered_case(7, number) for number in range(60)]
    for way in WAYS:
        found = sum(reaches(way, case.relation) for case in cases)
        assert found > (3 if way.strategy == "change_table" else 30), way
    assert reaches(choose("algebraic"), PEOPLE)
    assert not reaches(choose("algebraic"), EXAMPLES["top_k"])
