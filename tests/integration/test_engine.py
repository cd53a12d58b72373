"""Deltas that the driver holds are made net, counted and added up without a job, and the same."""

from __future__ import annotations

from random import Random

import pytest
from pyspark.sql import DataFrame, SparkSession

from rollview.runtime.spark_engine import SparkEngine, frame_of
from rollview.storage.base import WEIGHT
from rollview.storage.net import net
from tests.properties.seed import SEED

pytestmark = pytest.mark.spark

COLUMNS = {
    "i": ("INT", ["1", "2", "NULL"]),
    "d": ("DOUBLE", ["0.0D", "-0.0D", "double('NaN')", "1.5D", "NULL"]),
    "f": ("FLOAT", ["float(0.0)", "float(-0.0)", "NULL"]),
    "s": ("STRING", ["'a'", "'A'", "''", "NULL"]),
    "m": ("DECIMAL(12,2)", ["1.5", "1.50", "-2", "NULL"]),
    "l": ("DECIMAL(38,0)", ["99999999999999999999999999999999999999", "1", "NULL"]),
    "t": ("DATE", ["DATE'2024-01-01'", "NULL"]),
    "n": ("TIMESTAMP_NTZ", ["TIMESTAMP_NTZ'2024-01-01 00:00:00'", "NULL"]),
    "b": ("BOOLEAN", ["TRUE", "FALSE", "NULL"]),
}


def delta_of(spark: SparkSession, random: Random, rows: int, nested: bool = False) -> DataFrame:
    """Weighted rows of few values, so that many are equal."""
    kinds = {**COLUMNS, "a": ("ARRAY<INT>", ["array(1)", "array(2)"])} if nested else COLUMNS
    texts = [
        f"({', '.join(random.choice(values[:2] + values[-1:]) for _, values in kinds.values())}, "
        f"{random.choice((-2, -1, 1, 2))}L)"
        for _ in range(rows)
    ]
    names = [*kinds, WEIGHT]
    rows_of = spark.sql(f"SELECT * FROM VALUES {', '.join(texts)} AS t({', '.join(names)})")
    typed = [f"CAST({name} AS {type}) AS {name}" for name, (type, _) in kinds.items()]
    return rows_of.selectExpr(*typed, WEIGHT)


def texts_of(frame: DataFrame) -> list[tuple[str, ...]]:
    return sorted(tuple(map(repr, row)) for row in frame.collect())


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("nested", [True, False])
def test_net_is_what_the_job_gives(spark: SparkSession, exact: bool, nested: bool) -> None:
    random = Random(f"{SEED} {exact} {nested}")
    with SparkEngine(spark) as engine:
        delta = delta_of(spark, random, 300, nested)
        names = delta.columns[:-1]
        held = engine.held(delta)
        found = held.net(exact)
        assert (found is None) is nested  # only values that Java's equality can tell apart
        ours = frame_of(engine._net(held, names, exact), spark)
        assert ours.schema == delta.schema
        theirs = net(delta, names, exact=exact)
        assert texts_of(ours) == texts_of(theirs), f"seed {SEED}"


def test_counts_are_those_of_the_job(spark: SparkSession) -> None:
    random = Random(f"{SEED} counts")
    for key in (None, ("i",), ("i", "s")):
        delta = delta_of(spark, random, 100)
        names = delta.columns[:-1]
        with SparkEngine(spark) as engine, SparkEngine(spark, small=False) as by_jobs:
            ours, theirs = (one.net(delta, names, key) for one in (engine, by_jobs))
        assert (ours.added, ours.removed, ours.updated) == (
            theirs.added,
            theirs.removed,
            theirs.updated,
        )


def test_a_union_of_constants_is_computed_without_a_job(spark: SparkSession) -> None:
    group = "union-of-constants"
    spark.sparkContext.setJobGroup(group, group)
    with SparkEngine(spark) as engine:
        parts = spark.sql(
            "VALUES (1), (2) UNION ALL VALUES (3) UNION ALL VALUES (CAST(NULL AS INT))"
        )
        held = engine.held(parts)
        assert int(held.rows()) == 4
        assert spark.sparkContext.statusTracker().getJobIdsForGroup(group) == []
        assert texts_of(frame_of(held, spark)) == [("1",), ("2",), ("3",), ("None",)]
