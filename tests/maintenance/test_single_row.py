"""``d(S(Q)) = S(Q(after)) - S(Q(before))`` if they differ, else nothing."""

from __future__ import annotations

import duckdb
import pytest

from rollview.algebra.definition import ReasonCode
from rollview.algebra.expressions import Call, binary, column, is_null
from rollview.algebra.relations import Aggregate, Filter, Join, JoinKind, Named, Project, SingleRow
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.emptiness import is_empty, without_empty
from rollview.maintenance.prepare import prepare
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
    tables_read,
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


def test_the_row_is_kept_if_it_is_not_that_of_an_aggregate() -> None:
    assert [type(kept.relation) for kept in prepare(TOTAL).kept] == [Aggregate]
    assert [kept.relation for kept in prepare(RICHEST).kept] == [RICHEST.child]
    for view in (TOTAL, RICHEST):
        program = compile_delta(prepare(view), {"people"})
        assert not tables_read(program)
        assert not program.blames


def test_changes_beside_the_row_touch_nothing() -> None:
    view = Join(JoinKind.CROSS, TEAMS, RICHEST)
    for changes in (left(EVE), hired((7, "gil", "a", 10)), left(ANN) + hired(ANN)):
        done = refresh(view, changes)
        assert not done.delta
        assert not any(step.startswith("reached") for step in done.steps)
        assert not done.reasons


def test_a_row_that_is_null_is_a_row() -> None:
    """Another one beside it is one too many, though the value of both is NULL."""
    unpaid = SingleRow(keep(Filter(PEOPLE, is_null(PAY)), PAY), "unpaid")
    view = maintained(unpaid)
    assert not view.refresh(tuple(left(EVE))).delta
    assert not view.refresh(tuple(hired(EVE))).delta
    with pytest.raises(duckdb.Error, match="More than one row"):
        view.refresh(tuple(hired(EVE)))


def test_a_value_that_cannot_be_compared_is_looked_up_only_if_something_changed() -> None:
    pays = Call("Map", ("map(", ", 1)"), (PAY,), "MAP<INT, INT>")
    rich = Filter(PEOPLE, binary("GreaterThan", ">", PAY, number(60), "BOOLEAN"))
    prepared = prepare(SingleRow(Project(rich, (Named("pays", pays),)), "pays"))
    assert not prepared.kept
    program = compile_delta(prepared, {"people"})
    (blame,) = program.blames
    assert blame.reason.code is ReasonCode.NO_KEY
    (values,) = [step for step in program.steps if step.name.startswith("values")]
    assert is_empty(without_empty(values.relation, frozenset({str(blame.step)})))


def test_a_filter_by_it() -> None:
    below = Filter(
        Join(JoinKind.CROSS, keep(PEOPLE, PAY), TOTAL),
        binary("LessThan", "<", PAY, ANSWER, "BOOLEAN"),
    )
    view = keep(below, PAY)
    assert refresh(view, hired((7, "gil", "a", 1))).delta == {(1,): 1}
