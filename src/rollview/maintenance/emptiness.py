"""What is left of a relation when some of its leaves turn out to have no rows.

Steps are run one after the other; whatever depends on an empty one is not evaluated at all. So a
scalar subquery whose value stayed the same, or a group that need not be re-evaluated, costs
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from rollview.algebra.expressions import ColumnRef, Literal, typed
from rollview.algebra.relations import (
    Aggregate,
    Distinct,
    Expand,
    Filter,
    Generate,
    Join,
    JoinKind,
    Named,
    Project,
    Recursion,
    Relation,
    SetKind,
    SetOperation,
    Sort,
    Temporary,
    TopK,
    Union,
    Values,
    Window,
)
from rollview.algebra.schema import Schema
from rollview.algebra.traverse import transform_up


def is_empty(relation: Relation) -> bool:
    """Whether the relation is written as one without rows."""
    return isinstance(relation, Values) and not relation.rows


def without_empty(relation: Relation, empty: frozenset[str]) -> Relation:
    """The same rows, knowing that these temporaries have none."""

    def change(node: Relation) -> Relation:
        if isinstance(node, Temporary) and node.name in empty:
            return Values(node.columns, ())
        return _simplified(node)

    return transform_up(relation, change)


def emptied(steps: Iterable[tuple[str, Relation]], empty: frozenset[str]) -> frozenset[str]:
    """The names of the steps that have no rows if these have none, these included."""
    known = set(empty)
    for name, relation in steps:
        if known and is_empty(without_empty(relation, frozenset(known))):
            known.add(name)
    return frozenset(known)


def _simplified(node: Relation) -> Relation:
    nothing = Values(node.columns, ())
    match node:
        case Filter(condition=Literal(text="FALSE")):
            return nothing
        case (
            Project(child=child)
            | Filter(child=child)
            | Expand(child=child)
            | Generate(child=child)
            | Sort(child=child)
            | TopK(child=child)
            | Distinct(child=child)
            | Window(child=child)
        ):
            return nothing if is_empty(child) else node
        case Aggregate(child=child, groups=groups):
            return nothing if groups and is_empty(child) else node
        case Join():
            return _join(node, nothing)
        case Recursion(anchor=anchor):
            return nothing if is_empty(anchor) else node
        case Union(inputs=many, columns=columns):
            left = tuple(one for one in many if not is_empty(one))
            if left and left[0] is not many[0]:  # fields of structs are called as the first says
                left = (_typed_like(left[0], columns), *left[1:])
            return Union(left, columns) if left else nothing
        case SetOperation(kind=kind, left=left_side, right=right_side):
            gone = is_empty(left_side) or (kind is SetKind.INTERSECT and is_empty(right_side))
            return nothing if gone else node
        case _:
            return node


def _typed_like(relation: Relation, columns: Schema) -> Relation:
    pairs = tuple(zip(relation.columns, columns, strict=True))
    if all(inner.type == outer.type for inner, outer in pairs):
        return relation
    items = (Named(i.name, typed(ColumnRef(i.name, i.type, i.nullable), o.type)) for i, o in pairs)
    return Project(relation, tuple(items))


def _join(join: Join, nothing: Values) -> Relation:
    left, right = is_empty(join.left), is_empty(join.right)
    match join.kind:
        case JoinKind.INNER | JoinKind.CROSS | JoinKind.SEMI:
            return nothing if left or right else join
        case JoinKind.ANTI:
            if right and not left:
                return join.left
            return nothing if left else join
        case JoinKind.LEFT | JoinKind.SINGLE | JoinKind.EXISTENCE:
            return nothing if left else join
        case JoinKind.RIGHT:
            return nothing if right else join
        case JoinKind.FULL:
            return nothing if left and right else join
