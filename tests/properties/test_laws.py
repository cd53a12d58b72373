"""Generated views, tables and changes: what is maintained is what would be recomputed."""

from __future__ import annotations

import pytest

from tests.properties.run import failures
from tests.properties.seed import SEED

CASES = 1000
PARTS = 10
PROOF = 10_000


@pytest.mark.parametrize("part", range(PARTS))
def test_laws_hold(part: int) -> None:
    _assert_all_hold(range(part, CASES, PARTS), one_in=6)


@pytest.mark.proof
@pytest.mark.timeout(0)
def test_laws_hold_in_every_case_that_is_asked_for() -> None:
    _assert_all_hold(range(PROOF), one_in=1)


def _assert_all_hold(numbers: range, one_in: int) -> None:
    for failed in failures(SEED, iter(numbers), one_in):
        if failed is not None:
            pytest.fail(f"ROLLVIEW_SEED={SEED}\n{failed}", pytrace=False)
