"""Columns that tell the rows of a relation apart."""

from __future__ import annotations

from rollview.algebra.expressions import ColumnRef
from rollview.algebra.relations import (
    Aggregate,
    Distinct,
    Filter,
    Project,
    Relation,
    SingleRow,
    Sort,
    TopK,
)


def key_of(relation: Relation) -> tuple[str, ...] | None:
    """Columns of which no two rows have the same values; None if none are known.

    No columns at all are a key where there is only one row.
    """
    match relation:
        case Aggregate(groups=groups):
            return tuple(group.name for group in groups)
        case SingleRow():
            return ()
        case Distinct(child=child):
            return key_of(child) or tuple(column.name for column in child.columns)
        case Filter(child=child) | Sort(child=child) | TopK(child=child):
            return key_of(child)
        case Project(child=child, items=items):
            below = key_of(child)
            if below is None:
                return None
            kept = {
                item.expression.name: item.name
                for item in items
                if isinstance(item.expression, ColumnRef)
            }
            return tuple(kept[name] for name in below) if set(below) <= set(kept) else None
        case _:
            return None
