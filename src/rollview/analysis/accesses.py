"""Accesses: what of a table a definition reads in one place, and what could stand for it.

The auxiliary views of a view are such accesses, kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from rollview.algebra.expressions import ColumnRef, Expression
from rollview.algebra.printer import show
from rollview.algebra.relations import Relation, Scan
from rollview.algebra.traverse import inputs, substitute, walk
from rollview.analysis.constraints import ForeignKey


@dataclass(frozen=True, slots=True)
class Access:
    """One place where a definition reads a table, cut down: what an auxiliary view would hold.

    ``relation`` stands in the definition. ``fields`` are the columns of the table that it keeps,
    ``conditions`` what its rows satisfy; ``parents`` are the foreign keys by which rows without a
    selected parent are left out, each with the access of that parent.
    """

    relation: Relation
    table: str
    fields: tuple[str, ...]
    conditions: tuple[Expression, ...]
    parents: tuple[tuple[ForeignKey, Access], ...] = ()

    @property
    def is_selected(self) -> bool:
        """Whether rows are left out."""
        return bool(self.conditions or self.parents)

    def is_copy(self, columns: int) -> bool:
        """Whether this is all of a table that has so many columns."""
        return not self.is_selected and len(self.fields) == columns

    @property
    def name(self) -> str:
        """What it holds, in a line of SQL; one of the same name holds the same."""
        names = _field_names(self.relation)
        text = f"SELECT {', '.join(self.fields)} FROM {self.table}"
        rows = [show(substitute(condition, names)) for condition in self.conditions]
        rows += [_has_parent(key, parent) for key, parent in self.parents]
        return f"{text} WHERE {' AND '.join(rows)}" if rows else text


def _has_parent(key: ForeignKey, parent: Access) -> str:
    columns = ", ".join(key.columns)
    inner = replace(parent, fields=key.parent_columns)
    return (
        f"({columns}) IN ({inner.name})" if len(key.columns) > 1 else f"{columns} IN ({inner.name})"
    )


def _field_names(relation: Relation) -> dict[str, Expression]:
    """The columns of the scans of a relation by the names that the tables give them."""
    found: dict[str, Expression] = {}
    for node in walk(relation):
        if isinstance(node, Scan):
            for name, column in zip(node.fields, node.columns, strict=True):
                found[column.name] = ColumnRef(name, column.type, column.nullable)
    return found


@dataclass(frozen=True, slots=True)
class Accesses:
    """A relation that reads its tables through accesses; those of parents come before children."""

    relation: Relation
    all: tuple[Access, ...]

    def reading(self, columns: Iterable[str]) -> Access | None:
        """The access whose scan has these columns."""
        wanted = set(columns)
        for one in self.all:
            scans = (node for node in _own(one.relation) if isinstance(node, Scan))
            if any(wanted & {column.name for column in scan.columns} for scan in scans):
                return one
        return None


def _own(relation: Relation) -> Iterable[Relation]:
    """The nodes of an access without its parents."""
    yield relation
    below = inputs(relation)
    for child in below[:1]:
        yield from _own(child)
