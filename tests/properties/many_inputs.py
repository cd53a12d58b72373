"""Random operators over several inputs."""

from __future__ import annotations

from collections.abc import Sequence

from rollview.algebra.expressions import Call, Expression
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
    SetKind,
    SetOperation,
    SingleRow,
    TopK,
    Union,
)
from rollview.algebra.schema import Column, Schema
from tests.properties import conditions
from tests.properties.aggregates import Calls
from tests.properties.growth import Growth, keep
from tests.properties.scalars import cast, equal, literal, operator, ref
from tests.properties.values import VALUES

_ASKING = (JoinKind.SEMI, JoinKind.ANTI, JoinKind.EXISTENCE)


def join(growth: Growth, depth: int) -> Relation:
    """Any kind of join; the right is now and then a copy of the left."""
    rng = growth.rng
    left = growth.relation(depth)
    kind = rng.choice((*JoinKind, JoinKind.INNER, JoinKind.LEFT))
    if kind is JoinKind.SINGLE:
        return _single(growth, left, depth)
    right = growth.copy(left) if rng.random() < 0.1 else growth.relation(rng.randint(0, depth))
    return _joined(growth, kind, left, right)


def _joined(growth: Growth, kind: JoinKind, left: Relation, right: Relation) -> Relation:
    rng = growth.rng
    condition = conditions.condition(rng, kind, growth.exact(left), growth.exact(right))
    if condition is None:
        kind = JoinKind.CROSS if kind is JoinKind.INNER else kind
        if kind in _ASKING and rng.random() < 0.5:
            right = Project(right, ())
    flag = growth.fresh("flag") if kind is JoinKind.EXISTENCE else None
    return Join(kind, left, right, condition, flag)


def _single(growth: Growth, left: Relation, depth: int) -> Relation:
    """At most one match: the right is grouped by what it is joined on."""
    right = growth.relation(min(depth, 1))
    pairs = conditions.pairs(growth.rng, growth.exact(left), growth.exact(right))
    call = Calls(growth.rng, right.columns, growth.exact(right)).aggregate()
    named = NamedAggregate(growth.fresh("a"), call)
    growth.follow(named.name, call)
    grouped = Aggregate(right, tuple(two for _, two in pairs), (named,))
    return Join(JoinKind.SINGLE, left, grouped, conditions.equated(growth.rng, pairs))


def chain(growth: Growth, depth: int) -> Relation:
    """Three or four relations joined, with projections and filters in between."""
    rng = growth.rng
    made = growth.relation(min(depth, 1))
    for _ in range(rng.randint(2, 3)):
        kind = rng.choice((JoinKind.INNER, JoinKind.INNER, JoinKind.INNER, JoinKind.LEFT))
        made = _joined(growth, kind, made, growth.relation(rng.choice((0, 0, min(depth, 1)))))
        dice = rng.random()
        if dice < 0.2:
            made = Filter(made, growth.scalars(made).condition(1))
        elif dice < 0.5:
            kept = rng.sample(made.columns, min(len(made.columns), 4))
            more = Named(growth.fresh("e"), growth.scalars(made).of("INT"))
            made = Project(made, (*keep(made, kept).items, more))
    return made


def _anything(growth: Growth, depth: int) -> Relation:
    return growth.relation(depth)


def report(growth: Growth, depth: int) -> Relation:
    """What people ask for: a few relations joined, grouped by columns of several of them."""
    rng = growth.rng
    below = rng.choice((chain, join, _anything))(growth, depth)
    exact = growth.exact(below)
    groups = tuple(ref(c) for c in rng.sample(exact, min(len(exact), rng.randint(1, 3))))
    calls = Calls(rng, below.columns, exact)
    made = [NamedAggregate(growth.fresh("a"), calls.without_inverse())]
    if rng.random() < 0.5:
        made.append(NamedAggregate(growth.fresh("a"), calls.aggregate()))
    for one in made:
        growth.follow(one.name, one.call)
    return Aggregate(below, groups, tuple(made))


def _shaped(growth: Growth, types: Sequence[str], depth: int) -> Relation:
    """A relation with columns of these types."""
    child = growth.relation(depth)
    columns = growth.exact(child)
    items = []
    for type in types:
        own = [c for c in columns if c.type == type]
        expression: Expression = literal(None, type)
        if own:
            expression = ref(growth.rng.choice(own))
        elif type in VALUES:
            expression = growth.scalars(child).of(type)
        items.append(Named(growth.fresh("u"), expression))
    return Project(child, tuple(items))


def union(growth: Growth, depth: int) -> Relation:
    """Two or three inputs; the same one twice now and then."""
    rng = growth.rng
    first = growth.relation(depth)
    types = [c.type for c in first.columns]
    many = [first]
    for _ in range(rng.randint(1, 2)):
        again = rng.random() < 0.15
        many.append(first if again else _shaped(growth, types, rng.randint(0, depth)))
    return Union(tuple(many), _combined(many))


