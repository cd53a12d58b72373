"""Inner joins of any number of relations, joined from one small relation outwards.

A tree of inner joins, with the projections and filters between them, is one condition over many
inputs. Evaluated from a change (or from keys) outwards, every join has a small left side: no base
table is shuffled, and inputs that are not plain scans are themselves evaluated under the keys that
have been reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rollview.algebra.expressions import ColumnRef, Expression, binary, conjunction, conjuncts
from rollview.algebra.relations import (
    Filter,
    Join,
    JoinKind,
    Named,
    Project,
    Relation,
    Scan,
    Side,
    TableFunction,
    Values,
)
from rollview.algebra.traverse import column_names, inputs, substitute
from rollview.maintenance.clock import reads_clock
from rollview.maintenance.flow import Flow
from rollview.maintenance.keys import Keys, Pair, equalities, names_of
from rollview.maintenance.program import Kept
from rollview.maintenance.signed import (
    WEIGHT,
    WEIGHT_REF,
    named,
    reference,
    references,
    signed,
)

KeptOf = Callable[[Relation], Kept | None]
"""The state that is kept of an operator, if any: `Flow.kept`."""
Image = Callable[[int, Keys | None, tuple[Expression, ...]], Relation]
Images = Callable[[int, Keys | None, tuple[Expression, ...]], tuple[Relation, ...]]


@dataclass(frozen=True, slots=True)
class Joined:
    """Inputs under one condition; ``items`` are the output columns, over the inputs' columns."""

    inputs: tuple[Relation, ...]
    conditions: tuple[Expression, ...]
    items: tuple[Named, ...]


def flatten(relation: Relation, kept: KeptOf) -> Joined:
    """The relation as one join of many inputs; of itself alone if it is no inner join.

    What is kept below it stays one input: its rows are at hand.
    """
    match relation:
        case Join(kind=JoinKind.INNER | JoinKind.CROSS, left=left, right=right, condition=maybe):
            one, two = (_input(side, kept) for side in (left, right))
            items = one.items + two.items
            own = _over(items, conjuncts(maybe))
            return Joined(one.inputs + two.inputs, one.conditions + two.conditions + own, items)
        case Project(child=child, items=outer) if _is_joined(child, kept):
            inner = flatten(child, kept)
            values = {item.name: item.expression for item in inner.items}
            items = tuple(Named(i.name, substitute(i.expression, values)) for i in outer)
            return Joined(inner.inputs, inner.conditions, items)
        case Filter(child=child, condition=condition) if _is_joined(relation, kept):
            inner = flatten(child, kept)
            own = _over(inner.items, conjuncts(condition))
            return Joined(inner.inputs, inner.conditions + own, inner.items)
        case _:
            return _alone(relation)


def _input(relation: Relation, kept: KeptOf) -> Joined:
    return flatten(relation, kept) if _is_joined(relation, kept) else _alone(relation)


def _alone(relation: Relation) -> Joined:
    items = tuple(Named(c.name, reference(c)) for c in relation.columns)
    return Joined((relation,), (), items)


def taken_apart(relation: Relation, kept: KeptOf) -> Iterator[Relation]:
    """The joins that `flatten` makes one of, and the projections and filters between them."""
    yield relation
    for child in inputs(relation):
        if _is_joined(child, kept):
            yield from taken_apart(child, kept)


def _is_joined(relation: Relation, kept: KeptOf) -> bool:
    if kept(relation) is not None:
        return False
    match relation:
        case Join(kind=JoinKind.INNER | JoinKind.CROSS):
            return True
        case Filter(condition=condition) if reads_clock(condition):
            return False  # it has a delta of its own
        case Project(child=child) | Filter(child=child):
            return _is_joined(child, kept)
        case _:
            return False


def _over(items: tuple[Named, ...], conditions: tuple[Expression, ...]) -> tuple[Expression, ...]:
    values = {item.name: item.expression for item in items}
    return tuple(substitute(condition, values) for condition in conditions)


def outwards(flow: Flow, joined: Joined, start: int, rows: Relation, image: Image) -> Relation:
    """All joined rows that begin with these rows of input ``start``, as the output columns.

    ``image`` gives another input, whole or under keys; it is told by which of its expressions an
    equality leads to it, if any. A weight in ``rows`` stays the last column.
    """

    def only(index: int, keys: Keys | None, by: tuple[Expression, ...]) -> tuple[Relation]:
        return (image(index, keys, by),)

    (found,) = branches(flow, joined, start, rows, only)
    return found


