"""``Q(x) = min(R(x), 1)``: a row comes with its first copy and goes with its last."""

from __future__ import annotations

from rollview.algebra.relations import Distinct
from tests.algebra.examples import EXAMPLES, PAY, PEOPLE, TEAM, keep
from tests.maintenance.people import ANN, BEN, CAT, DAN, EVE, FAY, hired, left, maintained, refresh

TEAMS_OF_PEOPLE = EXAMPLES["distinct"]


def test_a_row_comes_with_its_first_copy() -> None:
    assert refresh(TEAMS_OF_PEOPLE, hired(FAY)).delta == {("c",): 1}
    assert refresh(TEAMS_OF_PEOPLE, hired(FAY, FAY)).delta == {("c",): 1}
    assert not refresh(TEAMS_OF_PEOPLE, hired(ANN)).delta


def test_a_row_goes_with_its_last_copy() -> None:
    view = maintained(TEAMS_OF_PEOPLE)
    assert not view.refresh(tuple(left(ANN))).delta
    assert view.refresh(tuple(left(BEN))).delta == {("a",): -1}
    assert view.refresh(tuple(hired(BEN))).delta == {("a",): 1}


def test_null_equals_null() -> None:
    view = maintained(TEAMS_OF_PEOPLE)
    assert not view.refresh(tuple(hired((7, "gil", None, 1)))).delta
    assert not view.refresh(tuple(left(DAN))).delta
    assert view.refresh(tuple(left((7, "gil", None, 1)))).delta == {(None,): -1}


def test_copies_that_come_and_go_in_one_batch() -> None:
    assert not refresh(TEAMS_OF_PEOPLE, hired(FAY), left(FAY)).delta
    assert not refresh(TEAMS_OF_PEOPLE, left(CAT), hired((8, "hal", "b", 0))).delta
    everyone = refresh(TEAMS_OF_PEOPLE, left(ANN, BEN, CAT, DAN, EVE))
    assert everyone.delta == {("a",): -1, ("b",): -1, (None,): -1, ("z",): -1}


def test_all_columns_count() -> None:
    pairs = Distinct(keep(PEOPLE, TEAM, PAY))
    done = refresh(pairs, hired((9, "ida", "b", 60), (10, "jon", "b", 61)), left(DAN))
    assert done.delta == {("b", 61): 1, (None, 60): -1}


def test_distinct_of_distinct() -> None:
    twice = Distinct(TEAMS_OF_PEOPLE)
    assert refresh(twice, hired(FAY, FAY), left(CAT)).delta == {("c",): 1, ("b",): -1}
