"""Generated conditions in generated views: the laws hold though changes are left out."""

from __future__ import annotations

import pytest

from tests.properties.duckdb_engine import connect
from tests.properties.maintained import Maintained
from tests.properties.run import failures, numbered_condition
from tests.properties.seed import SEED

CASES = 300
PARTS = 5
PROOF = 3000


@pytest.mark.parametrize("part", range(PARTS))
def test_laws_hold(part: int) -> None:
    _assert_all_hold(range(part, CASES, PARTS), one_in=4)


@pytest.mark.proof
@pytest.mark.timeout(0)
def test_laws_hold_in_every_case_that_is_asked_for() -> None:
    _assert_all_hold(range(PROOF), one_in=1)


def _assert_all_hold(numbers: range, one_in: int) -> None:
    for failed in failures(SEED, iter(numbers), one_in, numbered_condition):
        if failed is not None:
            pytest.fail(f"ROLLVIEW_SEED={SEED}\n{failed}", pytrace=False)


def test_much_of_what_is_generated_is_irrelevant() -> None:
    """Or the laws would say nothing of it."""
    connection = connect()
    changed = irrelevant = 0
    for number in range(40):
        case = numbered_condition(SEED, number)
        maintained = Maintained(case, connection)
        for batch in case.batches:
            changed += len(batch)
            irrelevant += maintained.refresh(batch).irrelevant
    assert changed // 20 < irrelevant < changed
