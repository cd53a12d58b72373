"""Random views: algebra over every operator, as Spark's frontend would make it.

Names are unique, orders are total, every expression has the type that Spark gives it. Columns
whose values may differ in their last digits (sums of doubles, averages) are only carried along
and aggregated further: nothing is compared, grouped or ordered by them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from rollview.algebra.expressions import Call, Expression, SortKey
from rollview.algebra.relations import (
    Aggregate,
    Distinct,
    Expand,
    Filter,
    Generate,
    Join,
    JoinKind,
    Named,
    NamedAggregate,
    NamedWindow,
    Project,
    Relation,
    Scan,
    SetKind,
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
from rollview.algebra.traverse import column_names
from rollview.analysis.order import canonical
from tests.properties import joins
from tests.properties.aggregates import Calls
from tests.properties.scalars import Scalars, cast, literal, ref
from tests.properties.values import TYPES, VALUES

MOST_COLUMNS = 7
_WEIGHTS = {
    "project": 4,
    "filter": 4,
    "join": 8,
    "aggregate": 8,
    "distinct": 2,
    "union": 3,
    "set_operation": 3,
    "window": 3,
    "expand": 1,
    "generate": 1,
    "sort": 1,
    "top_k": 2,
    "single_row": 2,
}


def random_view(rng: Random, tables: Mapping[str, Schema], depth: int) -> Relation:
    """A view over some of the tables."""
    return canonical(Trees(rng, tables).relation(depth))


class Trees:
    """One tree in the making: the names it has used, the columns that are not exact."""

    def __init__(self, rng: Random, tables: Mapping[str, Schema]) -> None:
        self._rng = rng
        self._tables = tables
        self._number = 0
        self._loose: set[str] = set()

    def relation(self, depth: int) -> Relation:
        """A relation of some depth at most."""
        if depth <= 0 or self._rng.random() < 0.08:
            return self._leaf()
        kind = self._rng.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]
        make: Callable[[int], Relation] = getattr(self, f"_{kind}")
        return self._narrowed(make(depth - 1))

    def fresh(self, label: str = "c") -> str:
        """A name that nothing else in the tree has."""
        self._number += 1
        return f"{label}_{self._number}"

    def exact(self, relation: Relation) -> list[Column]:
        """The columns that can be compared."""
        return [c for c in relation.columns if c.name not in self._loose]

    def _compared(self, relation: Relation) -> Relation:
        """The relation without columns that cannot be compared."""
        columns = self.exact(relation)
        if len(columns) == len(relation.columns) and columns:
            return relation
        items = [Named(c.name, ref(c)) for c in columns]
        if not items:
            items = [Named(self.fresh(), literal(1, "INT"))]
        return Project(relation, tuple(items))

    def _narrowed(self, relation: Relation) -> Relation:
        if len(relation.columns) <= MOST_COLUMNS:
            return relation
        some = sorted(self._rng.sample(range(len(relation.columns)), MOST_COLUMNS - 2))
        return Project(
            relation, tuple(Named(relation.columns[i].name, ref(relation.columns[i])) for i in some)
        )

    def _mark(self, name: str, expression: Expression) -> None:
        if column_names(expression) & self._loose:
            self._loose.add(name)

    # --- leaves -----------------------------------------------------------------------------

    def _leaf(self) -> Relation:
        dice = self._rng.random()
        if dice < 0.03:
            return TableFunction("range(3)", ("id",), (Column(self.fresh(), "BIGINT", False),))
        if dice < 0.06:
            return self._values()
        table = self._rng.choice(list(self._tables))
        columns = self._tables[table]
        some = sorted(self._rng.sample(range(len(columns)), self._rng.randint(1, len(columns))))
        fields = tuple(columns[i].name for i in some)
        named = (
            Column(self.fresh(columns[i].name), columns[i].type, columns[i].nullable) for i in some
        )
        return Scan(table, fields, tuple(named))

    def _values(self) -> Values:
        types = self._rng.choices(TYPES, k=2)
        columns = tuple(Column(self.fresh("v"), type) for type in types)
        rows = range(self._rng.randint(0, 3))
        return Values(
            columns,
            tuple(tuple(literal(self._rng.choice(VALUES[t]), t) for t in types) for _ in rows),
        )

    # --- one input --------------------------------------------------------------------------

    def _project(self, depth: int) -> Relation:
        child = self.relation(depth)
        items = []
        for column in child.columns:
            dice = self._rng.random()
            if dice < 0.65:
                items.append(Named(column.name, ref(column)))
            elif dice < 0.8:
                items.append(Named(self.fresh(), ref(column)))
        scalars = Scalars(self._rng, self.exact(child))
        for _ in range(self._rng.randint(0 if items else 1, 2)):
            items.append(Named(self.fresh("e"), scalars.of(self._rng.choice(TYPES))))
        for item in items:
            self._mark(item.name, item.expression)
        self._rng.shuffle(items)
        return Project(child, tuple(items))

    def _filter(self, depth: int) -> Relation:
        child = self.relation(depth)
        return Filter(child, Scalars(self._rng, self.exact(child)).condition())

    def _sort(self, depth: int) -> Relation:
        child = self.relation(depth)
        return Sort(child, self._order(self.exact(child)) or (SortKey(literal(1, "INT")),))

    def _order(self, columns: Sequence[Column]) -> tuple[SortKey, ...]:
        some = self._rng.sample(list(columns), min(len(columns), self._rng.randint(1, 2)))
        flip = self._rng.choice
        return tuple(SortKey(ref(c), flip((True, False)), flip((True, False))) for c in some)

    def _distinct(self, depth: int) -> Relation:
        return Distinct(self._compared(self.relation(depth)))

    def _aggregate(self, depth: int) -> Relation:
        child = self.relation(depth)
        exact = self.exact(child)
        count = self._rng.choice((0, 1, 1, 1, 2, 2, 3))
        groups = tuple(ref(c) for c in self._rng.sample(exact, min(count, len(exact))))
        calls = Calls(self._rng, child.columns, exact)
        made = [
            NamedAggregate(self.fresh("a"), calls.aggregate())
            for _ in range(self._rng.randint(0 if groups else 1, 3))
        ]
        for one in made:
            loose = column_names(one.call) & self._loose and one.call.kind != "Count"
            if loose or (one.call.type == "DOUBLE" and one.call.kind not in ("Min", "Max")):
                self._loose.add(one.name)
        if not groups and all(not column_names(one.call) for one in made):
            child = self._rng.choice((child, Project(child, ())))
        return Aggregate(child, groups, tuple(made))

    def _window(self, depth: int) -> Relation:
        child = self._compared(self.relation(depth))
        columns = list(child.columns)
        some = self._rng.sample(columns, min(len(columns), self._rng.choice((0, 1, 1, 1, 2))))
        partition: list[Expression] = [ref(c) for c in some]
        if partition and self._rng.random() < 0.15:
            partition[0] = Scalars(self._rng, columns).of(some[0].type, 1)
        calls = Calls(self._rng, columns, columns)
        made = tuple(
            NamedWindow(self.fresh("w"), calls.window()) for _ in range(self._rng.randint(1, 2))
        )
        return Window(child, tuple(partition), self._order(columns), made)

    def _top_k(self, depth: int) -> Relation:
        child = self._compared(self.relation(depth))
        limit = literal(self._rng.randint(0, 4), "INT")
        offset = literal(self._rng.randint(0, 2), "INT") if self._rng.random() < 0.25 else None
        return TopK(child, self._order(child.columns), limit, offset)

    def _expand(self, depth: int) -> Relation:
        """Grouping sets: some columns made NULL in each copy, then grouped by all of them."""
        child = self.relation(depth)
        keys = self.exact(child)[:2]
        if not keys:
            return child
        copies = []
        for number in range(2 ** len(keys)):
            if number and self._rng.random() < 0.3:
                continue
            cells = [
                ref(c) if number & (1 << i) == 0 else literal(None, c.type)
                for i, c in enumerate(keys)
            ]
            rest = (ref(c) for c in child.columns)
            copies.append((*rest, *cells, literal(number, "INT")))
        grouped = [Column(self.fresh("g"), c.type, True) for c in keys]
        grouped.append(Column(self.fresh("gid"), "INT", False))
        expand = Expand(child, tuple(copies), (*child.columns, *grouped))
        if self._rng.random() < 0.3:
            return expand
        call = NamedAggregate(self.fresh("a"), Calls(self._rng, keys, keys).aggregate())
        if call.call.type == "DOUBLE":
            self._loose.add(call.name)
        return Aggregate(expand, tuple(ref(c) for c in grouped), (call,))

    def _generate(self, depth: int) -> Relation:
        child = self.relation(depth)
        scalars = Scalars(self._rng, self.exact(child))
        type = self._rng.choice(("INT", "STRING"))
        count = self._rng.randint(1, 3)
        cells: tuple[Expression, ...] = tuple(scalars.of(type, 1) for _ in range(count))
        array: Expression = Call(
            "CreateArray", ("array(", *[", "] * (count - 1), ")"), cells, f"ARRAY<{type}>", False
        )
        if self._rng.random() < 0.5:
            parts = ("CASE WHEN ", " THEN ", " END")
            array = Call("CaseWhen", parts, (scalars.condition(1), array), array.type)
        positions = self._rng.random() < 0.3
        name = "posexplode" if positions else "explode"
        produced = [Column(self.fresh("x"), type, True)]
        outer = not positions and self._rng.random() < 0.5
        if positions:
            produced.insert(0, Column(self.fresh("pos"), "INT", False))
        kind = "PosExplode" if positions else "Explode"
        generator = Call(kind, (f"{name}(", ")"), (array,), "")
        return Generate(child, generator, outer, tuple(produced))

    # --- more inputs ------------------------------------------------------------------------

    def _join(self, depth: int) -> Relation:
        left = self.relation(depth)
        kind = self._rng.choice((*JoinKind, JoinKind.INNER, JoinKind.INNER, JoinKind.LEFT))
        if kind is JoinKind.SINGLE:
            return self._single(left, depth)
        right = self.relation(self._rng.randint(0, depth))
        condition = joins.condition(self._rng, kind, self.exact(left), self.exact(right))
        if condition is None and kind is JoinKind.INNER:
            kind = JoinKind.CROSS
        flag = self.fresh("flag") if kind is JoinKind.EXISTENCE else None
        return Join(kind, left, right, condition, flag)

    def _single(self, left: Relation, depth: int) -> Relation:
        """At most one match: the right is grouped by what it is joined on."""
        right = self.relation(min(depth, 1))
        pairs = joins.pairs(self._rng, self.exact(left), self.exact(right))
        groups = tuple(two for _, two in pairs)
        call = Calls(self._rng, right.columns, self.exact(right)).aggregate()
        name = self.fresh("a")
        if call.type == "DOUBLE" or column_names(call) & self._loose:
            self._loose.add(name)
        grouped = Aggregate(right, groups, (NamedAggregate(name, call),))
        return Join(JoinKind.SINGLE, left, grouped, joins.equated(self._rng, pairs))

    def _shaped(self, types: Sequence[str], depth: int) -> Relation:
        """A relation with columns of these types."""
        child = self.relation(depth)
        columns = self.exact(child)
        items = []
        for type in types:
            own = [c for c in columns if c.type == type]
            expression: Expression = literal(None, type)
            if own:
                expression = ref(self._rng.choice(own))
            elif type in VALUES:
                expression = Scalars(self._rng, columns).of(type)
            items.append(Named(self.fresh("u"), expression))
        return Project(child, tuple(items))

    def _union(self, depth: int) -> Relation:
        first = self.relation(depth)
        others = []
        for _ in range(self._rng.randint(1, 2)):
            again = self._rng.random() < 0.15
            types = [c.type for c in first.columns]
            others.append(first if again else self._shaped(types, self._rng.randint(0, depth)))
        many = (first, *others)
        return Union(many, _combined(many))

    def _set_operation(self, depth: int) -> Relation:
        left = self._compared(self.relation(depth))
        right = self._shaped([c.type for c in left.columns], self._rng.randint(0, depth))
        kind = self._rng.choice(tuple(SetKind))
        every = self._rng.random() < 0.5
        columns = left.columns if kind is SetKind.EXCEPT else _combined((left, right))
        return SetOperation(kind, every, left, right, columns)

    def _single_row(self, depth: int) -> Relation:
        """A scalar subquery, beside the rows of another relation or in a filter of them."""
        below = self.relation(min(depth, 2))
        call = Calls(self._rng, below.columns, self.exact(below)).aggregate()
        name = self.fresh("a")
        one: Relation = Aggregate(below, (), (NamedAggregate(name, call),))
        if self._rng.random() < 0.3:
            one = Filter(one, Scalars(self._rng, one.columns).condition(0))
        scalar = SingleRow(one, self.fresh("s"))
        column = scalar.columns[0]
        if call.type == "DOUBLE" or column_names(call) & self._loose:
            self._loose |= {name, column.name}
        if self._rng.random() < 0.15:
            return scalar
        beside = self.relation(depth)
        joined = Join(JoinKind.CROSS, beside, scalar)
        numbers = [c for c in self.exact(beside) if c.type in ("INT", "BIGINT")]
        if column.type != "BIGINT" or not numbers or column.name in self._loose:
            return joined
        value = cast(ref(self._rng.choice(numbers)), "BIGINT")
        parts = ("(", " < ", ")")
        condition = Call("LessThan", parts, (value, ref(column)), "BOOLEAN")
        kept = Filter(joined, condition)
        if self._rng.random() < 0.5:
            return kept
        return Project(kept, tuple(Named(c.name, ref(c)) for c in beside.columns))


def _combined(many: Sequence[Relation]) -> Schema:
    """The names of the first input; NULL where any input may be."""
    rows = zip(*(one.columns for one in many), strict=True)
    return tuple(
        Column(first[0].name, first[0].type, any(c.nullable for c in first)) for first in rows
    )
