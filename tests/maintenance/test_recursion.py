"""``d(R) = R(after) - R(before)``."""

from __future__ import annotations

from rollview.algebra.definition import ReasonCode
from tests.algebra.examples import EXAMPLES
from tests.maintenance.people import CAT, EVE, hired, left, refresh

UP_TO_FOUR = EXAMPLES["recursion"]


def test_old_and_new_rows_are_compared() -> None:
    assert refresh(UP_TO_FOUR, left(CAT), hired((9, None, None, None))).delta == {
        (3,): -1,
        (4,): -1,
        (9,): 1,
    }


def test_it_is_said_that_this_is_not_incremental() -> None:
    program = refresh(UP_TO_FOUR, left(EVE)).program
    assert [reason.code for reason in program.reasons] == [ReasonCode.NO_RULE]
