"""Selections as early as they can be decided: conditions go down to the tables they are about."""

from __future__ import annotations

from dataclasses import replace

from rollview.algebra.expressions import Call, Expression, conjunction, conjuncts
from rollview.algebra.relations import Filter, Join, JoinKind, Project, Recursion, Relation, Sort
from rollview.algebra.traverse import (
    column_names,
    inputs,
    substitute,
    walk_expression,
    with_inputs,
)

_CLOCK = ("CurrentDate", "CurrentTimestamp", "Now", "LocalTimestamp", "CurrentTime")
_INNER = (JoinKind.INNER, JoinKind.CROSS)
_ASKING = (JoinKind.SEMI, JoinKind.ANTI, JoinKind.EXISTENCE, JoinKind.SINGLE)


def pushed(relation: Relation, conditions: tuple[Expression, ...] = ()) -> Relation:
    """The rows of the relation that satisfy the conditions, which are tested as early as can be."""
    match relation:
        case Filter(child=child, condition=condition):
            own = conjuncts(condition)
            early = tuple(c for c in own if _is_movable(c))
            late = conjunction(c for c in own if c not in early)
            below = pushed(child, (*early, *conditions)) if late is None else pushed(child, early)
            return below if late is None else _filtered(Filter(below, late), conditions)
        case Project(child=child, items=items):
            values = {item.name: item.expression for item in items}
            if not all(value.deterministic for value in values.values()):
                return _filtered(with_inputs(relation, (pushed(child, ()),)), conditions)
            moved = tuple(substitute(condition, values) for condition in conditions)
            return Project(pushed(child, moved), items)
        case Sort(child=child):
            return with_inputs(relation, (pushed(child, conditions),))
        case Join(kind=kind) if kind in _INNER:
            return _into_both(relation, conditions)
        case Join(kind=kind) if kind in (*_ASKING, JoinKind.LEFT):
            return _into_left(relation, conditions)
        case Recursion(anchor=anchor):
            return _filtered(replace(relation, anchor=pushed(anchor, ())), conditions)
        case _:
            below_all = tuple(pushed(child, ()) for child in inputs(relation))
            return _filtered(with_inputs(relation, below_all), conditions)


def _filtered(relation: Relation, conditions: tuple[Expression, ...]) -> Relation:
    whole = conjunction(conditions)
    return relation if whole is None else Filter(relation, whole)


def _is_movable(condition: Expression) -> bool:
    if not condition.deterministic or not column_names(condition):
        return False
    return not reads_clock(condition)


def reads_clock(condition: Expression) -> bool:
    """Whether rows come and go by it without being changed."""
    parts = walk_expression(condition)
    return any(isinstance(part, Call) and part.kind in _CLOCK for part in parts)


def _into_both(join: Join, conditions: tuple[Expression, ...]) -> Relation:
    left = frozenset(column.name for column in join.left.columns)
    right = frozenset(column.name for column in join.right.columns)
    own = conjuncts(join.condition)
    early = (*(c for c in own if _is_movable(c)), *conditions)
    to_left = tuple(c for c in early if column_names(c) <= left)
    to_right = tuple(c for c in early if c not in to_left and column_names(c) <= right)
    moved = (*to_left, *to_right)
    stays = conjunction(c for c in (*own, *conditions) if c not in moved)
    kind = JoinKind.CROSS if stays is None else JoinKind.INNER
    return Join(kind, pushed(join.left, to_left), pushed(join.right, to_right), stays)


def _into_left(join: Join, conditions: tuple[Expression, ...]) -> Relation:
    """Conditions above are decided by the left; those of the join's own on the right, there."""
    left = frozenset(column.name for column in join.left.columns)
    right = frozenset(column.name for column in join.right.columns)
    to_left = tuple(c for c in conditions if column_names(c) <= left)
    own = conjuncts(join.condition)
    to_right = tuple(c for c in own if _is_movable(c) and column_names(c) <= right)
    rest = conjunction(c for c in own if c not in to_right)
    if rest is None and join.condition is not None:
        to_right, rest = (), join.condition
    below = replace(
        join, left=pushed(join.left, to_left), right=pushed(join.right, to_right), condition=rest
    )
    return _filtered(below, tuple(c for c in conditions if c not in to_left))
