"""Generated conditions in generated views: the laws hold though changes are left out."""

from __future__ import annotations

from random import Random

import duckdb
import pytest

from tests.properties.comparisons import conditional_case
from tests.properties.duckdb_engine import connect
from tests.properties.maintained import Maintained
from tests.properties.run import failure
from tests.properties.seed import SEED
from tests.properties.show import shown
from tests.properties.shrink import shrink

CASES = 60
PROOF = 3000


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    return connect()


def assert_laws_hold(numbers: range, connection: duckdb.DuckDBPyConnection) -> None:
    for number in numbers:
        case = conditional_case(Random(f"{SEED}-{number}"))
        if failure(case, connection) is not None:
            small = shrink(case, lambda other: failure(other, connection))
            pytest.fail(f"ROLLVIEW_SEED={SEED}, {number}\n{shown(small)}", pytrace=False)


@pytest.mark.parametrize("part", range(5))
def test_laws_hold(part: int, connection: duckdb.DuckDBPyConnection) -> None:
    assert_laws_hold(range(part * CASES, (part + 1) * CASES), connection)


@pytest.mark.proof
@pytest.mark.timeout(0)
def test_laws_hold_in_every_case_that_is_asked_for(connection: duckdb.DuckDBPyConnection) -> None:
    assert_laws_hold(range(PROOF), connection)


def test_much_of_what_is_generated_is_irrelevant(connection: duckdb.DuckDBPyConnection) -> None:
    """Or the laws would say nothing of it."""
    changed = irrelevant = 0
    for number in range(30):
        case = conditional_case(Random(f"{SEED}-{number}"))
        maintained = Maintained(case, connection)
        for batch in case.batches:
            changed += len(batch)
            irrelevant += maintained.refresh(batch).irrelevant
    assert changed // 10 < irrelevant < changed
