"""Which columns of a scan are needed: scans shrink to what the definition refers to."""

from __future__ import annotations

from rollview.algebra.expressions import ColumnRef
from rollview.algebra.relations import (
    Distinct,
    Project,
    Recursion,
    Relation,
    Scan,
    SetOperation,
    SingleRow,
    Union,
)
from rollview.algebra.traverse import column_names, expressions, inputs, transform_up, walk


def prune_scans(relation: Relation) -> Relation:
    """The same relation with scans of only the columns that are used.

    Names are unique within a definition, so a column is used if any expression names it, if it
    reaches the result, or if it reaches an operator that matches columns by position.
    """
    used = needed_names(relation)

    def prune(node: Relation) -> Relation:
        if isinstance(node, Project) and _changes_nothing(node):
            return node.child
        if not isinstance(node, Scan):
            return node
        kept = [i for i, column in enumerate(node.columns) if column.name in used]
        fields = tuple(node.fields[i] for i in kept)
        return Scan(node.source, fields, tuple(node.columns[i] for i in kept))

    return transform_up(relation, prune)


def _changes_nothing(project: Project) -> bool:
    names = tuple(column.name for column in project.child.columns)
    return tuple(item.name for item in project.items) == names and all(
        isinstance(item.expression, ColumnRef) and item.expression.name == item.name
        for item in project.items
    )


def needed_names(relation: Relation) -> frozenset[str]:
    """The names of all columns that matter to the result."""
    used = {column.name for column in relation.columns}
    for node in walk(relation):
        for expression in expressions(node):
            used |= column_names(expression)
        if isinstance(node, Distinct | Union | SetOperation | SingleRow | Recursion):
            used |= {column.name for child in inputs(node) for column in child.columns}
    return frozenset(used)
