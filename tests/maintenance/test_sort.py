"""``d(sort(Q)) = d(Q)``."""

from __future__ import annotations

from tests.algebra.examples import EXAMPLES
from tests.maintenance.people import ANN, FAY, hired, left, refresh


def test_an_order_means_nothing_for_a_bag() -> None:
    assert refresh(EXAMPLES["sort"], hired(FAY), left(ANN)).delta == {(6,): 1, (1,): -1}
