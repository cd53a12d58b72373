"""``d(P(Q)) = P(d(Q))``."""

from __future__ import annotations

from rollview.algebra.relations import After, Before
from rollview.algebra.traverse import walk
from tests.algebra.examples import EXAMPLES, PEOPLE, TEAM, keep
from tests.maintenance.people import ANN, BEN, FAY, hired, left, refresh


def test_changes_are_projected() -> None:
    done = refresh(EXAMPLES["project"], hired((6, "fay", "c", -7)), left(ANN))
    assert done.delta == {(6, 7): 1, (1, 100): -1}


def test_an_update_of_a_column_that_is_left_out_is_no_change() -> None:
    moved = (1, "ann", "a", 120)
    assert not refresh(keep(PEOPLE, TEAM), left(ANN), hired(moved)).delta


def test_copies_are_kept_apart() -> None:
    assert refresh(keep(PEOPLE, TEAM), left(ANN, BEN), hired(FAY)).delta == {("a",): -2, ("c",): 1}


def test_no_table_is_read() -> None:
    program = refresh(EXAMPLES["project"], hired(FAY)).program
    assert program.delta is not None
    assert not any(isinstance(node, Before | After) for node in walk(program.delta))
