"""Columns that a recursive CTE hands down unchanged from its anchor through every round.

If no row of a round depends on more than one row of the round before, and a column of both is the
same, then all rows with a value of that column come from the rows of the anchor with that value:
the recursion falls apart into one for each value.
"""

from __future__ import annotations

from rollview.algebra.expressions import ColumnRef
from rollview.algebra.relations import (
    Filter,
    Generate,
    Join,
    JoinKind,
    Project,
    Recursion,
    RecursionInput,
    Relation,
    Scan,
    TableFunction,
    Values,
)
from rollview.algebra.traverse import walk
from rollview.analysis.order import is_unorderable

_OF_ALL_ROWS = (JoinKind.RIGHT, JoinKind.FULL)  # which ask for all rows of the left
_ROW_BY_ROW = (Filter, Generate, Join, Project, RecursionInput, Scan, TableFunction, Values)


def carried(recursion: Recursion) -> tuple[int, ...]:
    """The positions of the columns that are handed down; none if the rounds do not fall apart."""
    nodes = list(walk(recursion.step))
    again = [node for node in nodes if isinstance(node, RecursionInput)]
    if len(again) != 1 or not all(isinstance(node, _ROW_BY_ROW) for node in nodes):
        return ()
    if not (_has_own_names(recursion.anchor) and _has_own_names(recursion.step)):
        return ()
    names = dict(zip((c.name for c in again[0].columns), again[0].fields, strict=True))
    found = []
    for position, column in enumerate(recursion.columns):
        source = _source(recursion.step, recursion.step.columns[position].name)
        types = {recursion.anchor.columns[position].type, column.type}
        types.add(recursion.step.columns[position].type)
        if source is None or names.get(source) != column.name or len(types) > 1:
            continue
        if not is_unorderable(column.type):
            found.append(position)
    return tuple(found)


def _has_own_names(relation: Relation) -> bool:
    """Whether its columns can be told apart by name, as keys have to; one may stand there twice."""
    names = [column.name for column in relation.columns]
    return len(set(names)) == len(names)


def _source(relation: Relation, name: str) -> str | None:
    """The column of the round before that this is, in the only place where it is read."""
    match relation:
        case RecursionInput(columns=columns):
            return name if any(column.name == name for column in columns) else None
        case Filter(child=child) | Generate(child=child):
            return _source(child, name)
        case Project(child=child, items=items):
            value = next(item.expression for item in items if item.name == name)
            return _source(child, value.name) if isinstance(value, ColumnRef) else None
        case Join(kind=kind, left=left, right=right) if kind not in _OF_ALL_ROWS:
            either = kind in (JoinKind.INNER, JoinKind.CROSS)
            sides = (left, right) if either else (left,)  # others ask for all rows of the right
            found = (_source(side, name) for side in sides if _has(side, name))
            return next((one for one in found if one is not None), None)
        case _:
            return None


def _has(relation: Relation, name: str) -> bool:
    return any(column.name == name for column in relation.columns)
