"""TPC-H, and a rotating tenth of TPC-DS, as views of a lake whose tables all change."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from tests.properties.seed import SEED
from tests.roundtrip.as_views import follow, groups_of
from tests.roundtrip.cases import create_group_tables, load_cases
from tests.roundtrip.check import Case
from tests.roundtrip.session import tuned

GROUPS = [*groups_of(load_cases("tpch")), load_cases("tpcds")[SEED % 10 :: 10]]


@pytest.mark.spark
@pytest.mark.parametrize(
    "cases", [pytest.param(some, id=f"seed-{SEED}-{some[0].id}") for some in GROUPS]
)
def test_views_follow_changes_of_all_tables(spark: SparkSession, cases: list[Case]) -> None:
    session = tuned(spark)
    create_group_tables(session, {cases[0].schema})
    followed = follow(session, cases, SEED, 2)
    assert [one for one in followed if one.wrong] == []
    modes = [mode for one in followed for mode in one.modes]
    assert modes.count("full") + modes.count("failed") < len(modes) / 4, "what is it then good for"
