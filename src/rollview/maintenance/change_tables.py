"""What the change table of a relation is made of, on its way up to the view.

Barbier (2007), definition 5.3: a change table has rows, group-by attributes and update functions.
Here its rows are those of one or several operands, joined: extents, whose totals are combined
(`extents`), and plain rows, which are maintained by deltas. What the view shows of them is
carried along as expressions, so that projections and renamings cost nothing on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rollview.algebra.definition import Reason
from rollview.algebra.expressions import Expression, conjunction, conjuncts
from rollview.algebra.relations import (
    Aggregate,
    Filter,
    Join,
    JoinKind,
    Named,
    Project,
    Relation,
)
from rollview.algebra.schema import Schema
from rollview.algebra.traverse import column_names, substitute
from rollview.analysis.order import is_unorderable
from rollview.errors import InternalError
from rollview.maintenance.extents import Total
from rollview.maintenance.keys import names_of
from rollview.maintenance.signed import named, references

_LOOSE = ("FLOAT", "DOUBLE", "COLLATE")  # 0.0 is equal to -0.0


@dataclass(frozen=True, slots=True)
class Factor:
    """One operand of a product: an extent, or plain rows, which are maintained by deltas.

    ``additive`` are the values that it shows which are totals of the extent. ``unmatched`` is the
    count of matches in the extent of an outer join: its rows are shown if that is zero, and then as
    often as they have causes.
    """

    relation: Relation
    additive: tuple[tuple[Expression, Total], ...] = ()
    unmatched: str | None = None
    is_plain: bool = False

    @property
    def keys(self) -> frozenset[str]:
        """The group-by attributes; all columns of plain rows."""
        extent = self.extent
        if extent is None:
            return names_of(self.relation)
        return frozenset(group.name for group in extent.groups)

    @property
    def extent(self) -> Aggregate | None:
        """The extent; None if these are plain rows."""
        return None if self.is_plain or not isinstance(self.relation, Aggregate) else self.relation


@dataclass(frozen=True, slots=True)
class Table:
    """What the change table of a relation is made of: operands, conditions, and what is shown.

    Conditions and items are over the columns of the operands; the conditions over keys alone.
    """

    factors: tuple[Factor, ...]
    items: tuple[Named, ...]
    conditions: tuple[Expression, ...] = ()

    @property
    def keys(self) -> frozenset[str]:
        """The group-by attributes of the change table."""
        return frozenset().union(*(factor.keys for factor in self.factors))

    def value(self, expression: Expression) -> Expression:
        """An expression over what is shown, said in the columns of the operands."""
        return substitute(expression, {item.name: item.expression for item in self.items})

    def strangers(self, expression: Expression) -> tuple[str, ...]:
        """The columns shown on which an expression depends by more than group-by attributes."""
        used = column_names(expression)
        return tuple(
            item.name
            for item in self.items
            if item.name in used and not column_names(item.expression) <= self.keys
        )


Convert = Callable[..., Table | Reason]
"""Of an operator, its inputs in maintained form and names: its change table, or what forbids it."""
Through = Callable[..., Table | Reason]
"""Of an operator, the change tables of its inputs and names: its own, or the condition violated."""


def plain(relation: Relation) -> Table:
    """Rows that are maintained by deltas, as an operand."""
    return Table((Factor(relation, is_plain=True),), named(references(relation.columns)))


@dataclass(frozen=True, slots=True)
class Naming:
    """Names for new columns."""

    names: Iterator[str]

    def fresh(self) -> str:
        """A name that no other column has."""
        return next(self.names)


def not_identified(columns: Schema) -> tuple[str, ...]:
    """The columns whose values equality does not tell apart: floats, collated strings, maps."""
    return tuple(
        f"{column.name} {column.type}"
        for column in columns
        if is_unorderable(column.type) or any(word in column.type for word in _LOOSE)
    )


def joined(relations: tuple[Relation, ...], conditions: tuple[Expression, ...]) -> Relation:
    """The product of relations under conditions, each where its columns come together first."""
    waiting = list(conditions)
    whole: Relation | None = None
    for relation in relations:
        if whole is None:
            whole = relation
            own = conjunction(_taken(waiting, names_of(whole)))
            whole = whole if own is None else Filter(whole, own)
            continue
        own = conjunction(_taken(waiting, names_of(whole) | names_of(relation)))
        kind = JoinKind.CROSS if own is None else JoinKind.INNER
        whole = Join(kind, whole, relation, own)
    if whole is None:
        raise InternalError("a product of nothing")
    return whole


def _taken(waiting: list[Expression], names: frozenset[str]) -> list[Expression]:
    own = [condition for condition in waiting if column_names(condition) <= names]
    waiting[:] = [condition for condition in waiting if condition not in own]
    return own


def operands(extent: Relation) -> tuple[tuple[Aggregate, ...], tuple[Expression, ...]]:
    """The extents that a kept extent is the product of, and the conditions on their keys."""
    match extent:
        case Aggregate():
            return (extent,), ()
        case Project(child=child):
            return operands(child)
        case Filter(child=child, condition=condition):
            found, conditions = operands(child)
            return found, (*conditions, *conjuncts(condition))
        case Join(left=left, right=right, condition=maybe):
            one, two = operands(left), operands(right)
            return one[0] + two[0], (*one[1], *two[1], *conjuncts(maybe))
        case _:
            raise InternalError(f"{type(extent).__name__} is no part of an extent")
