"""``d(E(Q)) = E(d(Q))``."""

from __future__ import annotations

from tests.algebra.examples import EXAMPLES
from tests.maintenance.people import CAT, DAN, left, refresh


def test_every_copy_of_a_changed_row_changes() -> None:
    assert refresh(EXAMPLES["expand"], left(CAT)).delta == {(3, "b"): -1, (3, None): -1}


def test_equal_copies_count_twice() -> None:
    assert refresh(EXAMPLES["expand"], left(DAN)).delta == {(4, None): -2}
