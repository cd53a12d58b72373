"""Where the values of a column come from: a field of a table, handed on unchanged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from rollview.algebra.expressions import ColumnRef
from rollview.algebra.relations import (
    After,
    Aggregate,
    Before,
    Changes,
    Distinct,
    Expand,
    Filter,
    Generate,
    Join,
    Project,
    Recursion,
    RecursionInput,
    Relation,
    Scan,
    SetKind,
    SetOperation,
    SingleRow,
    Sort,
    State,
    TableFunction,
    Temporary,
    TopK,
    Union,
    Values,
    Window,
)


@dataclass(frozen=True, slots=True)
class Origin:
    """A field of a table, as one scan of it reads it."""

    table: str
    field: str


def origin_of(relation: Relation, name: str) -> Origin | None:
    """The field of which a column has values, and otherwise only NULL; None if there is none.

    The rows need not be those of the table: joins, groups and filters leave some out and repeat
    others, outer joins put NULL in their place.
    """
    match relation:
        case Scan(source=source, fields=fields, columns=columns):
            found = [f for f, c in zip(fields, columns, strict=True) if c.name == name]
            return Origin(source, found[0]) if found else None
        case Project(child=child, items=items):
            value = next((i.expression for i in items if i.name == name), None)
            return origin_of(child, value.name) if isinstance(value, ColumnRef) else None
        case Join(left=left, right=right):
            return origin_of(left, name) or origin_of(right, name)
        case (
            Filter(child=child)
            | Distinct(child=child)
            | Sort(child=child)
            | TopK(child=child)
            | Window(child=child)
            | Generate(child=child)
        ):
            return origin_of(child, name)
        case Aggregate(child=child, groups=groups):
            return origin_of(child, name) if any(g.name == name for g in groups) else None
        case SetOperation(kind=SetKind.EXCEPT | SetKind.INTERSECT, left=left, columns=columns):
            place = next((i for i, c in enumerate(columns) if c.name == name), None)
            return None if place is None else origin_of(left, left.columns[place].name)
        case SingleRow(child=child, name=own):
            return origin_of(child, child.columns[0].name) if own == name else None
        case Expand() | Union() | Recursion() | RecursionInput() | Values() | TableFunction():
            return None
        case Changes() | Before() | After() | State() | Temporary():
            return None
        case _:
            assert_never(relation)
