"""A view that is kept up to date without base tables: from changes and auxiliary views alone."""

from __future__ import annotations

from collections.abc import Collection

import duckdb

from rollview.algebra.relations import Recursion, Relation, Scan
from rollview.algebra.traverse import walk
from rollview.analysis.accesses import Access, Accesses
from rollview.maintenance.kept_rows import can_be_counted
from rollview.maintenance.prepare import Prepared, prepare
from tests.properties.cases import Batch, Case
from tests.properties.maintained import Maintained


class SelfMaintained(Maintained):
    """The tables, but for those that may be read, are not there while the program runs."""

    def __init__(
        self,
        case: Case,
        connection: duckdb.DuckDBPyConnection,
        accesses: Accesses,
        kept: Collection[Access],
        may_read: Collection[str] = (),
    ) -> None:
        self._accesses, self._auxiliary, self._may_read = accesses, kept, may_read
        super().__init__(case, connection)

    def _prepare(self) -> Prepared:
        relation = self._accesses.relation
        return prepare(relation, constraints=self._holding, auxiliary=self._auxiliary)

    def _leaves(self, changed: frozenset[str], batch: Batch) -> dict[str, str]:
        leaves = super()._leaves(changed, batch)
        return {leaf: table for leaf, table in leaves.items() if self._is_there(leaf)}

    def _is_there(self, leaf: str) -> bool:
        moment, _, table = leaf.partition(" ")
        return moment not in ("before", "after") or table in self._may_read


def out_of_reach(accesses: Accesses) -> set[str]:
    """Tables that no auxiliary view stands for: with maps, or read in rounds."""
    found = {a.table for a in accesses.all if not can_be_counted(a.relation.columns)}
    for node in walk(accesses.relation):
        if isinstance(node, Recursion):
            found |= _tables(node.step)
    return found


def _tables(relation: Relation) -> set[str]:
    return {node.source for node in walk(relation) if isinstance(node, Scan)}
