"""Ranges: what the rows of a step say about the rows that can be joined to them.

Steps are run one after the other, so the least and the greatest value of a column of an earlier one
are known when a later one is planned. Where a join compares such a column by equality, only rows of
the other input within the range can match. Said as a filter, it reaches the scan of the table, and
files whose statistics lie outside are not read: a change of yesterday's orders reads yesterday's
items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from rollview.algebra.expressions import ColumnRef, Expression, binary, conjunction
from rollview.algebra.relations import (
    After,
    Before,
    Filter,
    Join,
    JoinKind,
    Project,
    Relation,
    State,
    Temporary,
)
from rollview.algebra.schema import Column
from rollview.algebra.traverse import transform_up, walk
from rollview.analysis.range import Range
from rollview.maintenance.keys import Pair, equalities, names_of

Ranges = Callable[[str, Column], Range | None]
"""The range of a column of a temporary, by name, if it is known."""

_LEFT_MUST_MATCH = (JoinKind.INNER, JoinKind.SEMI, JoinKind.RIGHT)
_RIGHT_MUST_MATCH = tuple(
    kind for kind in JoinKind if kind not in (JoinKind.CROSS, JoinKind.RIGHT, JoinKind.FULL)
)


def within_ranges(relation: Relation, ranges: Ranges) -> Relation:
    """The same rows; inputs of joins are cut down to what can match the rows of temporaries."""

    def change(node: Relation) -> Relation:
        return _cut_down(node, ranges) if isinstance(node, Join) else node

    return transform_up(relation, change)


def _cut_down(join: Join, ranges: Ranges) -> Join:
    pairs = equalities(join.condition, names_of(join.left), names_of(join.right))
    if not pairs:
        return join
    left, right = join.left, join.right
    if join.kind in _LEFT_MUST_MATCH:
        left = _within(left, ((p.left, _range(right, p.right, p, ranges)) for p in pairs))
    if join.kind in _RIGHT_MUST_MATCH:
        right = _within(right, ((p.right, _range(join.left, p.left, p, ranges)) for p in pairs))
    return replace(join, left=left, right=right)


def _within(relation: Relation, bounds: Iterable[tuple[Expression, Range | None]]) -> Relation:
    if not any(isinstance(node, After | Before | State) for node in walk(relation)):
        return relation
    condition = conjunction(
        binary(kind, sign, value, limit, "BOOLEAN")
        for value, range in bounds
        if range is not None
        for kind, sign, limit in (
            ("GreaterThanOrEqual", ">=", range.low),
            ("LessThanOrEqual", "<=", range.high),
        )
    )
    return relation if condition is None else Filter(relation, condition)


def _range(relation: Relation, value: Expression, pair: Pair, ranges: Ranges) -> Range | None:
    """The range of what the pair compares; none where a NULL may find another."""
    found = _of_column(relation, value, ranges) if isinstance(value, ColumnRef) else None
    return None if found is None or (found.nulls and pair.null_safe) else found


def _of_column(relation: Relation, value: ColumnRef, ranges: Ranges) -> Range | None:
    match relation:
        case Temporary(name=name):
            return ranges(name, Column(value.name, value.type, value.nullable))
        case Filter(child=child):
            return _of_column(child, value, ranges)
        case Project(child=child, items=items):
            below = next(item.expression for item in items if item.name == value.name)
            return _of_column(child, below, ranges) if isinstance(below, ColumnRef) else None
        case Join(kind=JoinKind.INNER | JoinKind.CROSS, left=left, right=right):
            side = left if value.name in names_of(left) else right
            return _of_column(side, value, ranges)
        case _:
            return None
