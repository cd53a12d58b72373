"""What programs write themselves has for Spark the types that the algebra says.

Expressions of the query are Spark's own; sums, averages and comparisons of states are ours, and a
type that is wrong by a little, such as a DOUBLE in the place of a DECIMAL, gives wrong digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from pyspark.sql import SparkSession

from rollview.algebra.definition import Definition
from rollview.algebra.relations import Relation, Values
from rollview.algebra.schema import Schema
from rollview.errors import RollviewError
from rollview.frontend.define import define
from rollview.maintenance.choice import ANY, Choice
from rollview.maintenance.clock import CLOCK, Clock
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.signed import WEIGHT_COLUMN
from rollview.planning.verdict import maintained
from rollview.runtime.compute import spare_subqueries
from rollview.runtime.moment import position, reading
from rollview.sql.render import render
from tests.properties.seed import SEED
from tests.properties.ways import way_of
from tests.roundtrip.cases import create_group_tables, load_cases
from tests.roundtrip.check import Case
from tests.roundtrip.session import tuned

pytestmark = pytest.mark.spark
PART = 5  # of all cases, in one run

DECIMALS = "DECIMAL(9,2) DECIMAL(15,3) DECIMAL(16,2) DECIMAL(18,4) DECIMAL(24,2) DECIMAL(38,10)"


@pytest.fixture(scope="module")
def lake(spark: SparkSession) -> SparkSession:
    session = tuned(spark)
    create_group_tables(session, {"corpus", "frames"})
    session.sql("USE corpus")
    return session


def test_types_of_programs(lake: SparkSession) -> None:
    cases = [*load_cases("corpus"), *load_cases("frames")][SEED % PART :: PART]
    ways = ((case, way) for number, case in enumerate(cases) for way in (ANY, way_of(number)))
    wrong = {
        (case.id, str(way)): found
        for case, way in ways
        if (found := list(mistyped_of(lake, case, way)))
    }
    assert wrong == {}


def test_types_of_aggregates(lake: SparkSession) -> None:
    columns = ", ".join(f"c{i} {type}" for i, type in enumerate(DECIMALS.split()))
    lake.sql(f"CREATE TABLE IF NOT EXISTS long_numbers (g INT, {columns}, n BIGINT, f FLOAT)")
    names = [*(f"c{i}" for i in range(len(DECIMALS.split()))), "n", "f"]
    calls = ("sum", "avg", "min", "stddev", "var_pop", "count")
    shown = ", ".join(f"{call}({name}) AS {call}_{name}" for call in calls for name in names)
    query = f"SELECT g, {shown} FROM long_numbers GROUP BY g"
    over = f"SELECT count(*) AS n, avg(avg_c3) AS a, sum(sum_c5) AS s FROM ({query})"
    for text in (query, over):
        assert list(mistyped(lake, define(lake, text, managed={}))) == []


def clock(lake: SparkSession) -> Clock:
    """What the clock says at two moments."""
    moments = (datetime(2024, 1, day, tzinfo=UTC) for day in (1, 2))
    return Clock(*(reading(lake, position(moment)) for moment in moments))


def mistyped_of(lake: SparkSession, case: Case, way: Choice) -> Iterator[str]:
    if case.raises:
        return
    query = case.query if isinstance(case.query, str) else case.query(lake)
    try:
        definition = define(lake, query, managed={})
    except RollviewError:  # what is refused has no program; the round trip tests how it is refused
        return
    yield from mistyped(lake, definition, way)


def mistyped(lake: SparkSession, definition: Definition, way: Choice = ANY) -> Iterator[str]:
    """The columns of steps, states and changes that have another type than the algebra says."""
    prepared = maintained(definition, way)
    if prepared is None:
        return
    spare_subqueries(lake, prepared.relation)
    program = compile_delta(prepared, [*(s.id for s in definition.sources), CLOCK], clock(lake))
    known: dict[str, str] = {}
    for source in definition.sources:
        for state in ("before", "after"):
            known[f"{state} {source.id}"] = empty(lake, source.columns, f"{state}_{source.id}")
        signed = (*source.columns, WEIGHT_COLUMN)
        known[f"changes {source.id}"] = empty(lake, signed, f"changes_{source.id}")
    for kept in prepared.kept:
        known[f"state {kept.name}"] = empty(lake, kept.columns, f"state_{kept.name}")
    for step in program.steps:
        yield from differing(lake, step.name, step.relation, known)
        columns = step.relation.columns
        known[f"temporary {step.name}"] = empty(lake, columns, f"step_{step.name}")
    for name, relation in program.states.items():
        yield from differing(lake, name, relation, known)
    if program.delta is not None:
        yield from differing(lake, "the change", program.delta, known)


def differing(
    lake: SparkSession, what: str, relation: Relation, known: Mapping[str, str]
) -> Iterator[str]:
    types: Any = lake.sql(render(relation, known))._jdf.schema()
    for at, column in enumerate(relation.columns):
        found = str(types.apply(at).dataType().sql())
        if found != column.type:
            yield f"{what}: {column.name} is {found}, not {column.type}"


def empty(lake: SparkSession, columns: Schema, name: str) -> str:
    """A table of no rows; its name."""
    view = f"typed_{name}"
    lake.sql(render(Values(columns, ()), {})).createOrReplaceTempView(view)
    return view
