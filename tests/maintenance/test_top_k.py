"""``d(T(Q)) = T(T(Q) + added) - T(Q)`` if nothing of T(Q) is removed."""

from __future__ import annotations

from dataclasses import replace

from rollview.algebra.definition import ReasonCode
from rollview.algebra.relations import (
    Aggregate,
    Filter,
    Join,
    JoinKind,
    Named,
    Project,
    SingleRow,
    TopK,
)
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.prepare import prepare
from tests.algebra.examples import (
    CODE,
    ID,
    NAME,
    PAY,
    PEOPLE,
    RICH,
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
    tables_read,
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


AFTER_ONE = replace(FIRST_TWO, offset=number(1))


def test_rows_before_an_offset_matter() -> None:
    assert refresh(AFTER_ONE, left(ANN)).delta == {
        BEN: -1,
        (4, None, None, 60): 1,
    }


def test_rows_before_an_offset_are_kept() -> None:
    prepared = prepare(AFTER_ONE)
    assert prepared.kept[0].relation == replace(FIRST_TWO, limit=number(3))
    assert prepared.speaker(AFTER_ONE) == prepared.kept[0].relation
    early = (0, "abe", "a", 1)
    view = maintained(AFTER_ONE)
    for changes, delta, looks in (
        (hired(early), {ANN: 1, CAT: -1}, False),
        (left((5, "eve", "z", None)), {}, False),
        (left(early), {ANN: -1, CAT: 1}, True),
        (hired(BEN, BEN), {CAT: -1, BEN: 1}, False),
        (left(ANN, BEN, BEN, BEN), {BEN: -2, (4, None, None, 60): 1}, True),
        (left(CAT), {(4, None, None, 60): -1}, True),
    ):
        found = view.refresh(tuple(changes))
        assert (found.delta, bool(found.reasons)) == (delta, looks), changes


def test_an_offset_alone_is_evaluated_from_all_rows() -> None:
    rest = replace(AFTER_ONE, limit=None)
    for top in (rest, replace(AFTER_ONE, limit=number(2**31 - 1))):
        assert prepare(top).relation == top
        assert [r.code for r in compile_delta(prepare(top), {"people"}).reasons] == ["NO_KEY"]
    assert refresh(rest, left(ANN)).delta == {BEN: -1}


ONE = Project(Filter(PEOPLE, RICH), (Named("one", number(1)),))
EXISTS = SingleRow(TopK(ONE, (), number(1), None), "exists")


def test_whether_there_is_a_row_is_known_by_their_number() -> None:
    program = compile_delta(prepare(EXISTS), {"people"})
    assert not tables_read(program)
    assert not program.blames
    told = [type(kept.relation) for kept in prepare(EXISTS).kept]
    assert told == [Aggregate]
    view = maintained(Join(JoinKind.CROSS, keep(TEAMS, CODE), EXISTS))
    for changes, moved in (
        (left(ANN), False),
        (left(CAT, BEN), False),
        (left((4, None, None, 60)), True),
        (hired(BEN), False),
        (founded(("q", None)), False),
        (hired(ANN, CAT), True),
    ):
        found = view.refresh(tuple(changes))
        assert any(step.startswith("reached") for step in found.steps) is False
        assert bool(found.reasons) == moved, changes


def test_rows_that_are_not_all_alike_are_no_question_of_their_number() -> None:
    for other in (
        TopK(keep(PEOPLE, ID), (), number(1), None),
        TopK(ONE, (), number(2), None),
        TopK(ONE, (), number(1), number(1)),
        TopK(ONE, (), None, number(1)),
    ):
        assert prepare(other).relation == other


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