def set_operation(growth: Growth, depth: int) -> Relation:
    """INTERSECT or EXCEPT, by set or by multiplicity."""
    rng = growth.rng
    left = growth.comparable(growth.relation(depth))
    if rng.random() < 0.7:
        left = keep(left, rng.sample(left.columns, 1))
    right = _like(growth, left, depth)
    kind = rng.choice(tuple(SetKind))
    columns = left.columns if kind is SetKind.EXCEPT else _combined((left, right))
    return SetOperation(kind, rng.random() < 0.5, left, right, columns)


def _like(growth: Growth, left: Relation, depth: int) -> Relation:
    """Something that has rows in common with a relation, but not as often."""
    dice = growth.rng.random()
    if dice < 0.2:
        return Distinct(growth.copy(left))
    if dice < 0.4:
        copied = growth.copy(left)
        return Filter(copied, growth.scalars(copied).condition(1))
    return _shaped(growth, [c.type for c in left.columns], growth.rng.randint(0, depth))


def single_row(growth: Growth, depth: int) -> Relation:
    """A scalar subquery, beside the rows of another relation or in a filter of them."""
    rng = growth.rng
    below = growth.relation(min(depth, 2))
    call = Calls(rng, below.columns, growth.exact(below)).aggregate()
    named = NamedAggregate(growth.fresh("a"), call)
    growth.follow(named.name, call)
    one: Relation = Aggregate(below, (), (named,))
    if rng.random() < 0.3:
        one = Filter(one, growth.scalars(one).condition(0))
    if rng.random() < 0.3:  # a row that no aggregate keeps
        one = Join(JoinKind.SEMI, one, growth.relation(0))
    scalar = one if isinstance(one, Aggregate) and rng.random() < 0.3 else _as_scalar(growth, one)
    if rng.random() < 0.15:
        return scalar
    return _beside(growth, growth.relation(depth), scalar)


def not_in(growth: Growth, depth: int) -> Relation:
    """NOT IN of one column, as it is where NULLs are possible."""
    rng = growth.rng
    left, right = growth.relation(depth), growth.relation(min(depth, 1))
    pairs = [
        (one, two)
        for one in growth.exact(left)
        for two in growth.exact(right)
        if one.type == two.type
    ]
    if not pairs:
        return left
    if rng.random() < 0.5:
        right = Filter(right, growth.scalars(right).condition(1))
    found = equal(*(ref(column) for column in rng.choice(pairs)))
    unknown = Call("IsNull", ("(", " IS NULL)"), (found,), "BOOLEAN", False)
    return Join(JoinKind.ANTI, left, right, operator("Or", "OR", found, unknown, "BOOLEAN"))


def exists(growth: Growth, depth: int) -> Relation:
    """The rows of a relation if another one has any: EXISTS that is not correlated."""
    rng = growth.rng
    asked = growth.relation(min(depth, 2))
    if rng.random() < 0.7:
        asked = Filter(asked, growth.scalars(asked).condition(1))
    found = Project(asked, (Named(growth.fresh("one"), literal(1, "INT")),))
    scalar = SingleRow(TopK(found, (), literal(1, "INT"), None), growth.fresh("s"))
    rows = growth.relation(depth)
    known = Call("IsNotNull", ("(", " IS NOT NULL)"), (ref(scalar.columns[0]),), "BOOLEAN", False)
    return keep(Filter(Join(JoinKind.CROSS, rows, scalar), known), rows.columns)


def _as_scalar(growth: Growth, one: Relation) -> SingleRow:
    scalar = SingleRow(one, growth.fresh("s"))
    growth.follow(scalar.name, ref(one.columns[0]))
    return scalar


def _beside(growth: Growth, rows: Relation, scalar: Relation) -> Relation:
    joined = Join(JoinKind.CROSS, rows, scalar)
    exact = growth.exact(scalar)
    column = Column(scalar.columns[0].name, scalar.columns[0].type, True)
    numbers = [c for c in growth.exact(rows) if c.type in ("INT", "BIGINT")]
    if not exact or column.type != "BIGINT" or not numbers:
        return joined
    value = cast(ref(growth.rng.choice(numbers)), "BIGINT")
    less = Call("LessThan", ("(", " < ", ")"), (value, ref(column)), "BOOLEAN")
    kept = Filter(joined, less)
    return kept if growth.rng.random() < 0.5 else keep(kept, rows.columns)


def _combined(many: Sequence[Relation]) -> Schema:
    """The names of the first input; NULL where any input may be."""
    rows = zip(*(one.columns for one in many), strict=True)
    return tuple(Column(row[0].name, row[0].type, any(c.nullable for c in row)) for row in rows)
