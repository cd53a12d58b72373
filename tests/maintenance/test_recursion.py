"""``d(R) = R(after) - R(before)``."""

from __future__ import annotations

from rollview.algebra.definition import ReasonCode
from rollview.algebra.expressions import binary
from rollview.algebra.relations import Filter, Named, Project, Recursion, RecursionInput
from tests.algebra.examples import COUNTER, ID, PEOPLE, keep, number, schema
from tests.maintenance.people import CAT, EVE, hired, left, refresh

FEW = binary("LessThan", "<", COUNTER, number(4), "BOOLEAN")
STEP = Project(
    Filter(RecursionInput("up", ("i",), schema(COUNTER)), FEW),
    (Named("next", binary("Add", "+", COUNTER, number(1), "INT")),),
)
UP_TO_FOUR = Recursion("up", keep(PEOPLE, ID), STEP, schema(COUNTER))


def test_old_and_new_rows_are_compared() -> None:
    assert refresh(UP_TO_FOUR, left(CAT), hired((9, None, None, None))).delta == {
        (3,): -1,
        (4,): -1,
        (9,): 1,
    }


def test_it_is_said_that_this_is_not_incremental() -> None:
    program = refresh(UP_TO_FOUR, left(EVE)).program
    assert [reason.code for reason in program.reasons] == [ReasonCode.NO_RULE]
