"""Random operators over one input."""

from __future__ import annotations

from rollview.algebra.expressions import Call, Expression, SortKey
from rollview.algebra.relations import (
    Aggregate,
    Distinct,
    Expand,
    Filter,
    Generate,
    Named,
    NamedAggregate,
    NamedWindow,
    Project,
    Relation,
    Sort,
    TopK,
    Window,
)
from rollview.algebra.schema import Column
from rollview.algebra.traverse import column_names
from tests.properties.aggregates import Calls
from tests.properties.growth import Growth
from tests.properties.scalars import array, both, literal, operator, pair, ref
from tests.properties.values import ARRAY, TYPES


def project(growth: Growth, depth: int) -> Relation:
    """Columns kept, renamed, left out, and computed."""
    rng = growth.rng
    child = growth.relation(depth)
    items = []
    for column in child.columns:
        dice = rng.random()
        if dice < 0.65:
            items.append(Named(column.name, ref(column)))
        elif dice < 0.8:
            items.append(Named(growth.fresh(), ref(column)))
    scalars = growth.scalars(child)
    for _ in range(rng.randint(0 if items else 1, 2)):
        value = scalars.of(rng.choice(TYPES))
        if rng.random() < 0.05:
            value = array([value, scalars.of(value.type)])
        elif rng.random() < 0.05:
            value = pair(value, scalars.of("STRING"))
        items.append(Named(growth.fresh("e"), value))
    for item in items:
        growth.follow(item.name, item.expression)
    rng.shuffle(items)
    return Project(child, tuple(items))


def filter(growth: Growth, depth: int) -> Relation:
    """The rows for which a condition is true."""
    child = growth.relation(depth)
    return Filter(child, growth.scalars(child).condition())


def sort(growth: Growth, depth: int) -> Relation:
    """An order that means nothing."""
    child = growth.relation(depth)
    return Sort(child, growth.order(growth.exact(child)) or (SortKey(literal(1, "INT")),))


def distinct(growth: Growth, depth: int) -> Relation:
    """Each different row once."""
    return Distinct(growth.comparable(growth.relation(depth)))


def aggregate(growth: Growth, depth: int) -> Relation:
    """Groups by none to three columns; the same call twice now and then."""
    rng = growth.rng
    child = growth.relation(depth)
    exact = growth.exact(child)
    count = rng.choice((0, 1, 1, 1, 2, 2, 3))
    groups = tuple(ref(c) for c in rng.sample(exact, min(count, len(exact))))
    calls = Calls(rng, child.columns, exact)
    made = [
        NamedAggregate(growth.fresh("a"), calls.aggregate())
        for _ in range(rng.randint(0 if groups else 1, 3))
    ]
    if made and rng.random() < 0.05:
        made.append(NamedAggregate(growth.fresh("a"), made[0].call))
    for one in made:
        growth.follow(one.name, one.call)
    if not groups and not any(column_names(one.call) for one in made) and rng.random() < 0.5:
        child = Project(child, ())
    return Aggregate(child, groups, tuple(made))


def window(growth: Growth, depth: int) -> Relation:
    """Numbers, neighbours and frames over partitions, or over all rows."""
    rng = growth.rng
    child = growth.comparable(growth.relation(depth))
    columns = list(child.columns)
    some = rng.sample(columns, min(len(columns), rng.choice((0, 1, 1, 1, 2))))
    partition: list[Expression] = [ref(c) for c in some]
    if partition and rng.random() < 0.15:
        partition[0] = growth.scalars(child).of(some[0].type, 1)
    calls = Calls(rng, columns, columns)
    made = tuple(NamedWindow(growth.fresh("w"), calls.window()) for _ in range(rng.randint(1, 2)))
    return Window(child, tuple(partition), growth.order(columns), made)


def tops(growth: Growth, depth: int) -> Relation:
    """The first rows of every partition, or of all, by a rank; now and then only some of them."""
    rng = growth.rng
    child = growth.comparable(growth.relation(depth))
    columns = list(child.columns)
    if not columns:
        return child
    width = min(len(columns), rng.choice((0, 1, 1, 2)))
    partition = tuple(ref(c) for c in rng.sample(columns, width))
    calls = Calls(rng, columns, columns)
    made = tuple(NamedWindow(growth.fresh("w"), calls.rank()) for _ in range(rng.choice((1, 1, 2))))
    numbered = Window(child, partition, growth.order(columns), made)
    rank, limit = ref(made[0].column), literal(rng.randint(0, 3), "INT")
    kind, sign = rng.choice(
        (("LessThanOrEqual", "<="), ("LessThanOrEqual", "<="), ("LessThan", "<"), ("EqualTo", "="))
    )
    bound = operator(kind, sign, rank, limit, "BOOLEAN")
    if rng.random() < 0.2:
        bound = operator("GreaterThanOrEqual", ">=", limit, rank, "BOOLEAN")
    if rng.random() < 0.3:
        bound = both(growth.scalars(numbered).condition(1), bound)
    return Filter(numbered, bound)


def top_k(growth: Growth, depth: int) -> Relation:
    """Some first rows, or all but some."""
    rng = growth.rng
    child = growth.comparable(growth.relation(depth))
    limit = literal(rng.randint(0, 4), "INT") if rng.random() < 0.95 else None
    skips = limit is None or rng.random() < 0.25
    offset = literal(rng.randint(0, 2), "INT") if skips else None
    return TopK(child, growth.order(child.columns), limit, offset)


def expand(growth: Growth, depth: int) -> Relation:
    """Grouping sets: some columns made NULL in each copy, then grouped by all of them."""
    rng = growth.rng
    child = growth.relation(depth)
    keys = growth.exact(child)[:2]
    if not keys:
        return child
    copies = []
    for number in range(2 ** len(keys)):
        if number and rng.random() < 0.3:
            continue
        cells = [
            ref(c) if number & (1 << i) == 0 else literal(None, c.type) for i, c in enumerate(keys)
        ]
        copies.append((*(ref(c) for c in child.columns), *cells, literal(number, "INT")))
    grouped = [Column(growth.fresh("g"), c.type, True) for c in keys]
    grouped.append(Column(growth.fresh("gid"), "INT", False))
    made = Expand(child, tuple(copies), (*child.columns, *grouped))
    if rng.random() < 0.3:
        return made
    call = NamedAggregate(growth.fresh("a"), Calls(rng, keys, keys).aggregate())
    growth.follow(call.name, call.call)
    return Aggregate(made, tuple(ref(c) for c in grouped), (call,))


def generate(growth: Growth, depth: int) -> Relation:
    """The items of an array of columns, with or without their positions."""
    rng = growth.rng
    child = growth.relation(depth)
    scalars = growth.scalars(child)
    type = rng.choice(("INT", "STRING"))
    items: Expression = array([scalars.of(type, 1) for _ in range(rng.randint(1, 3))])
    arrays = [c for c in child.columns if c.type == ARRAY]
    if arrays:
        type, items = "INT", ref(rng.choice(arrays))
    if rng.random() < 0.5:
        parts = ("CASE WHEN ", " THEN ", " END")
        items = Call("CaseWhen", parts, (scalars.condition(1), items), items.type)
    item = Column(growth.fresh("x"), type, True)
    if rng.random() < 0.3:
        produced = (Column(growth.fresh("pos"), "INT", False), item)
        return Generate(
            child, Call("PosExplode", ("posexplode(", ")"), (items,), ""), False, produced
        )
    generator = Call("Explode", ("explode(", ")"), (items,), "")
    return Generate(child, generator, rng.random() < 0.5, (item,))
