"""Joins along a foreign key: which changes of the parent can concern rows of the child at all.

By the foreign key, the child has no rows for parents that were not there before, and none now for
parents that are gone. So, key by key, a join of child C and parent P goes from before to after by

``d(C x P) = d(C) x P(after)``   for keys that are new: C(before) has none of them,
``d(C x P) = d(C) x P(before)``  for keys that are gone: C(after) has none of them,

and by the usual two terms for all others. With the gone rows beside P(after), the term of the
parent is left with the keys that stayed: for the inserts and deletes of parents, which are most of
their changes, the child is not read. Every key may have an order of terms of its own, since a row
of the join belongs to one key alone; gone parents come first, those of parents before those of
their children, then all others with children before parents. (Quass 1996 and Barbier 2007 have no
keys; the claim is tested against recomputation in tests/properties.)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rollview.algebra.expressions import (
    AggregateCall,
    ColumnRef,
    Expression,
    Literal,
    binary,
    conjunction,
)
from rollview.algebra.relations import (
    Aggregate,
    Changes,
    Filter,
    Join,
    JoinKind,
    NamedAggregate,
    Project,
    Relation,
    Union,
)
from rollview.algebra.schema import Column
from rollview.algebra.traverse import column_names
from rollview.analysis.constraints import ForeignKey
from rollview.analysis.lineage import Origin, origin_of
from rollview.maintenance.flow import Flow
from rollview.maintenance.kept_rows import can_be_counted
from rollview.maintenance.keys import Keys, Pair, equalities, names_of, restrict, without
from rollview.maintenance.outward import Joined, is_plain
from rollview.maintenance.signed import (
    REMOVED,
    WEIGHT,
    WEIGHT_COLUMN,
    WEIGHT_REF,
    keep,
    net,
    unsigned,
)

_ZERO = Literal("0L", "BIGINT")


@dataclass(frozen=True, slots=True)
class Reference:
    """A join along a foreign key: the parent's key columns as its relation calls them."""

    foreign_key: ForeignKey
    on: tuple[ColumnRef, ...]


def reference(
    flow: Flow, child: Relation, parent: Relation, pairs: Iterable[Pair]
) -> Reference | None:
    """The foreign key that a join of child and parent by these equalities follows, if any.

    The parent is a table, filtered and projected at most; the child has rows of its table, in
    whatever form.
    """
    if not _is_table(parent):
        return None
    ways = [way for way in (_way(child, parent, pair) for pair in pairs) if way is not None]
    for found in dict.fromkeys((one.table, two.table) for one, two, _ in ways):
        for key in flow.constraints.references(*found):
            if not flow.source_changed(key.parent):
                continue
            columns = dict(zip(key.columns, key.parent_columns, strict=True))
            on = {
                one.field: ref
                for one, two, ref in ways
                if (one.table, two.table) == found and columns.get(one.field) == two.field
            }
            if on.keys() == columns.keys():
                return Reference(key, tuple(on[field] for field in key.columns))
    return None


def _is_table(relation: Relation) -> bool:
    """Whether the rows are some of a table's, each as often as there."""
    match relation:
        case Join(kind=JoinKind.SEMI, left=left):
            return _is_table(left)
        case Project(child=child) | Filter(child=child):
            return _is_table(child)
        case _:
            return is_plain(relation)


def _way(child: Relation, parent: Relation, pair: Pair) -> tuple[Origin, Origin, ColumnRef] | None:
    """The fields that a plain equality compares; NULL, which it never finds, has no parent."""
    if pair.null_safe:
        return None
    if not (isinstance(pair.left, ColumnRef) and isinstance(pair.right, ColumnRef)):
        return None
    one, two = origin_of(child, pair.left.name), origin_of(parent, pair.right.name)
    return None if one is None or two is None else (one, two, pair.right)


@dataclass(frozen=True, slots=True)
class Order:
    """In which order the inputs of a join have their terms; references by the parent's place."""

    places: tuple[int, ...]
    references: dict[int, Reference]

    def is_before(self, index: int, other: int) -> bool:
        return self.places.index(index) < self.places.index(other)


def as_they_stand(joined: Joined) -> Order:
    """No order but that of the inputs, and no references."""
    return Order(tuple(range(len(joined.inputs))), {})


