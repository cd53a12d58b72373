"""``d(W(Q)) = W(Q(after) under K) - W(Q(before) under K)``, K the changed partitions."""

from __future__ import annotations

from rollview.algebra.definition import ReasonCode
from rollview.algebra.expressions import Call, WindowCall, column
from rollview.algebra.relations import Filter, Join, JoinKind, NamedWindow, Window
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.prepare import prepare
from tests.algebra.examples import (
    CODE,
    EXAMPLES,
    ID,
    NAME,
    PAY,
    PEOPLE,
    RICH,
    SAME_TEAM,
    TEAM,
    TEAMS,
    TITLE,
    ascending,
    keep,
)
from tests.maintenance.people import (
    ALPHA,
    ANN,
    BEN,
    CAT,
    FAY,
    closed,
    founded,
    hired,
    left,
    maintained,
    refresh,
    tables_read,
)

RUNNING = EXAMPLES["window"]
ROW_NUMBER = NamedWindow("n", WindowCall(Call("RowNumber", ("row_number()",), (), "INT"), ""))
ALL = tuple(ascending(one) for one in (ID, NAME, TEAM, PAY))
NUMBERED = keep(Window(PEOPLE, (), ALL, (ROW_NUMBER,)), ID, column("n", "INT"))
ANY_NUMBER = Window(PEOPLE, (TEAM,), (ascending(PAY),), (ROW_NUMBER,))


def test_rows_of_the_changed_partition_that_change() -> None:
    assert refresh(RUNNING, left(ANN)).delta == {(1, 100): -1, (2, 140): -1, (2, 40): 1}
    assert refresh(RUNNING, hired((9, "gus", "a", 1))).delta == {(9, 141): 1}


def test_a_row_may_move_to_another_partition() -> None:
    moved = (1, "ann", "b", 100)
    assert refresh(RUNNING, left(ANN), hired(moved)).delta == {
        (2, 140): -1,
        (2, 40): 1,
        (3, 60): -1,
        (3, 160): 1,
    }


def test_partitions_that_did_not_change_are_not_evaluated() -> None:
    program = refresh(RUNNING, left(CAT)).program
    assert not program.reasons


def test_without_partitions_every_row_is_evaluated() -> None:
    done = refresh(NUMBERED, left(ANN))
    assert done.delta == {
        (1, 1): -1,
        **{(number, number): -1 for number in range(2, 6)},
        **{(number, number - 1): 1 for number in range(2, 6)},
    }
    assert [reason.code for reason in done.program.reasons] == [ReasonCode.NO_KEY]


def test_what_ties_leave_open_is_compared_with_what_is_stored() -> None:
    view = maintained(ANY_NUMBER)
    assert view.refresh(tuple(hired(FAY))).delta == {(*FAY, 1): 1}
    assert view.refresh(tuple(left(BEN))).delta == {
        (*BEN, 1): -1,
        (*ANN, 2): -1,
        (*ANN, 1): 1,
    }


def test_rows_of_such_a_window_after_the_change_are_known_to_what_is_above() -> None:
    narrow = keep(ANY_NUMBER, ID, TEAM, column("n", "INT"))
    view = Join(JoinKind.INNER, narrow, TEAMS, SAME_TEAM)
    done = refresh(view, left(BEN), founded(("b", "Bis")))
    assert done.delta == {
        (2, "a", 1, *ALPHA): -1,
        (1, "a", 2, *ALPHA): -1,
        (1, "a", 1, *ALPHA): 1,
        (3, "b", 1, "b", "Bis"): 1,
    }


BY_PAY = tuple(ascending(one) for one in (PAY, ID, NAME, TEAM, CODE, TITLE))
OF_PAIRS = Window(Join(JoinKind.LEFT, PEOPLE, TEAMS, SAME_TEAM), (), BY_PAY, (ROW_NUMBER,))


def test_without_partitions_what_is_below_is_not_evaluated() -> None:
    numbered = prepare(keep(Window(PEOPLE, (), ALL, (ROW_NUMBER,)), ID, column("n", "INT")))
    assert not tables_read(compile_delta(numbered, {"people"}))
    program = compile_delta(prepare(OF_PAIRS), {"people"})
    assert tables_read(program) == {"teams"}, "for the changed people alone"
    assert program.notes[OF_PAIRS].reads == ("state",)
    view = maintained(OF_PAIRS)
    for changes in (
        hired(FAY, BEN, BEN),
        left(BEN, ANN),
        closed(ALPHA) + left(BEN),
        founded(ALPHA, ALPHA) + hired(ANN),
        left(BEN, CAT),
    ):
        view.refresh(tuple(changes))


def test_without_partitions_and_without_a_change_nothing_is_evaluated() -> None:
    rich = Filter(PEOPLE, RICH)
    done = refresh(Window(rich, (), ALL, (ROW_NUMBER,)), left(BEN))
    assert not done.delta
    assert not done.reasons
    assert not any(step.startswith("window") for step in done.steps)
