"""Declared keys and foreign keys: what the owner of the tables says is always true of them.

A key says that no two rows have the same values in its columns, NULL being the same as NULL. A
foreign key says that values without NULL have a row in the parent table, and that the columns
there are a key. With ``rely`` that is trusted; without, whoever makes use of it checks it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from rollview.algebra.relations import Relation, Scan
from rollview.algebra.traverse import walk


@dataclass(frozen=True, slots=True)
class Key:
    """Columns of a table of which no two rows have the same values."""

    table: str
    columns: tuple[str, ...]
    rely: bool = False

    @property
    def tables(self) -> tuple[str, ...]:
        return (self.table,)

    def __str__(self) -> str:
        return f"the key {self.table} ({', '.join(self.columns)})"


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns of a table whose values are those of a key of a parent table."""

    table: str
    columns: tuple[str, ...]
    parent: str
    parent_columns: tuple[str, ...]
    rely: bool = False

    @property
    def tables(self) -> tuple[str, ...]:
        return (self.table, self.parent)

    @property
    def key(self) -> Key:
        """The key of the parent that it refers to."""
        return Key(self.parent, self.parent_columns, self.rely)

    def __str__(self) -> str:
        child = f"{self.table} ({', '.join(self.columns)})"
        return f"the foreign key {child} -> {self.parent} ({', '.join(self.parent_columns)})"


Constraint = Key | ForeignKey


@dataclass(frozen=True, slots=True)
class Constraints:
    """All that is declared and may be used; tables are called what scans call them."""

    all: tuple[Constraint, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.all)

    def keys(self, table: str) -> tuple[tuple[tuple[str, ...], Constraint], ...]:
        """The keys of a table, each with what says so: a key, or a foreign key that refers to it.

        What is trusted comes first: it costs no check.
        """
        found: dict[frozenset[str], tuple[tuple[str, ...], Constraint]] = {}
        for one in sorted(self.all, key=lambda one: not one.rely):
            own = one.key if isinstance(one, ForeignKey) else one
            if own.table == table:
                found.setdefault(frozenset(own.columns), (own.columns, one))
        return tuple(found.values())

    def references(self, table: str, parent: str) -> tuple[ForeignKey, ...]:
        """The foreign keys from one table to another."""
        return tuple(
            one
            for one in self.all
            if isinstance(one, ForeignKey) and (one.table, one.parent) == (table, parent)
        )

    def only(self, some: Collection[Constraint]) -> Constraints:
        """Those that are among these."""
        return Constraints(tuple(one for one in self.all if one in some))

    def without(self, some: Collection[Constraint]) -> Constraints:
        """Those that are not among these."""
        return Constraints(tuple(one for one in self.all if one not in some))

    def renamed(self, tables: Mapping[str, str]) -> Constraints:
        """The same for tables under other names; what is about any other table is left out."""
        return Constraints(
            tuple(_renamed(one, tables) for one in self.all if all(t in tables for t in one.tables))
        )

    def about(self, relation: Relation) -> Constraints:
        """Those whose columns the scans of a relation read."""
        read: dict[str, list[frozenset[str]]] = {}
        for node in walk(relation):
            if isinstance(node, Scan):
                read.setdefault(node.source, []).append(frozenset(node.fields))
        return Constraints(tuple(one for one in self.all if _is_read(one, read)))


NONE = Constraints()


def constraints(some: Iterable[Constraint]) -> Constraints:
    """What is declared, each once."""
    return Constraints(tuple(dict.fromkeys(some)))


def _renamed(one: Constraint, tables: Mapping[str, str]) -> Constraint:
    if isinstance(one, Key):
        return replace(one, table=tables[one.table])
    return replace(one, table=tables[one.table], parent=tables[one.parent])


def _is_read(one: Constraint, read: Mapping[str, list[frozenset[str]]]) -> bool:
    sides = [(one.table, one.columns)]
    if isinstance(one, ForeignKey):
        sides.append((one.parent, one.parent_columns))
    return all(
        any(set(columns) <= fields for fields in read.get(table, ())) for table, columns in sides
    )
