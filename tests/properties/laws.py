"""The laws of maintenance, checked on one case.

1. After each refresh the stored view and its delta are the query recomputed, as bags; every kept
   state is its relation evaluated; nothing is removed that is not there. The view and the states
   are carried from refresh to refresh as the deltas left them, so that errors add up.
2. The same changes in one refresh give the same view.
3. The prepared relation is the same bag as the relation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import duckdb

from rollview.algebra.schema import Schema
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.prepare import prepare
from rollview.maintenance.program import Kept, Program
from rollview.maintenance.signed import WEIGHT_COLUMN
from rollview.runtime.propagate import propagate
from rollview.sql.render import render
from tests.properties.cases import Bag, Batch, Case, Row
from tests.properties.duckdb_engine import DuckEngine
from tests.properties.values import sql


class Violation(Exception):
    """A law that does not hold: which one, and what was found."""

    def __init__(self, law: str, found: str) -> None:
        super().__init__(f"{law}\n{found}")
        self.law = law


@dataclass
class Effort:
    """What a case took."""

    refreshes: int = 0
    steps: int = 0
    compiled: int = 0


def check(case: Case, connection: duckdb.DuckDBPyConnection, *, at_once_too: bool = True) -> Effort:
    """Check all laws; raises `Violation`, or whatever error the code under test raises."""
    effort = Effort()
    maintained = Maintained(case, connection, effort)
    for batch in case.batches:
        maintained.refresh(batch)
    maintained.check_prepared()
    if len(case.batches) > 1 and at_once_too:
        at_once = Maintained(case, connection, effort)
        at_once.refresh(tuple(change for batch in case.batches for change in batch))
        _same("law 2: the changes in one refresh", at_once.view, maintained.view)
    return effort


class Maintained:
    """A view, its states and its sources, from refresh to refresh."""

    def __init__(self, case: Case, connection: duckdb.DuckDBPyConnection, effort: Effort) -> None:
        self._case = case
        self._connection = connection
        self._effort = effort
        self._engine = DuckEngine(connection)
        self._rows = {name: list(table.rows) for name, table in case.tables.items()}
        self._now = {name: self._store(name) for name in case.tables}
        self._prepared = prepare(case.relation)
        self._programs: dict[frozenset[str], Program] = {}
        self.view = bag(self._engine.evaluate(case.relation, self._now))
        self._states = {}
        for kept in self._prepared.kept:
            self._engine.compute(f"state_{kept.name}", render(kept.relation, self._now))
            self._states[kept.name] = bag(self._engine.rows(f"FROM step_state_{kept.name}"))

    def _store(self, name: str) -> str:
        table = f"{name}_at_0"
        self._create(table, self._case.tables[name].columns, self._rows[name])
        return table

    def _create(self, table: str, columns: Schema, rows: Iterable[Row]) -> None:
        cells = [
            f"({', '.join(sql(v, c.type) for v, c in zip(row, columns, strict=True))})"
            for row in rows
        ]
        query = f"SELECT {', '.join(f'CAST(NULL AS {c.type}) AS {c.name}' for c in columns)}"
        if cells:
            names = ", ".join(c.name for c in columns)
            values = f"SELECT {names} FROM (VALUES {', '.join(cells)}) AS made({names})"
        query = values if cells else f"{query} WHERE false"
        self._connection.execute(f"CREATE OR REPLACE TABLE {table} AS {query}")

    def _evaluated(self, kept: Kept) -> Bag:
        return bag(self._engine.evaluate(kept.relation, self._now))

    def check_prepared(self) -> None:
        """Law 3, with the rows as they are."""
        found = self._engine.evaluate(self._prepared.relation, self._now)
        expected = self._engine.evaluate(self._case.relation, self._now)
        _same("law 3: the prepared relation", bag(found), bag(expected))

    def refresh(self, batch: Batch) -> None:
        """Bring the view up to date from the changes, then check law 1."""
        leaves = self._leaves(batch)
        changed = frozenset(change.table for change in batch)
        if changed not in self._programs:
            self._programs[changed] = compile_delta(self._prepared, changed)
        program = self._programs[changed]
        result = propagate(program, leaves, self._engine)
        self._effort.refreshes += 1
        self._effort.compiled += len(program.steps)
        self._effort.steps = len(self._engine.steps)
        if result.delta is not None:
            self.view = _applied("view", self.view, self._engine.rows(result.delta))
        expected = bag(self._engine.evaluate(self._case.relation, self._now))
        _same("law 1: the view", self.view, expected)
        for kept in self._prepared.kept:
            if kept.name in result.states:
                self._apply(kept, result.states[kept.name].table)
            _same(f"law 1: state {kept.name}", self._states[kept.name], self._evaluated(kept))

    def _leaves(self, batch: Batch) -> dict[str, str]:
        """The tables after the batch, beside what they were and the changes themselves."""
        leaves = {f"before {name}": table for name, table in self._now.items()}
        for name in {change.table for change in batch}:
            own = [change for change in batch if change.table == name]
            for change in own:
                if change.weight > 0:
                    self._rows[name].append(change.row)
                else:
                    self._rows[name].remove(change.row)
            columns = self._case.tables[name].columns
            weighted = (*columns, WEIGHT_COLUMN)
            self._create(f"{name}_changes", weighted, ((*c.row, c.weight) for c in own))
            leaves[f"changes {name}"] = f"{name}_changes"
            self._now[name] = self._fresh(name)
        leaves |= {f"after {name}": table for name, table in self._now.items()}
        leaves |= {f"state {k.name}": f"step_state_{k.name}" for k in self._prepared.kept}
        return leaves

    def _fresh(self, name: str) -> str:
        table = f"{name}_at_0" if self._now[name].endswith("1") else f"{name}_at_1"
        self._create(table, self._case.tables[name].columns, self._rows[name])
        return table

    def _apply(self, kept: Kept, change: str) -> None:
        rows = self._connection.execute(f"FROM {change}").fetchall()
        self._states[kept.name] = _applied(f"state {kept.name}", self._states[kept.name], rows)
        names = ", ".join(c.name for c in kept.columns)
        listed = f"{names}, " if names else ""
        table = f"step_state_{kept.name}"
        net = (
            f"SELECT {listed}sum(w) AS n FROM (SELECT {listed}1 AS w FROM {table}"
            f" UNION ALL SELECT {listed}__weight AS w FROM {change}) GROUP BY ALL"
        )
        self._connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT * EXCLUDE (n, copy) FROM"
            f" (SELECT *, unnest(range(n::BIGINT)) AS copy FROM ({net}))"
        )


def bag(rows: Iterable[Row]) -> Bag:
    """The rows, comparable: doubles to ten digits, which is the tolerance, NaN like NaN."""
    return Counter(tuple(_comparable(value) for value in row) for row in rows)


def _comparable(value: object) -> object:
    match value:
        case float():
            return "NaN" if value != value else float(f"{value:.10g}") + 0.0
        case list():
            return tuple(_comparable(one) for one in value)
        case dict():
            return tuple(_comparable(one) for one in value.values())
        case _:
            return value


def _applied(what: str, stored: Bag, delta: Iterable[Row]) -> Bag:
    result = Counter(stored)
    for row in delta:
        result[tuple(_comparable(value) for value in row[:-1])] += int(str(row[-1]))
    missing = {row: weight for row, weight in result.items() if weight < 0}
    if missing:
        raise Violation(f"law 1: the {what} loses what it does not have", str(missing))
    return +result


def _same(law: str, found: Bag, expected: Bag) -> None:
    if found != expected:
        unexpected, missing = found - expected, expected - found
        raise Violation(law, f"unexpected {dict(unexpected)}\nmissing {dict(missing)}")
