"""Random views: algebra over every operator, as Spark's frontend would make it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from rollview.algebra.relations import (
    Aggregate,
    Distinct,
    Expand,
    Filter,
    Generate,
    Join,
    JoinKind,
    Named,
    Project,
    Recursion,
    RecursionInput,
    Relation,
    Scan,
    SetOperation,
    SingleRow,
    Sort,
    TableFunction,
    TopK,
    Union,
    Values,
    Window,
)
from rollview.algebra.schema import Column, Schema
from rollview.analysis.order import canonical
from tests.properties import many_inputs, one_input
from tests.properties.growth import Growth
from tests.properties.scalars import equal, literal, operator, ref
from tests.properties.values import TYPES, VALUES

Maker = Callable[[Growth, int], Relation]

WEIGHTS: dict[Maker, int] = {
    one_input.project: 8,
    one_input.filter: 5,
    one_input.aggregate: 13,
    one_input.distinct: 4,
    one_input.window: 8,
    one_input.expand: 3,
    one_input.generate: 3,
    one_input.sort: 2,
    one_input.top_k: 4,
    one_input.tops: 5,
    many_inputs.join: 18,
    many_inputs.chain: 4,
    many_inputs.report: 6,
    many_inputs.union: 6,
    many_inputs.set_operation: 8,
    many_inputs.single_row: 4,
    many_inputs.exists: 2,
    many_inputs.not_in: 3,
}


def random_view(rng: Random, tables: Mapping[str, Schema], depth: int) -> Relation:
    """A view over some of the tables."""
    return canonical(Growth(rng, tables, random_relation).relation(depth))


def view_with(kind: type, rng: Random, tables: Mapping[str, Schema], depth: int) -> Relation:
    """A view with an operator of this kind on top, if the tables have the columns it needs."""
    return canonical(MAKERS[kind](Growth(rng, tables, random_relation), depth))


def random_relation(growth: Growth, depth: int) -> Relation:
    """An operator over inputs of less depth, or a leaf."""
    return make(growth, depth, _leaf)


def make(growth: Growth, depth: int, leaf: Callable[[Growth], Relation]) -> Relation:
    """Any operator, over others, over leaves."""
    if depth <= 0 or growth.rng.random() < 0.08:
        return leaf(growth)
    maker = growth.rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
    return maker(growth, depth - 1)


def _leaf(growth: Growth) -> Relation:
    dice = growth.rng.random()
    if dice < 0.02:
        return _function(growth)
    if dice < 0.05:
        return _values(growth)
    if dice < 0.06:
        return _recursion(growth)
    return _scan(growth)


def _scan(growth: Growth) -> Scan:
    """Most columns of a table: the first is what tables are joined on."""
    rng = growth.rng
    table = rng.choice(list(growth.tables))
    columns = [c for i, c in enumerate(growth.tables[table]) if rng.random() < (0.9, 0.7)[i > 0]]
    columns = columns or list(growth.tables[table])
    named = (Column(growth.fresh(c.name), c.type, c.nullable) for c in columns)
    return Scan(table, tuple(c.name for c in columns), tuple(named))


def _values(growth: Growth) -> Values:
    rng = growth.rng
    types = rng.choices(TYPES, k=2)
    columns = tuple(Column(growth.fresh("v"), type) for type in types)
    rows = range(rng.randint(0, 3))
    return Values(
        columns, tuple(tuple(literal(rng.choice(VALUES[t]), t) for t in types) for _ in rows)
    )


def _recursion(growth: Growth) -> Relation:
    """From the numbers of a table up to two, by way of another table now and then."""
    scan = _scan(growth)
    numbers = [c for c in scan.columns if c.type == "INT"]
    if not numbers:
        return scan
    roots = [c for c in growth.exact(scan) if growth.rng.random() < 0.4]  # are handed down
    start = [numbers[0], *roots]
    columns = tuple(Column(growth.fresh("r"), c.type) for c in start)
    anchor = Project(scan, tuple(Named(growth.fresh("r"), ref(c)) for c in start))
    if growth.rng.random() < 0.3:
        anchor = Distinct(anchor)
    name = growth.fresh("recursion")
    before = tuple(Column(growth.fresh("r"), c.type) for c in start)
    again: Relation = RecursionInput(name, tuple(c.name for c in columns), before)
    number = ref(before[0])
    few = operator("LessThan", "<", number, literal(2, "INT"), "BOOLEAN")
    more = operator("Add", "+", number, literal(1, "INT"), "INT")
    again = Filter(again, few)
    other = _scan(growth)
    steps = [c for c in other.columns if c.type == "INT"]
    if steps and growth.rng.random() < 0.5:
        kind = growth.rng.choice((JoinKind.INNER, JoinKind.INNER, JoinKind.SEMI, JoinKind.LEFT))
        again = Join(kind, again, other, equal(number, ref(steps[0])))
    items = [more, *(ref(c) for c in before[1:])]
    step = Project(again, tuple(Named(growth.fresh("r"), value) for value in items))
    return Recursion(name, anchor, step, columns)


def _function(growth: Growth) -> TableFunction:
    column = Column(growth.fresh("n"), "BIGINT", False)
    return TableFunction("range(3)", ("id",), (column,))


def _alone(leaf: Callable[[Growth], Relation]) -> Maker:
    return lambda growth, _: leaf(growth)


MAKERS: dict[type, Maker] = {
    Project: one_input.project,
    Filter: one_input.filter,
    Aggregate: one_input.aggregate,
    Distinct: one_input.distinct,
    Window: one_input.window,
    Expand: one_input.expand,
    Generate: one_input.generate,
    Sort: one_input.sort,
    TopK: one_input.top_k,
    Join: many_inputs.join,
    Union: many_inputs.union,
    SetOperation: many_inputs.set_operation,
    SingleRow: many_inputs.single_row,
    Scan: _alone(_scan),
    Values: _alone(_values),
    TableFunction: _alone(_function),
    Recursion: _alone(_recursion),
}
"""What makes an operator of a kind, most of the time."""
