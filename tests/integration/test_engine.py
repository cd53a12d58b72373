"""Deltas that the driver holds are made net, counted and added up without a job, and the same."""

from __future__ import annotations

from random import Random

import pytest
from pyspark.sql import DataFrame, SparkSession

from rollview.algebra.expressions import ColumnRef, conjunction, is_known
from rollview.algebra.relations import Distinct, Filter, Named, Project, Relation, Temporary, Union
from rollview.algebra.schema import Column
from rollview.maintenance import signed
from rollview.runtime.at_hand import at_hand
from rollview.runtime.spark_engine import SparkEngine, frame_of
from rollview.sql.render import render
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
        found = held.net(exact, 10)
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
            ours, theirs = (
                one.net(one.hold(delta, "delta"), names, key) for one in (engine, by_jobs)
            )
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


def temporary(name: str, kinds: dict[str, tuple[str, list[str]]]) -> Temporary:
    columns = tuple(Column(column, type) for column, (type, _) in kinds.items())
    return Temporary(name, (*columns, signed.WEIGHT_COLUMN))


def shapes() -> dict[str, Relation]:
    """What steps do with rows that are there."""
    one, two = temporary("one", COLUMNS), temporary("two", COLUMNS)
    columns = one.columns[:-1]
    flag, number, double, text = (
        ColumnRef(name, COLUMNS[name][0]) for name in ("b", "i", "d", "s")
    )
    items = (Named("text", text), Named("__weight", signed.MINUS), Named("i", double))
    exact = tuple(column for column in columns if column.name not in ("d", "f"))
    sure = conjunction((flag, is_known(number), signed.ADDED))
    assert sure is not None
    both = Union((one, two), one.columns)
    keys = Project(signed.unsigned(both), (Named("k", double), Named("l", text)))
    return {
        "itself": one,
        "projection": Project(one, items),
        "filter": Filter(both, sure),
        "union": Union((signed.unsigned(one), signed.added(two)), columns),
        "keys": Distinct(keys),
        "keys without NULL": Distinct(Filter(keys, is_known(ColumnRef("l", "STRING")))),
        "net": signed.net(signed.signed(both, exact)),
    }


@pytest.mark.parametrize("shape", shapes())
def test_what_is_done_at_hand_is_what_the_statement_gives(spark: SparkSession, shape: str) -> None:
    random, relation = Random(f"{SEED} {shape}"), shapes()[shape]
    group = f"at-hand-{shape}"
    with SparkEngine(spark) as engine:
        frames = {name: delta_of(spark, random, 200) for name in ("one", "two")}
        leaves = {
            f"temporary {name}": engine.hold(frame, name).table for name, frame in frames.items()
        }
        form = at_hand(relation, leaves)
        assert form is not None
        spark.sparkContext.setJobGroup(group, group)
        ours = engine.evaluate("ours", form)
        assert spark.sparkContext.statusTracker().getJobIdsForGroup(group) == []
        assert ours is not None
        theirs = engine.compute("theirs", render(relation, leaves))
        assert ours.rows == theirs.rows
        assert ours.rows > 0
        found, expected = spark.table(ours.table), spark.table(theirs.table)
        assert found.dtypes == expected.dtypes
        assert texts_of(found) == texts_of(expected), f"seed {SEED}"


def test_what_takes_a_plan_is_not_done_at_hand(spark: SparkSession) -> None:
    nested = {"a": ("ARRAY<INT>", [""])}
    with SparkEngine(spark) as engine:
        rows = spark.sql("SELECT * FROM VALUES (array(1), 1L), (array(1), 1L) AS t(a, __weight)")
        few = engine.hold(rows, "few").table
        form = at_hand(Distinct(temporary("few", nested)), {"temporary few": few})
        assert form is not None
        assert engine.evaluate("sets", form) is None  # arrays are compared by Spark alone
        kept = SparkEngine(spark, small=False).hold(spark.range(30_000), "many").table
        ids = Temporary("many", (Column("id", "BIGINT", False),))
        form = at_hand(ids, {"temporary many": kept})
        assert form is not None
        assert engine.evaluate("same", form) is None  # the driver does not have them


def test_more_rows_than_constants_are_at_hand_too(spark: SparkSession) -> None:
    with SparkEngine(spark) as engine:
        many = engine.hold(spark.range(30_000), "many").table
        ids = Temporary("many", (Column("id", "BIGINT", False),))
        form = at_hand(ids, {"temporary many": many})
        assert form is not None
        same = engine.evaluate("same", form)
        assert same is not None
        assert spark.table(same.table).selectExpr("sum(id)").collect()[0][0] == 449_985_000
