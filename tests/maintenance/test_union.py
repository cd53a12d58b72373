"""``d(Q1 + ... + Qn) = d(Q1) + ... + d(Qn)``."""

from __future__ import annotations

from rollview.algebra.relations import Union
from tests.algebra.examples import EXAMPLES, PEOPLE, TEAM, keep
from tests.maintenance.people import ALPHA, ANN, FAY, closed, hired, left, refresh


def test_changes_of_all_inputs_add_up() -> None:
    done = refresh(EXAMPLES["union"], left(ANN), hired(FAY), closed(ALPHA))
    assert done.delta == {("a",): -2, ("c",): 1}


def test_the_same_input_twice_changes_twice() -> None:
    teams = keep(PEOPLE, TEAM)
    twice = Union((teams, teams), teams.columns)
    assert refresh(twice, hired(FAY)).delta == {("c",): 2}


def test_what_leaves_one_input_and_enters_another_is_no_change() -> None:
    moved = refresh(EXAMPLES["union"], closed(ALPHA), hired((9, None, "a", 1)))
    assert not moved.delta
