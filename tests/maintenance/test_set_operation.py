"""INTERSECT and EXCEPT as functions of ``L(x)`` and ``R(x)``: all pairs of counts, both ways."""

from __future__ import annotations

from itertools import product

import pytest

from rollview.algebra.relations import SetKind, SetOperation
from rollview.algebra.schema import Column
from rollview.maintenance.choice import Choice
from rollview.maintenance.prepare import prepare
from tests.algebra.examples import CODE, ID, PAY, PEOPLE, TEAMS, keep, set_operation
from tests.maintenance.people import (
    ALPHA,
    ANN,
    BEN,
    BETA,
    DAN,
    EVE,
    FAY,
    GAMMA,
    NONE,
    closed,
    founded,
    hired,
    left,
    maintained,
    refresh,
)
from tests.properties.cases import Change
from tests.properties.ways import WAYS, reaches

INTERSECT = set_operation(SetKind.INTERSECT, all=False)
INTERSECT_ALL = set_operation(SetKind.INTERSECT, all=True)
EXCEPT = set_operation(SetKind.EXCEPT, all=False)
EXCEPT_ALL = set_operation(SetKind.EXCEPT, all=True)
HOW_OFTEN = {
    INTERSECT: lambda one, two: min(one, two, 1),
    INTERSECT_ALL: min,
    EXCEPT: lambda one, two: int(one > 0 and two == 0),
    EXCEPT_ALL: lambda one, two: max(one - two, 0),
}
FEW = range(3)


def person(number: int) -> Change:
    return Change("people", (20 + number, None, "new", 0), 1)


def team(number: int) -> Change:
    return Change("teams", ("new", f"title {number}"), 1)


def moved(before: tuple[int, int], after: tuple[int, int]) -> tuple[Change, ...]:
    """The changes that take a value from so many copies on either side to others."""
    found = []
    for make, old, new in zip((person, team), before, after, strict=True):
        some = [make(number) for number in range(min(old, new), max(old, new))]
        weight = 1 if new > old else -1
        found += [Change(change.table, change.row, weight) for change in some]
    return tuple(found)


@pytest.mark.parametrize("view", HOW_OFTEN, ids=lambda view: f"{view.kind}-{view.all}")
def test_every_count_to_every_other(view: SetOperation) -> None:
    """One stored view goes from each pair of counts to each other one."""
    view_now = maintained(view)
    counts = list(product(FEW, FEW))
    now = (0, 0)
    for before, after in product(counts, counts):
        for goal in (before, after):
            if goal != now:
                done = view_now.refresh(moved(now, goal))
                change = HOW_OFTEN[view](*goal) - HOW_OFTEN[view](*now)
                assert done.delta == ({("new",): change} if change else {}), (now, goal)
                now = goal


def known(kind: SetKind, all: bool) -> SetOperation:
    """Of two sides of which the right one has NULLs, and the result none."""
    columns = (Column("either", "INT", nullable=False),)
    return SetOperation(kind, all, keep(PEOPLE, ID), keep(PEOPLE, PAY), columns)


@pytest.mark.parametrize("kind", SetKind)
def test_counted_rows_may_be_null_where_those_of_a_side_are(kind: SetKind) -> None:
    (kept,) = prepare(known(kind, all=True)).kept
    assert kept.columns[0].nullable
    assert not prepare(known(kind, all=True)).relation.columns[0].nullable


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("all", [False, True])
@pytest.mark.parametrize("kind", SetKind)
def test_one_side_has_nulls_that_the_result_has_not(kind: SetKind, all: bool, way: Choice) -> None:
    """Which are counted nevertheless, and found again."""
    if reaches(way, known(kind, all)):
        now = maintained(known(kind, all), way)
        unpaid, poor = (6, "fay", "c", None), (7, "gus", "c", 1)
        for changes in (hired(unpaid), left(unpaid), hired(poor), left(EVE), left(poor)):
            now.refresh(tuple(changes))


def test_null_equals_null() -> None:
    assert refresh(INTERSECT, closed(NONE)).delta == {(None,): -1}
    assert refresh(INTERSECT, left(DAN)).delta == {(None,): -1}
    assert refresh(EXCEPT, closed(NONE)).delta == {(None,): 1}
    assert not refresh(EXCEPT_ALL, hired(DAN), founded((None, "again"))).delta


def test_copies_beyond_the_other_side() -> None:
    """Two people of the team a, and one team of that name."""
    assert not refresh(INTERSECT_ALL, left(ANN)).delta
    assert refresh(INTERSECT_ALL, left(ANN, BEN)).delta == {("a",): -1}
    assert refresh(INTERSECT_ALL, founded(("a", "Again"), ("a", "Again"))).delta == {("a",): 1}
    assert refresh(EXCEPT_ALL, left(ANN)).delta == {("a",): -1}
    assert refresh(EXCEPT_ALL, closed(ALPHA)).delta == {("a",): 1}
    assert not refresh(EXCEPT, left(ANN)).delta


def test_both_sides_in_one_batch() -> None:
    done = refresh(INTERSECT, hired(FAY), closed(BETA))
    assert done.delta == {("c",): 1, ("b",): -1}
    assert not refresh(INTERSECT, hired(FAY), closed(GAMMA)).delta
    assert not refresh(EXCEPT, hired((30, None, "new", 0)), founded(("new", None))).delta


def test_both_sides_read_the_same() -> None:
    codes = keep(TEAMS, CODE)
    nothing = SetOperation(SetKind.EXCEPT, True, codes, codes, codes.columns)
    assert not refresh(nothing, founded(("x", None), ("x", None)), closed(ALPHA)).delta
    all_of_it = SetOperation(SetKind.INTERSECT, True, codes, codes, codes.columns)
    done = refresh(all_of_it, founded(("x", None), ("x", None)), closed(ALPHA))
    assert done.delta == {("x",): 2, ("a",): -1}
