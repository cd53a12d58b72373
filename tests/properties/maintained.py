"""A view that is kept up to date on DuckDB, and checked after every refresh.

The view and the states are carried from refresh to refresh as the deltas left them, so that
errors add up and show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import duckdb

from rollview.algebra.definition import Reason
from rollview.algebra.relations import Distinct, Relation, SetOperation
from rollview.algebra.schema import Column, Schema
from rollview.analysis.constraints import Constraint
from rollview.analysis.range import Range
from rollview.analysis.relevance.changes import Relevance
from rollview.errors import KeyViolated
from rollview.maintenance.checks import whole
from rollview.maintenance.choice import ANY, Choice
from rollview.maintenance.clock import CLOCK, Clock, Reading, at_moment
from rollview.maintenance.compiler import compile_delta, made_use_of
from rollview.maintenance.prepare import Prepared
from rollview.maintenance.program import Kept, Program
from rollview.maintenance.relevant import relevant_changes
from rollview.maintenance.signed import WEIGHT_COLUMN
from rollview.maintenance.strategies import prepared
from rollview.runtime.propagate import Computed, propagate
from rollview.sql.expressions import text
from rollview.sql.render import render
from tests.properties.bags import Bag, Violation, applied, assert_same, bag, signed_bag
from tests.properties.cases import Batch, Case, Row
from tests.properties.dialect import to_duckdb
from tests.properties.duckdb_engine import DuckEngine
from tests.properties.minimality import assert_minimal, assert_minimal_for_sets
from tests.properties.values import sql

MINIMAL = ("algebraic",)
"""The strategies whose own deltas are strongly minimal; those of others are made so."""


@dataclass(frozen=True)
class Refresh:
    """What one refresh did: the net change of the view, and the steps that were run for it.

    ``irrelevant`` is how many changed rows were left out, as they cannot matter.
    """

    delta: Bag
    steps: tuple[str, ...]
    reasons: tuple[Reason, ...]
    program: Program
    irrelevant: int = 0


class Maintained:
    """A view, its states and its sources, from refresh to refresh."""

    def __init__(
        self,
        case: Case,
        connection: duckdb.DuckDBPyConnection,
        reading: Reading | None = None,
        choice: Choice = ANY,
    ) -> None:
        self._case = case
        self._reading = reading or {}
        self._connection = connection
        self._rows = {name: list(table.rows) for name, table in case.tables.items()}
        self._now = {name: self._stored(name, "one") for name in case.tables}
        self._choice = choice
        self._used = made_use_of(case.relation, case.constraints, case.tables, choice)
        self._programs: dict[frozenset[str], Program] = {}
        self.violations = 0
        self._recompute()

    def _recompute(self) -> None:
        """The view and its states from the rows as they are, by what holds now."""
        engine = DuckEngine(self._connection)
        self._holding = self._used.only([one for one in self._used.all if self._holds(one)])
        self._prepared = self._prepare()
        self._programs.clear()
        self.view = bag(self._evaluated(engine, self._case.relation))
        self._states = {}
        for kept in self._prepared.kept:
            whole = at_moment(kept.relation, self._reading)
            stored = engine.compute(_table(kept), render(whole, self._now))
            self._states[kept.name] = bag(engine.rows(f"FROM {stored.table}"))

    def _prepare(self) -> Prepared:
        return prepared(self._case.relation, self._choice, constraints=self._holding)

    def check_prepared(self) -> None:
        """Law 3, with the rows as they are; the view is known to be right."""
        found = self._evaluated(DuckEngine(self._connection), self._prepared.relation)
        assert_same("law 3: the prepared relation", bag(found), self.view)

    def refresh(self, batch: Batch, reading: Reading | None = None) -> Refresh:
        """Bring the view up to date from the changes, then check law 1.

        With a reading, the clock has gone on to it.
        """
        changed = _changed(self._case, batch)
        leaves = self._leaves(changed, batch)
        clock = Clock(self._reading, self._reading if reading is None else reading)
        engine = DuckEngine(self._connection)
        relevance = relevant_changes(self._prepared, clock)
        matter, irrelevant = self._mattering(leaves, changed, relevance, engine)
        if reading is None:  # otherwise rows leave that were there before the changes
            changed = matter
        program = self._program(changed, reading, relevance)
        try:
            result = propagate(program, leaves, engine)
        except KeyViolated as error:
            return self._violated(error, program, engine)
        rows = [] if result.delta is None else engine.rows(f"FROM {result.delta.table}")
        delta, before = signed_bag(rows), self.view
        self.view = applied("view", self.view, delta)
        expected = bag(self._evaluated(engine, self._case.relation))
        assert_same("law 1: the view", self.view, expected)
        self._check_minimal("view", before, self.view, rows)
        for kept in self._prepared.kept:
            if kept.name in result.states:
                self._apply(kept, result.states[kept.name].table)
            now = bag(self._evaluated(engine, kept.relation))
            assert_same(f"law 1: state {kept.name}", self._states[kept.name], now)
        self._check_declared()
        return Refresh(delta, tuple(engine.steps), result.reasons, program, irrelevant)

    def _check_minimal(self, what: str, before: Bag, after: Bag, rows: list[Row]) -> None:
        """Law 4: as it comes from the rules of the strategy, or else as it is applied, net."""
        if self._prepared.choice.strategy not in MINIMAL:
            rows = [
                (*row, weight // abs(weight))
                for row, weight in signed_bag(rows).items()
                for _ in range(abs(weight))
            ]
        assert_minimal(what, before, after, rows)
        if what == "view" and _is_set(self._case.relation):
            assert_minimal_for_sets(what, before, rows)

    def _violated(self, error: KeyViolated, program: Program, engine: DuckEngine) -> Refresh:
        """What a refresh does then: recompute, and make use only of what holds."""
        if all(self._holds(one, trust=False) for one in self._holding.all):
            raise Violation("law 5: a declaration is said to be broken that holds", str(error))
        self.violations += 1
        before = self.view
        self._recompute()
        delta = Counter(self.view)
        delta.subtract(before)
        return Refresh(delta, tuple(engine.steps), (), program)

    def _check_declared(self) -> None:
        for one in self._holding.all:
            if not self._holds(one, trust=False):
                raise Violation("law 5: what is declared is broken, and nothing was said", str(one))

    def _holds(self, one: Constraint, *, trust: bool = True) -> bool:
        """Whether a declaration holds of the rows as they are, or is trusted."""
        if trust and one.rely:
            return True
        engine = DuckEngine(self._connection)
        found = whole(one, self._case.relation)
        return not any(engine.recomputed(relation, self._now) for relation in found)

    def _mattering(
        self,
        leaves: dict[str, str],
        changed: frozenset[str],
        relevance: Relevance,
        engine: DuckEngine,
    ) -> tuple[frozenset[str], int]:
        """The tables with changes that can matter, and how many changed rows cannot.

        As in a refresh, the others are gone before the program runs.
        """
        found, irrelevant = set(), 0
        for name in changed:
            table = f"{name}_changes"
            wanted = relevance.of_source(name)
            rows = engine.rows(f"SELECT * FROM {table}")
            matter = rows
            if wanted is not None:
                chosen = engine.compute(table, f"SELECT * FROM {table} WHERE {text(wanted)}")
                leaves[f"changes {name}"] = chosen.table
                matter = engine.rows(f"FROM {chosen.table}")
            irrelevant += len(rows) - len(matter)
            if matter:
                found.add(name)
            if not relevance.can_matter(name, partial(_range, engine, table)):
                assert_same("law 6: changes out of range", bag(matter), bag(()))
        return frozenset(found), irrelevant

    def _program(
        self, changed: frozenset[str], reading: Reading | None, relevance: Relevance
    ) -> Program:
        if reading is not None:
            clock = Clock(self._reading, reading)
            self._reading = reading
            self._programs.clear()
            return compile_delta(self._prepared, changed | {CLOCK}, clock, relevance)
        if changed not in self._programs:
            clock = Clock(self._reading, self._reading)
            self._programs[changed] = compile_delta(self._prepared, changed, clock, relevance)
        return self._programs[changed]

    def _evaluated(self, engine: DuckEngine, relation: Relation) -> list[Row]:
        return engine.recomputed(at_moment(relation, self._reading), self._now)

    # --- tables -----------------------------------------------------------------------------

    def _leaves(self, changed: frozenset[str], batch: Batch) -> dict[str, str]:
        """The tables after the batch, beside what they were and the changes themselves."""
        leaves = {f"before {name}": table for name, table in self._now.items()}
        for change in batch:
            if change.weight > 0:
                self._rows[change.table].append(change.row)
            else:
                self._rows[change.table].remove(change.row)
        for name in changed:
            columns = (*self._case.tables[name].columns, WEIGHT_COLUMN)
            rows = [(*c.row, c.weight) for c in batch if c.table == name]
            create(self._connection, f"{name}_changes", columns, rows)
            leaves[f"changes {name}"] = f"{name}_changes"
            other = "two" if self._now[name].endswith("one") else "one"
            self._now[name] = self._stored(name, other)
        leaves |= {f"after {name}": table for name, table in self._now.items()}
        return leaves | {f"state {k.name}": f"step_{_table(k)}" for k in self._prepared.kept}

    def _stored(self, name: str, place: str) -> str:
        table = f"{name}_{place}"
        create(self._connection, table, self._case.tables[name].columns, self._rows[name])
        return table

    def _apply(self, kept: Kept, change: str) -> None:
        """Bring a state table up to date, each row as often as its weights say."""
        rows = self._connection.execute(f"FROM {change}").fetchall()
        stored = self._states[kept.name]
        self._states[kept.name] = applied(f"state {kept.name}", stored, signed_bag(rows))
        self._check_minimal(f"state {kept.name}", stored, self._states[kept.name], rows)
        names = "".join(f"{c.name}, " for c in kept.columns)
        table = f"step_{_table(kept)}"
        net = (
            f"SELECT {names}sum(__w) AS __n FROM (SELECT {names}1 AS __w FROM {table}"
            f" UNION ALL SELECT {names}__weight AS __w FROM {change}) GROUP BY ALL"
        )
        self._connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT * EXCLUDE (__n, __copy) FROM"
            f" (SELECT *, unnest(range(__n::BIGINT)) AS __copy FROM ({net}))"
        )


def create(
    connection: duckdb.DuckDBPyConnection, table: str, columns: Schema, rows: Iterable[Row]
) -> None:
    """Make a table of these rows, in the place of an older one."""
    names = ", ".join(c.name for c in columns)
    cells = ", ".join(
        f"({', '.join(sql(v, c.type) for v, c in zip(row, columns, strict=True))})" for row in rows
    )
    nothing = ", ".join(sql(None, c.type) for c in columns)
    values = to_duckdb(f"(VALUES {cells or f'({nothing})'}) AS made({names})")
    where = "" if cells else " WHERE false"
    connection.execute(f"CREATE OR REPLACE TABLE {table} AS SELECT {names} FROM {values}{where}")


def _is_set(relation: Relation) -> bool:
    """Whether the relation is said to have no duplicates."""
    match relation:
        case SetOperation(all=every):
            return not every
        case _:
            return isinstance(relation, Distinct)


def _range(engine: DuckEngine, table: str, field: str, type: str) -> Range | None:
    return engine.range(Computed(table, 0), Column(field, type))


def _table(kept: Kept) -> str:
    return f"state_{kept.name}"


def _changed(case: Case, batch: Batch) -> frozenset[str]:
    """The tables that changed; now and then also those that only may have."""
    if len(batch) % 4 == 3:
        return frozenset(case.tables)
    return frozenset(change.table for change in batch)
