"""Sums and counts over rolled joins, on DuckDB: right at every position."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from rollview.algebra.expressions import AggregateCall, Literal, binary
from rollview.algebra.relations import (
    Aggregate,
    Filter,
    NamedAggregate,
    Project,
    Relation,
    Temporary,
    Union,
)
from rollview.algebra.schema import Schema
from rollview.errors import InternalError
from rollview.maintenance.signed import PLUS, WEIGHT_COLUMN, named, references, signed
from rollview.rolling.cuts import can_be_cut
from rollview.rolling.stamped import POSITION, POSITION_COLUMN, POSITION_REF
from rollview.rolling.summary import summary_delta, summed
from tests.properties.duckdb_engine import DuckEngine, Row, connect
from tests.properties.maintained import create
from tests.properties.seed import SEED
from tests.rolling.interpreter import evaluate
from tests.rolling.schedules import random_schedule, run


def totals(relation: Relation, rng: Random) -> Aggregate:
    """Sums and counts of random columns, by none, one or two others."""
    columns = references(relation.columns)
    groups = tuple(rng.sample(columns, min(rng.choice((0, 1, 2)), len(columns))))
    values = [rng.choice(columns) for _ in range(3)]
    above = binary("GreaterThanOrEqual", ">=", values[2], Literal("1", "INT"), "BOOLEAN")
    calls = (
        AggregateCall("Count", ("count(", ")"), (Literal("1", "INT"),), "BIGINT", False),
        AggregateCall("Count", ("count(", ")"), (values[0],), "BIGINT", False),
        AggregateCall("Sum", ("sum(", ")"), (values[1],), "BIGINT"),
        AggregateCall("Sum", ("sum(", ")"), (values[2],), "BIGINT", filter=above),
    )
    named_calls = tuple(NamedAggregate(f"total_{n}", call) for n, call in enumerate(calls))
    return Aggregate(relation, groups, named_calls)


def up_to(summary: Relation, position: int) -> Relation:
    """Summary rows at or before a position, without it."""
    bound = Literal(f"{position}L", "BIGINT")
    early = Filter(summary, binary("LessThanOrEqual", "<=", POSITION_REF, bound, "BOOLEAN"))
    kept = tuple(c for c in summary.columns if c.name != POSITION)
    return Project(early, named(references(kept)))


def test_right_at_every_position() -> None:
    connection = connect()
    engine = DuckEngine(connection)

    def table(name: str, columns: Schema, rows: list[Row]) -> None:
        create(connection, name, columns, rows)

    for number in range(9):
        schedule = random_schedule(SEED, number)
        relation, world = schedule.relation, schedule.world
        journal = run(schedule)
        aggregate = totals(relation, Random(f"{SEED}-{number}"))
        assert can_be_cut(aggregate)
        columns = relation.columns
        delta_columns = (*columns, WEIGHT_COLUMN, POSITION_COLUMN)
        changes = summary_delta(aggregate, Temporary("delta", delta_columns))
        first = summary_delta(aggregate, signed(Temporary("first", columns), columns, PLUS))
        table("view_delta", delta_columns, list(journal.delta))
        table("first_rows", columns, evaluate(relation, world.rows_at(0)))
        leaves = {"temporary delta": "view_delta", "temporary first": "first_rows"}
        for position in range(world.units().newest + 1):
            both = Union((first, up_to(changes, position)), first.columns)
            found = engine.recomputed(summed(aggregate, both), leaves)
            table("now", columns, evaluate(relation, world.rows_at(position)))
            whole = Aggregate(Temporary("now", columns), aggregate.groups, aggregate.calls)
            wanted = engine.recomputed(whole, {"temporary now": "now"})
            assert Counter(found) == Counter(wanted), f"ROLLVIEW_SEED={SEED} {number} {position}"
    connection.close()


def test_only_sums_and_counts_have_one() -> None:
    schedule = random_schedule(1, 0)
    value = references(schedule.relation.columns)[0]
    call = AggregateCall("Max", ("max(", ")"), (value,), "INT")
    aggregate = Aggregate(schedule.relation, (), (NamedAggregate("most", call),))
    with pytest.raises(InternalError, match="only sums and counts"):
        summary_delta(aggregate, schedule.relation)