def branches(
    flow: Flow, joined: Joined, start: int, rows: Relation, images: Images
) -> list[Relation]:
    """The same, for every choice among several relations that stand for another input.

    What the choices have in common up to an input is joined once, and held where they part. The
    weights of rows that have one are multiplied.
    """
    waiting = list(joined.conditions)
    walk = _Walk(flow, joined, images, WEIGHT in names_of(rows))
    others = frozenset(range(len(joined.inputs))) - {start}
    return walk.on(_filtered(rows, waiting), others, waiting)


@dataclass(frozen=True, slots=True)
class _Walk:
    """One way outwards, which may branch."""

    flow: Flow
    joined: Joined
    images: Images
    weighted: bool

    def on(
        self, reached: Relation, left: frozenset[int], waiting: list[Expression]
    ) -> list[Relation]:
        """The rows of every branch, from what has been reached."""
        if not left:
            weight = (Named(WEIGHT, WEIGHT_REF),) if self.weighted else ()
            return [Project(reached, (*self.joined.items, *weight))]
        chosen, pairs = _next(self.joined, set(left), reached, waiting)
        keys = None
        if pairs and not is_plain(self.joined.inputs[chosen]):
            reached = self.flow.hold(reached, "reached")
            keys = self.flow.matching(reached, pairs, of_left=True)
        others = self.images(chosen, keys, tuple(pair.right for pair in pairs))
        if len(others) > 1:
            reached = self.flow.hold(reached, "reached")
        found = []
        for other in others:
            conditions = list(waiting)
            joined = _multiplied(reached, _filtered(other, conditions), conditions)
            found += self.on(joined, left - {chosen}, conditions)
        return found


def _multiplied(reached: Relation, other: Relation, waiting: list[Expression]) -> Relation:
    """The join of both; if both have weights, with their product."""
    if WEIGHT not in names_of(other):
        return _joined(reached, other, waiting)
    own = tuple(c for c in other.columns if c.name != WEIGHT)
    second = ColumnRef("__second_weight", "BIGINT", nullable=False)
    marked = Project(other, (*named(references(own)), Named(second.name, WEIGHT_REF)))
    joined = _joined(reached, marked, waiting)
    columns = tuple(c for c in reached.columns if c.name != WEIGHT)
    product = binary("Multiply", "*", WEIGHT_REF, second, "BIGINT")
    return signed(joined, (*columns, *own), product)


def _next(
    joined: Joined, left: set[int], reached: Relation, waiting: list[Expression]
) -> tuple[int, tuple[Pair, ...]]:
    """The next input: one that an equality leads to, else one a condition leads to, else any."""
    known = names_of(reached)
    for index in sorted(left):
        pairs = equalities(conjunction(waiting), known, names_of(joined.inputs[index]))
        if pairs:
            return index, pairs
    for index in sorted(left):
        names = names_of(joined.inputs[index])
        for condition in waiting:
            used = column_names(condition)
            if used <= known | names and used & known and used & names:
                return index, ()
    return min(left), ()


def _filtered(relation: Relation, waiting: list[Expression]) -> Relation:
    """The relation under those conditions that it can decide alone; they wait no longer."""
    names = names_of(relation)
    own = [c for c in waiting if column_names(c) <= names]
    waiting[:] = [c for c in waiting if c not in own]
    condition = conjunction(own)
    return relation if condition is None else Filter(relation, condition)


def _joined(reached: Relation, other: Relation, waiting: list[Expression]) -> Relation:
    names = names_of(reached) | names_of(other)
    own = [c for c in waiting if column_names(c) <= names]
    waiting[:] = [c for c in waiting if c not in own]
    condition = conjunction(own)
    kind = JoinKind.CROSS if condition is None else JoinKind.INNER
    return Join(kind, reached, other, condition, broadcast=Side.LEFT)


def is_plain(relation: Relation) -> bool:
    """Whether the relation is a table with at most filters and projections: keys gain nothing."""
    match relation:
        case Project(child=child) | Filter(child=child):
            return is_plain(child)
        case Scan() | Values() | TableFunction():
            return True
        case _:
            return False
