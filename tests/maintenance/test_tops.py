"""The first rows of every group: the kept rows and the added ones, unless a kept one is removed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rollview.algebra.definition import ReasonCode
from rollview.algebra.expressions import Call, Expression, Literal, WindowCall, binary, column
from rollview.algebra.relations import After, Filter, NamedWindow, Relation, Union, Window
from rollview.algebra.traverse import walk
from rollview.analysis.order import canonical
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.prepare import prepare
from rollview.maintenance.program import RuleName
from rollview.maintenance.tops import bounded_first, is_top
from tests.algebra.examples import ID, PAY, PEOPLE, TEAM, ascending, number
from tests.maintenance.people import ANN, BEN, CAT, DAN, EVE, hired, left, maintained, refresh

RANKS = {"RowNumber": "row_number()", "Rank": "rank()", "DenseRank": "dense_rank()"}
NTH = column("nth", "INT", nullable=False)


def ranked(kind: str = "RowNumber", **more: str) -> Window:
    kinds = {"nth": kind, **more}
    calls = tuple(
        NamedWindow(name, WindowCall(Call(kind, (RANKS[kind],), (), "INT", False), ""))
        for name, kind in kinds.items()
    )
    return Window(PEOPLE, (TEAM,), (ascending(PAY),), calls)


def compared(kind: str, sign: str, one: Expression, two: Expression) -> Expression:
    return binary(kind, sign, one, two, "BOOLEAN")


def first(limit: int, kind: str = "RowNumber") -> Relation:
    up_to = compared("LessThanOrEqual", "<=", NTH, number(limit))
    return canonical(Filter(ranked(kind), up_to))


def test_rows_that_come_need_no_table() -> None:
    cheap, other = (7, "gil", "a", 10), (8, "hal", "new", 5)
    done = refresh(first(1), hired(cheap, other))
    assert done.delta == {(*BEN, 1): -1, (*cheap, 1): 1, (*other, 1): 1}
    assert not any(step.startswith("anew") for step in done.steps)
    program = compile_delta(prepare(first(1)), ("people",))
    reading = [s for s in program.steps if any(isinstance(n, After) for n in walk(s.relation))]
    assert [step.name for step in reading] == ["anew_1"], "if a kept row is removed, and only then"


def test_a_row_that_goes_and_was_not_kept_changes_nothing() -> None:
    done = refresh(first(1), left(ANN))
    assert not done.delta
    assert not any(step.startswith(("anew", "top")) for step in done.steps)


def test_a_kept_row_that_goes_lets_the_next_one_in() -> None:
    assert refresh(first(1), left(BEN)).delta == {(*BEN, 1): -1, (*ANN, 1): 1}
    assert refresh(first(2), left(BEN)).delta == {(*BEN, 1): -1, (*ANN, 2): -1, (*ANN, 1): 1}
    assert refresh(first(1), left(BEN), hired((9, "x", "a", 70))).delta == {
        (*BEN, 1): -1,
        (9, "x", "a", 70, 1): 1,
    }


def test_groups_come_and_go_those_without_a_key_too() -> None:
    assert refresh(first(1), left(CAT, DAN)).delta == {(*CAT, 1): -1, (*DAN, 1): -1}
    nobody = (9, "ida", None, 1)
    assert refresh(first(1), hired(nobody)).delta == {(*DAN, 1): -1, (*nobody, 1): 1}


def test_a_row_that_comes_and_goes_is_no_change() -> None:
    guest = (9, "ida", "a", 1)
    assert not refresh(first(1), hired(guest), left(guest)).delta


@pytest.mark.parametrize("kind", RANKS)
def test_copies_and_ties(kind: str) -> None:
    twin = (2, "bob", "a", 40)
    view = maintained(first(2, kind))
    for changes in (
        hired(BEN, twin),
        left(BEN),
        hired(twin, (3, "low", "a", 1)),
        left(twin, ANN),
        left(BEN, twin),
        hired(ANN, EVE),
    ):
        view.refresh(tuple(changes))


def test_one_of_several_ranks_may_be_the_bound() -> None:
    window = ranked("Rank", dense="DenseRank")
    bound = compared("LessThan", "<", column("dense", "INT"), number(3))
    view = maintained(Filter(window, bound))
    for changes in (hired((7, "gil", "a", 40), (8, "hal", "a", 50)), left(BEN), left(ANN)):
        view.refresh(tuple(changes))
    assert (
        compile_delta(prepare(Filter(window, bound)), ("people",)).notes[Filter(window, bound)].rule
        is RuleName.TOP
    )


def test_what_else_is_asked_stands_above_the_bound() -> None:
    window, named = ranked("Rank"), compared("GreaterThan", ">", ID, number(1))
    for asked, bound in (
        (
            compared("EqualTo", "=", NTH, number(2)),
            compared("LessThanOrEqual", "<=", NTH, number(2)),
        ),
        (
            compared("GreaterThan", ">", number(3), NTH),
            compared("GreaterThan", ">", number(3), NTH),
        ),
    ):
        both = compared("And", "AND", named, asked)
        found = bounded_first(Filter(window, both))
        assert found.child == Filter(window, bound)
        assert is_top(found.child)
        assert not is_top(found)
        view = maintained(Filter(window, both))
        for changes in (hired((0, "abe", "a", 1)), left(BEN), hired((6, "fay", "b", 1))):
            view.refresh(tuple(changes))


@pytest.mark.parametrize(
    "condition",
    [
        compared("GreaterThan", ">", NTH, number(1)),
        compared("LessThan", "<", ID, number(1)),
        compared("LessThanOrEqual", "<=", NTH, number(1001)),
        compared("LessThanOrEqual", "<=", NTH, ID),
        compared("LessThanOrEqual", "<=", NTH, Literal("-1", "INT")),
    ],
)
def test_what_bounds_no_rank_is_left_alone(condition: Expression) -> None:
    filter = Filter(ranked("Rank"), condition)
    assert bounded_first(filter) == filter
    assert not is_top(filter)
    assert is_top(Filter(ranked("Rank"), compared("LessThan", "<", NTH, number(1000))))


def test_other_functions_and_open_ties_are_left_alone() -> None:
    bound = compared("LessThanOrEqual", "<=", NTH, number(1))
    lag = WindowCall(Call("Lag", ("lag(", ", 1)"), (PAY,), "INT"), "")
    both = Window(
        PEOPLE, (TEAM,), (ascending(PAY),), (*ranked("Rank").calls, NamedWindow("lag", lag))
    )
    for window in (both, ranked("RowNumber")):  # in whose order are ties
        assert bounded_first(Filter(window, bound)) == Filter(window, bound)
        assert not is_top(Filter(window, bound))


def first_of_all(limit: int, kind: str) -> Relation:
    up_to = compared("LessThanOrEqual", "<=", NTH, number(limit))
    return canonical(Filter(replace(ranked(kind), partition=()), up_to))


@pytest.mark.parametrize("kind", RANKS)
def test_without_partitions_all_rows_are_one(kind: str) -> None:
    top = first_of_all(2, kind)
    prepared = prepare(top)
    assert [kept.relation for kept in prepared.kept] == [top], "not the window below it"
    program = compile_delta(prepared, {"people"})
    assert program.notes[top].rule is RuleName.TOP
    assert not program.reasons
    assert [reason.code for reason in program.at_times] == [ReasonCode.NO_KEY]
    twin = (2, "bob", "c", 40)
    view = maintained(top)
    for changes, looks in (
        (hired(CAT, (7, "gil", "z", 500)), False),
        (left((7, "gil", "z", 500)), False),
        (hired(BEN, twin), False),
        (left(BEN), True),
        (hired((9, "low", "a", 1)) + left(EVE), True),
        (left(ANN, BEN, CAT, CAT, DAN, twin, (9, "low", "a", 1)), True),
        (hired(DAN), False),
    ):
        done = view.refresh(tuple(changes))
        assert bool(done.reasons) == looks, changes
        assert any(step.startswith("anew") for step in done.steps) == looks


def test_the_window_is_kept_if_something_else_asks_for_it() -> None:
    window = replace(ranked("Rank"), partition=())
    top = Filter(window, compared("LessThanOrEqual", "<=", NTH, number(1)))
    view = Union((top, window), window.columns)
    assert {kept.relation for kept in prepare(view).kept} == {top, window}
    kept = maintained(view)
    for changes in (left(BEN), hired(BEN, (0, "abe", "a", 1)), left(CAT, DAN)):
        kept.refresh(tuple(changes))
