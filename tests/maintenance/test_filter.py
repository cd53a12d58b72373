"""``d(F(Q)) = F(d(Q))``."""

from __future__ import annotations

from tests.algebra.examples import EXAMPLES
from tests.maintenance.people import BEN, CAT, EVE, hired, left, refresh


def test_only_changes_that_pass_count() -> None:
    assert refresh(EXAMPLES["filter"], left(BEN, CAT)).delta == {(3,): -1}


def test_an_update_may_enter_or_leave() -> None:
    richer, unknown = (2, "ben", "a", 80), (3, "cat", "b", None)
    done = refresh(EXAMPLES["filter"], left(BEN, CAT), hired(richer, unknown))
    assert done.delta == {(2,): 1, (3,): -1}


def test_null_is_not_true() -> None:
    assert not refresh(EXAMPLES["filter"], left(EVE)).delta
