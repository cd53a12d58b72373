"""Every query gives the same bag as Spark gives for the original text, through the algebra.

An ordinary run checks a rotating part, whose seed stands in the test's name; ``make proof`` checks
everything. ROLLVIEW_SEED repeats a run.
"""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from tests.properties.seed import SEED
from tests.roundtrip.cases import GROUPS, create_group_tables, load_cases, sample_cases
from tests.roundtrip.check import Case, check
from tests.roundtrip.session import tuned


@pytest.fixture(scope="module")
def lake(spark: SparkSession) -> SparkSession:
    """A session of its own, beside the shared one, with the tables of all groups."""
    session = tuned(spark)
    create_group_tables(session, {"corpus", "frames"})
    return session


@pytest.mark.spark
@pytest.mark.parametrize(
    "case", [pytest.param(case, id=f"seed-{SEED}-{case.id}") for case in sample_cases(SEED)]
)
def test_sample(lake: SparkSession, case: Case) -> None:
    assert_holds(lake, case)


def test_corpus_is_large_enough() -> None:
    sizes = {group: len(load_cases(group)) for group in GROUPS}
    assert sizes["tpch"] == 22
    assert sizes["tpcds"] == 99
    assert sizes["corpus"] >= 220
    assert sizes["frames"] >= 40


def assert_holds(lake: SparkSession, case: Case) -> None:
    outcome = check(lake, case)
    if outcome.failures:
        failures = [f"[{stage}] {text[:2000]}" for stage, text in outcome.failures.items()]
        raise AssertionError("\n".join([*failures, outcome.sql or ""]))
