"""Generated cases with declared keys: made use of, kept, and broken."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from rollview.analysis.constraints import Constraint, ForeignKey
from rollview.maintenance.choice import ANY, Choice
from rollview.maintenance.compiler import made_use_of
from rollview.maintenance.strategies import choose
from tests.properties.cases import Case
from tests.properties.duckdb_engine import connect
from tests.properties.keyed import keyed_case
from tests.properties.maintained import Maintained
from tests.properties.run import failure
from tests.properties.seed import SEED
from tests.properties.show import shown
from tests.properties.shrink import is_consistent, shrink
from tests.properties.ways import WAYS

CASES, PARTS = 240, 4
FEW = 30
PROOF = 3_000
DEFAULT = choose("counting")


def case_of(number: int, breaks: bool) -> Case:
    """The case of a number, whose changes keep or break what is declared."""
    return keyed_case(Random(f"{SEED}-keyed-{breaks}-{number}"), breaks=breaks)


def assert_all_hold(numbers: range, breaks: bool, way: Choice = ANY) -> None:
    connection = connect()
    for number in numbers:
        case = case_of(number, breaks)
        if failure(case, connection, way) is not None:
            small = shrink(case, lambda other: failure(other, connection, way))
            pytest.fail(f"ROLLVIEW_SEED={SEED}, {number}\n{shown(small)}", pytrace=False)


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("breaks", [False, True], ids=["kept", "broken"])
def test_laws_hold(breaks: bool, part: int) -> None:
    assert_all_hold(range(part, CASES, PARTS), breaks)


@pytest.mark.parametrize("way", [way for way in WAYS if way != DEFAULT], ids=str)
def test_laws_hold_for_other_ways(way: Choice) -> None:
    assert_all_hold(range(FEW), breaks=False, way=way)
    assert_all_hold(range(FEW), breaks=True, way=way)


@pytest.mark.proof
@pytest.mark.timeout(0)
@pytest.mark.parametrize("breaks", [False, True], ids=["kept", "broken"])
def test_laws_hold_in_every_case_that_is_asked_for(breaks: bool) -> None:
    assert_all_hold(range(PROOF), breaks)


def test_declarations_are_made_use_of_and_broken() -> None:
    cases = [case_of(number, breaks=False) for number in range(60)]
    assert all(is_consistent(case) for case in cases)
    used: Counter[type] = Counter()
    for case in cases:
        used.update({type(one) for one in _used(case)})
    assert used[ForeignKey] > 15
    assert sum(used.values()) > used[ForeignKey], "keys are, too"
    connection = connect()
    violations = 0
    for number in range(30):
        case = case_of(number, breaks=True)
        kept = Maintained(case, connection)
        for batch in case.batches:
            kept.refresh(batch)
        violations += kept.violations
    assert violations > 2


def _used(case: Case) -> tuple[Constraint, ...]:
    return made_use_of(case.relation, case.constraints, case.tables).all
