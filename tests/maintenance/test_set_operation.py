"""INTERSECT and EXCEPT as functions of ``L(x)`` and ``R(x)``: all pairs of counts, both ways."""

from __future__ import annotations

from itertools import product

import pytest

from rollview.algebra.relations import Scan, SetKind, SetOperation
from rollview.algebra.schema import Column
from tests.algebra.examples import CODE, TEAMS, keep, set_operation
from tests.maintenance.people import (
    ALPHA,
    ANN,
    BEN,
    BETA,
    DAN,
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
from tests.properties.cases import Case, Change, Table
from tests.properties.duckdb_engine import connect
from tests.properties.laws import check

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


def test_null_equals_null() -> None:
    assert refresh(INTERSECT, closed(NONE)).delta == {(None,): -1}
    assert refresh(INTERSECT, left(DAN)).delta == {(None,): -1}
    assert refresh(EXCEPT, closed(NONE)).delta == {(None,): 1}
    assert not refresh(EXCEPT_ALL, hired(DAN), founded((None, "again"))).delta


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("kind", SetKind)
def test_null_that_only_the_right_side_can_have(kind: SetKind, every: bool) -> None:
    """It is never in the result, and yet in the counts, by whichever strategy they go on."""
    here, there = Column("a", "INT", False), Column("b", "INT")
    view = SetOperation(
        kind, every, Scan("l", ("a",), (here,)), Scan("r", ("b",), (there,)), (here,)
    )
    tables = {"l": Table((here,), ((1,),)), "r": Table((there,), ((None,), (1,)))}
    batches = ((Change("r", (None,), 1), Change("l", (2,), 1)), (Change("r", (None,), -2),))
    check(Case(tables, view, batches), connect())


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
