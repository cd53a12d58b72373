"""Random views that change tables are for: sums, counts and outer joins, and what may follow.

Every layer meets the conditions of table 5.2 (Barbier 2007): conditions and groups are over
group-by attributes, and what is summed again is a sum or a count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from rollview.algebra.expressions import AggregateCall
from rollview.algebra.relations import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    JoinKind,
    Named,
    NamedAggregate,
    Project,
    Relation,
    Sort,
)
from rollview.algebra.schema import Column, Schema
from rollview.algebra.traverse import column_names
from tests.properties import conditions
from tests.properties.aggregates import COUNT_ALL, sum_type
from tests.properties.growth import Growth, keep
from tests.properties.scalars import Scalars, literal, ref
from tests.properties.trees import random_relation
from tests.properties.values import SMALL_DECIMAL

_SUMMED = ("INT", "SMALLINT", "BIGINT", SMALL_DECIMAL)
_OUTER = (JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL)
_LOOSE = ("DOUBLE", "FLOAT", "MAP<")


@dataclass
class Made:
    """A relation with a change table: its group-by attributes, and the totals that can be summed.

    ``regroups`` says whether an aggregate may follow.
    """

    relation: Relation
    keys: list[Column]
    totals: list[Column] = field(default_factory=list)
    regroups: bool = True


def random_view_above(rng: Random, tables: Mapping[str, Schema], depth: int) -> Relation:
    """A view within the reach of change tables."""
    growth = Growth(rng, tables, random_relation)
    made = _converted(growth, min(depth, 2))
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        layer = rng.choice((_filtered, _projected, _joined, _joined, _regrouped, _regrouped))
        made = layer(growth, made)
    return Sort(made.relation, growth.order(made.keys)) if _sorts(rng, made) else made.relation


def _sorts(rng: Random, made: Made) -> bool:
    return bool(made.keys) and rng.random() < 0.1


def _plain(growth: Growth, depth: int) -> Relation:
    """A relation all of whose columns can be group-by attributes."""
    relation = growth.comparable(growth.relation(depth))
    columns = [c for c in relation.columns if not any(word in c.type for word in _LOOSE)]
    if not columns:
        return Project(relation, (Named(growth.fresh(), literal(1, "INT")),))
    return relation if len(columns) == len(relation.columns) else keep(relation, columns)


def _converted(growth: Growth, depth: int) -> Made:
    dice = growth.rng.random()
    if dice < 0.35:
        return _outer(growth, depth)
    if dice < 0.45:
        below = Distinct(_plain(growth, depth))
        return Made(below, list(below.columns))
    child = _plain(growth, depth)
    keys = growth.rng.sample(child.columns, min(len(child.columns), growth.rng.randint(0, 2)))
    calls = tuple(_additive(growth, child) for _ in range(growth.rng.randint(1, 3)))
    relation = Aggregate(child, tuple(ref(c) for c in keys), calls)
    sums = [one.column for one in calls if one.call.kind in ("Sum", "Count")]
    return Made(relation, list(relation.columns[: len(keys)]), sums, bool(keys))


def _outer(growth: Growth, depth: int) -> Made:
    rng = growth.rng
    left, right = _plain(growth, depth), _plain(growth, rng.randint(0, 1))
    kind = rng.choice(_OUTER)
    condition = conditions.condition(rng, kind, left.columns, right.columns)
    relation = Join(kind, left, right, condition)
    return Made(relation, list(relation.columns), regroups=False)


def _additive(growth: Growth, child: Relation) -> NamedAggregate:
    """A call that can be combined and cancelled."""
    rng = growth.rng
    column = rng.choice(child.columns)
    call = COUNT_ALL
    dice = rng.random()
    if dice < 0.6 and column.type in _SUMMED:
        call = AggregateCall("Sum", ("sum(", ")"), (ref(column),), sum_type(column.type))
    elif dice < 0.7 and column.type in ("INT", "BIGINT"):
        call = AggregateCall("BitXorAgg", ("bit_xor(", ")"), (ref(column),), column.type)
    elif dice < 0.8 and column.type == "INT":
        call = AggregateCall("Average", ("avg(", ")"), (ref(column),), "DOUBLE")
    elif dice < 0.9:
        call = AggregateCall("Count", ("count(", ")"), (ref(column),), "BIGINT", False)
    if rng.random() < 0.2:
        condition = Scalars(rng, child.columns).condition(1)
        call = AggregateCall(
            call.kind, call.parts, call.args, call.type, call.nullable, filter=condition
        )
    return NamedAggregate(growth.fresh("a"), call)


def _filtered(growth: Growth, made: Made) -> Made:
    if not made.keys:
        return made
    condition = Scalars(growth.rng, made.keys).condition(1)
    return Made(Filter(made.relation, condition), made.keys, made.totals, made.regroups)


def _projected(growth: Growth, made: Made) -> Made:
    """Some columns under other names, and something computed of keys."""
    rng = growth.rng
    names = {c.name: growth.fresh() for c in made.relation.columns if rng.random() < 0.5}
    left = [c for c in made.relation.columns if rng.random() < 0.9] or [made.relation.columns[0]]
    items = [Named(names.get(c.name, c.name), ref(c)) for c in left]
    keys = [i.column for i, c in zip(items, left, strict=True) if c in made.keys]
    totals = [i.column for i, c in zip(items, left, strict=True) if c in made.totals]
    if made.keys and rng.random() < 0.5:
        value = Scalars(rng, made.keys).of(rng.choice(("INT", "STRING")), 1)
        items.append(Named(growth.fresh("e"), value))
        keys.append(items[-1].column)
    return Made(Project(made.relation, tuple(items)), keys, totals, made.regroups)


def _joined(growth: Growth, made: Made) -> Made:
    """With plain rows, or with another relation that has a change table."""
    rng = growth.rng
    rows = _plain(growth, rng.randint(0, 1))
    other = Made(rows, list(rows.columns))
    plain = rng.random() < 0.6
    if not plain:
        other = _converted(growth, 1)
    kind = JoinKind.INNER
    condition = conditions.equated(rng, conditions.pairs(rng, made.keys, other.keys))
    if condition is None:
        kind = JoinKind.CROSS
    sides = (made.relation, other.relation)
    flip = rng.random() < 0.5
    left, right = reversed(sides) if flip else sides
    return Made(
        Join(kind, left, right, condition),
        made.keys + other.keys,
        made.totals + other.totals,
        made.regroups and plain,
    )


def _regrouped(growth: Growth, made: Made) -> Made:
    if not made.regroups:
        return made
    rng = growth.rng
    keys = rng.sample(made.keys, min(len(made.keys), rng.choice((0, 1, 1, 2))))
    calls = []
    for column in made.totals:
        if rng.random() < 0.8 and not column.type.startswith("DECIMAL(3"):
            call = AggregateCall("Sum", ("sum(", ")"), (ref(column),), sum_type(column.type))
            if rng.random() < 0.2:
                condition = Scalars(rng, made.keys).condition(1)
                call = AggregateCall("Sum", call.parts, call.args, call.type, filter=condition)
            calls.append(NamedAggregate(growth.fresh("a"), call))
    if not keys and not calls:
        return made
    relation = Aggregate(made.relation, tuple(ref(c) for c in keys), tuple(calls))
    used = {name for one in calls for name in column_names(one.call)}
    sums = [c.column for c in calls] if used else []
    return Made(relation, list(relation.columns[: len(keys)]), sums, bool(keys))
