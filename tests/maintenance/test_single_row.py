"""``d(S(Q)) = S(Q(after)) - S(Q(before))`` if they differ, else nothing."""

from __future__ import annotations

from rollview.algebra.definition import ReasonCode
from rollview.algebra.expressions import binary, column
from rollview.algebra.relations import Filter, Join, JoinKind, SingleRow
from tests.algebra.examples import EXAMPLES, PAY, PEOPLE, TEAMS, keep, number
from tests.maintenance.people import (
    ALPHA,
    ANN,
    BETA,
    EVE,
    GAMMA,
    NONE,
    hired,
    left,
    maintained,
    refresh,
)

TOTAL = EXAMPLES["single_row"]
ANSWER = column("answer", "BIGINT")
BESIDE = Join(JoinKind.CROSS, TEAMS, TOTAL)
RICHEST = SingleRow(
    keep(
        Filter(PEOPLE, binary("GreaterThan", ">", PAY, number(60), "BOOLEAN")),
        PAY,
    ),
    "richest",
)
TEAM_ROWS = (ALPHA, BETA, GAMMA, NONE)


def test_old_and_new_value() -> None:
    assert refresh(TOTAL, left(ANN)).delta == {(260,): -1, (160,): 1}


def test_rows_beside_it_are_not_touched_unless_it_moves() -> None:
    still = refresh(BESIDE, left(EVE))
    assert not still.delta
    assert not any(step.startswith("reached") for step in still.steps)
    assert not still.reasons
    moved = refresh(BESIDE, left(ANN))
    assert [reason.code for reason in moved.reasons] == [ReasonCode.NO_KEY]
    assert moved.program.at_times == moved.reasons
    assert moved.delta == {
        **{(*team, 260): -1 for team in TEAM_ROWS},
        **{(*team, 160): 1 for team in TEAM_ROWS},
    }


def test_a_value_may_become_null_and_come_back() -> None:
    assert refresh(RICHEST, left(ANN)).delta == {(100,): -1, (None,): 1}
    other = refresh(RICHEST, left(ANN), hired((7, "gil", "a", 300)))
    assert other.delta == {(100,): -1, (300,): 1}
    view = maintained(RICHEST)
    view.refresh(tuple(left(ANN)))
    assert view.refresh(tuple(hired(ANN))).delta == {(None,): -1, (100,): 1}


def test_of_an_aggregate_the_value_is_kept_and_of_rows_it_is_looked_up() -> None:
    assert not refresh(TOTAL, left(ANN)).reasons
    assert [reason.code for reason in refresh(RICHEST, left(ANN)).reasons] == [ReasonCode.NO_KEY]


def test_a_filter_by_it() -> None:
    below = Filter(
        Join(JoinKind.CROSS, keep(PEOPLE, PAY), TOTAL),
        binary("LessThan", "<", PAY, ANSWER, "BOOLEAN"),
    )
    view = keep(below, PAY)
    assert refresh(view, hired((7, "gil", "a", 1))).delta == {(1,): 1}
