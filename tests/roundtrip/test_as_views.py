"""TPC-H, and every tenth query of TPC-DS, as views of a lake whose tables all change."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from tests.roundtrip.as_views import follow, groups_of
from tests.roundtrip.cases import create_group_tables, load_cases
from tests.roundtrip.check import Case
from tests.roundtrip.session import tuned

SEED = 1  # as in the proof, which has more rounds
GROUPS = [
    *[pytest.param(some, 2, id=some[0].id) for some in groups_of(load_cases("tpch"))],
    pytest.param(load_cases("tpcds")[5::10], 1, id="tpcds"),
]


@pytest.mark.spark
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("cases", "rounds"), GROUPS)
def test_views_follow_changes_of_all_tables(
    spark: SparkSession, cases: list[Case], rounds: int
) -> None:
    session = tuned(spark)
    create_group_tables(session, {cases[0].schema})
    followed = follow(session, cases, SEED, rounds)
    assert [one for one in followed if one.wrong] == []
    assert [one for one in followed if {"full", "failed"} & set(one.modes)] == []