def order(flow: Flow, joined: Joined) -> Order:
    """Children before their parents, as far as foreign keys say who that is."""
    many = joined.inputs
    condition = conjunction(joined.conditions)
    references: dict[int, Reference] = {}
    children: dict[int, int] = {}
    for parent, relation in enumerate(many):
        if not flow.constraints or not flow.has_changed(relation):
            continue
        for child, other in enumerate(many):
            if child == parent or _leads(children, child, parent):
                continue
            pairs = equalities(condition, names_of(other), names_of(relation))
            found = reference(flow, other, relation, pairs)
            if found is not None:
                references[parent], children[parent] = found, child
                break
    return Order(_sorted(len(many), children), references)


def _leads(children: dict[int, int], start: int, end: int) -> bool:
    """Whether the children of children, from one on, come to another."""
    place: int | None = start
    while place is not None:
        if place == end:
            return True
        place = children.get(place)
    return False


def _sorted(count: int, children: dict[int, int]) -> tuple[int, ...]:
    places: list[int] = []

    def put(index: int) -> None:
        if index in places:
            return
        if index in children:
            put(children[index])
        places.append(index)

    for index in range(count):
        put(index)
    return tuple(places)


def when(found: Reference) -> str:
    """In which refreshes the rows of a child are read for a change of its parent."""
    return f"where rows of {found.foreign_key.parent} change that stay"


def stayed(flow: Flow, found: Reference, change: Relation) -> Relation:
    """The change of a parent without the keys that are new or gone."""
    return flow.hold(without(change, _keys(flow, found, _ONE_SIDED)), "stayed")


def regained(
    flow: Flow, found: Reference, change: Relation, condition: Expression | None
) -> Relation:
    """The same where only matches count: net, in the columns that the condition is about."""
    names = {WEIGHT} if condition is None else {WEIGHT, *column_names(condition)}
    left = without(change, _keys(flow, found, _ONE_SIDED))
    left = keep(left, tuple(column for column in left.columns if column.name in names))
    counted = can_be_counted(unsigned(left).columns)
    return flow.hold(net(left) if counted else left, "regained")


def with_gone(
    flow: Flow, found: Reference, parent: Relation, after: Relation, change: Relation
) -> Relation:
    """The rows of a parent after the change, and those of its keys that are gone."""
    columns = after.columns
    some = restrict(change, _keys(flow, found, _GONE))
    if not is_plain(parent):  # whose rows may come and go in one change
        some = net(some)
    removed = Filter(some, REMOVED)
    gone = flow.hold(keep(unsigned(removed), columns), "gone")
    return Union((after, gone), columns)


_MOST, _LEAST = (ColumnRef(f"__{name}", "BIGINT") for name in ("most", "least"))
_GONE = binary("LessThan", "<", _MOST, _ZERO, "BOOLEAN")
_NEW = binary("GreaterThan", ">", _LEAST, _ZERO, "BOOLEAN")
_ONE_SIDED = binary("Or", "OR", _GONE, _NEW, "BOOLEAN")


def _keys(flow: Flow, found: Reference, condition: Expression) -> Keys:
    """The keys of the parent whose changes are all removals, or all removals or all additions.

    From the changes of the table itself: a row that only leaves a filter is not gone.
    """
    flow.rely_on(found.foreign_key)
    table, fields = found.foreign_key.parent, found.foreign_key.parent_columns
    columns = tuple(
        Column(f"__parent_{i}", ref.type, ref.nullable) for i, ref in enumerate(found.on)
    )
    changes = Changes(table, (*fields, WEIGHT), (*columns, WEIGHT_COLUMN))
    refs = tuple(ColumnRef(c.name, c.type, c.nullable) for c in columns)
    calls = (
        NamedAggregate(
            ref.name, AggregateCall(kind, (f"{kind.lower()}(", ")"), (WEIGHT_REF,), "BIGINT")
        )
        for kind, ref in (("Max", _MOST), ("Min", _LEAST))
    )
    signs = flow.hold(Aggregate(changes, refs, tuple(calls)), "signs")
    some = keep(Filter(signs, condition), columns)
    return Keys(some, tuple(zip(found.on, refs, strict=True)))
