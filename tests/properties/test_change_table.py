"""Generated views within the reach of change tables, and the verdict on all others."""

from __future__ import annotations

from random import Random

import pytest

from rollview.algebra.definition import ReasonCode
from rollview.algebra.relations import Aggregate, Project
from rollview.maintenance.strategies import beyond, choose, prepared
from tests.properties.above import random_view_above
from tests.properties.cases import Case, random_case
from tests.properties.duckdb_engine import connect
from tests.properties.run import failure, numbered_case
from tests.properties.seed import SEED
from tests.properties.show import shown
from tests.properties.shrink import shrink

CHANGE_TABLE = choose("change_table")
CASES = 60


def case_above(number: int, seed: int = SEED) -> Case:
    """The case of a number whose view is within reach."""
    return random_case(Random(f"{seed}-above-{number}"), 3, random_view_above)


def test_laws_hold_within_the_reach_of_change_tables() -> None:
    connection = connect()
    for number in range(CASES):
        case = case_above(number)
        if failure(case, connection, CHANGE_TABLE) is not None:
            small = shrink(case, lambda other: failure(other, connection, CHANGE_TABLE))
            pytest.fail(f"ROLLVIEW_SEED={SEED} {number}\n{shown(small)}", pytrace=False)


def test_what_is_made_for_it_is_within_its_reach() -> None:
    cases = [case_above(number) for number in range(200)]
    out = [case for case in cases if beyond(case.relation, CHANGE_TABLE)]
    assert not out, shown(out[0])
    extents = [prepared(case.relation, CHANGE_TABLE).kept[-1].relation for case in cases]
    assert {type(extent) for extent in extents} == {Aggregate, Project}


def test_every_other_view_has_the_condition_that_it_violates() -> None:
    within = 0
    for number in range(300):
        relation = numbered_case(SEED, number).relation
        reasons = beyond(relation, CHANGE_TABLE)
        within += not reasons
        assert all(reason.code is ReasonCode.NOT_APPLICABLE for reason in reasons)
        assert all("5." in reason.message for reason in reasons)
    assert 0 < within < 300
