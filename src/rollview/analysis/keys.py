"""Columns that tell the rows of a relation apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rollview.algebra.expressions import Call, ColumnRef, conjuncts
from rollview.algebra.relations import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    JoinKind,
    Project,
    Relation,
    Scan,
    SetOperation,
    SingleRow,
    Sort,
    TopK,
    Window,
)
from rollview.analysis.constraints import NONE, Constraint, Constraints

_MOST = 8  # keys that are followed upwards at once


@dataclass(frozen=True, slots=True)
class Known:
    """A key of a relation, and the declarations that it rests on."""

    columns: tuple[str, ...]
    by: frozenset[Constraint] = frozenset()


def key_of(relation: Relation, declared: Constraints = NONE) -> tuple[str, ...] | None:
    """Columns of which no two rows have the same values; None if none are known.

    No columns at all are a key where there is only one row.
    """
    known = keys_of(relation, declared)
    return known[0].columns if known else None


def keys_of(relation: Relation, declared: Constraints = NONE) -> tuple[Known, ...]:
    """Some keys of a relation, those that rest on few declarations first."""
    found: dict[frozenset[str], Known] = {}
    for one in sorted(_keys(relation, declared), key=lambda one: len(one.by)):
        if not any(other <= set(one.columns) and found[other].by <= one.by for other in found):
            found.setdefault(frozenset(one.columns), one)
    return tuple(found.values())[:_MOST]


def _keys(  # noqa: C901 - one case per relation
    relation: Relation, declared: Constraints
) -> Iterable[Known]:
    match relation:
        case Scan(source=source, fields=fields, columns=columns):
            names = {f: c.name for f, c in zip(fields, columns, strict=True)}
            for key, constraint in declared.keys(source):
                if set(key) <= names.keys():
                    yield Known(tuple(names[field] for field in key), frozenset([constraint]))
        case Aggregate(groups=groups):
            yield Known(tuple(group.name for group in groups))
        case SingleRow():
            yield Known(())
        case Distinct(child=child):
            yield from keys_of(child, declared)
            yield Known(tuple(column.name for column in child.columns))
        case Filter(child=child) | Sort(child=child) | TopK(child=child) | Window(child=child):
            yield from keys_of(child, declared)
        case Project(child=child, items=items):
            kept = {
                item.expression.name: item.name
                for item in items
                if isinstance(item.expression, ColumnRef)
            }
            yield from _renamed(keys_of(child, declared), kept)
        case SetOperation(left=left, columns=columns, all=every):
            pairs = zip(left.columns, columns, strict=True)
            yield from _renamed(keys_of(left, declared), {a.name: b.name for a, b in pairs})
            if not every:
                yield Known(tuple(column.name for column in columns))
        case Join():
            yield from _of_join(relation, declared)
        case _:
            return


def _renamed(keys: Iterable[Known], names: Mapping[str, str]) -> Iterable[Known]:
    for one in keys:
        if set(one.columns) <= names.keys():
            yield Known(tuple(names[name] for name in one.columns), one.by)


def _of_join(join: Join, declared: Constraints) -> Iterable[Known]:
    """A row of a join is a pair of rows; one that is found by its key adds nothing to tell."""
    left, right = keys_of(join.left, declared), keys_of(join.right, declared)
    match join.kind:
        case JoinKind.SEMI | JoinKind.ANTI | JoinKind.EXISTENCE | JoinKind.SINGLE:
            yield from left
        case JoinKind.FULL:  # a NULL may be that of a row, or that of no row
            return
        case _:
            yield from _of_pairs(join, left, right)


def _of_pairs(join: Join, left: tuple[Known, ...], right: tuple[Known, ...]) -> Iterable[Known]:
    """Of a cross, inner, left or right join: rows are padded at most once, and not if they match.

    By plain equality alone, as that finds no NULL, which may be that of no row.
    """
    equal = equal_columns(join)
    if join.kind is not JoinKind.RIGHT:
        for own in right:
            if set(own.columns) <= {two for _, two in equal}:
                yield from (Known(one.columns, one.by | own.by) for one in left)
    if join.kind is not JoinKind.LEFT:
        for own in left:
            if set(own.columns) <= {one for one, _ in equal}:
                yield from (Known(two.columns, two.by | own.by) for two in right)
    for one in left:
        for two in right:
            both = Known((*one.columns, *two.columns), one.by | two.by)
            yield both
            if join.kind in (JoinKind.INNER, JoinKind.CROSS):
                yield _with_one_of_equals(both, equal)


def _with_one_of_equals(key: Known, equal: tuple[tuple[str, str], ...]) -> Known:
    """The key without columns that always equal another one of it."""
    columns = list(key.columns)
    for one, two in equal:
        if one in columns and two in columns:
            columns.remove(two)
    return Known(tuple(columns), key.by)


def equal_columns(join: Join) -> tuple[tuple[str, str], ...]:
    """The pairs of columns, left and right, that the condition of a join compares by ``=``."""
    left = {column.name for column in join.left.columns}
    right = {column.name for column in join.right.columns}
    found = []
    for part in conjuncts(join.condition):
        if not isinstance(part, Call) or part.kind != "EqualTo":
            continue
        one, two = part.args
        if isinstance(one, ColumnRef) and isinstance(two, ColumnRef):
            if one.name in left and two.name in right:
                found.append((one.name, two.name))
            elif one.name in right and two.name in left:
                found.append((two.name, one.name))
    return tuple(found)
