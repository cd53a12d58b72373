"""``d(T(Q)) = T(T(Q) + added) - T(Q)`` if nothing of T(Q) is removed."""

from __future__ import annotations

from dataclasses import replace

from rollview.algebra.definition import ReasonCode
from rollview.algebra.relations import Join, JoinKind, TopK
from tests.algebra.examples import (
    ID,
    NAME,
    PAY,
    PEOPLE,
    SAME_TEAM,
    TEAM,
    TEAMS,
    ascending,
    keep,
    number,
)
from tests.maintenance.people import (
    ALPHA,
    ANN,
    BEN,
    CAT,
    closed,
    founded,
    hired,
    left,
    maintained,
    refresh,
)

ALL = tuple(ascending(column) for column in (ID, NAME, TEAM, PAY))
FIRST_TWO = TopK(PEOPLE, ALL, number(2), None)


def test_an_added_row_pushes_out_the_last() -> None:
    early = (0, "abe", "a", 1)
    done = refresh(FIRST_TWO, hired(early))
    assert done.delta == {early: 1, BEN: -1}
    assert not done.reasons


def test_a_removed_row_that_was_not_among_them_changes_nothing() -> None:
    assert not refresh(FIRST_TWO, left(CAT)).delta


def test_a_removed_row_lets_the_next_one_in() -> None:
    done = refresh(FIRST_TWO, left(ANN))
    assert done.delta == {ANN: -1, CAT: 1}
    assert [reason.code for reason in done.reasons] == [ReasonCode.NO_KEY]


def test_rows_before_an_offset_matter() -> None:
    assert refresh(replace(FIRST_TWO, offset=number(1)), left(ANN)).delta == {
        BEN: -1,
        (4, None, None, 60): 1,
    }


def test_a_row_that_comes_and_goes_is_not_taken() -> None:
    passing = (0, "abe", "a", 1)
    assert not refresh(FIRST_TWO, hired(passing), left(passing)).delta


def test_a_row_that_a_join_adds_and_removes_on_the_way_is_not_taken() -> None:
    joined = keep(Join(JoinKind.INNER, PEOPLE, TEAMS, SAME_TEAM), ID)
    top = TopK(joined, (ascending(ID),), number(1), None)
    early = (0, "abe", "a", 1)
    done = refresh(top, hired(early), closed(ALPHA))
    assert done.delta == {(1,): -1, (3,): 1}


def test_refreshes_go_on_from_what_is_kept() -> None:
    view = maintained(FIRST_TWO)
    view.refresh(tuple(left(ANN)))
    assert view.refresh(tuple(hired(ANN))).delta == {ANN: 1, CAT: -1}
    assert view.refresh((*founded(("q", None)), *left(BEN))).delta == {BEN: -1, CAT: 1}
