"""Deltas of real queries on Spark: old rows + derived delta = the original query on the new rows.

python -m tests.roundtrip.maintain                    everything
python -m tests.roundtrip.maintain --corpus --only window --rounds 3
"""

from __future__ import annotations

import argparse
import math
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import VariantVal

from rollview.algebra.definition import Definition, Source
from rollview.algebra.relations import Relation, State
from rollview.frontend.define import define, original
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.prepare import Prepared, prepare
from rollview.runtime.propagate import propagate
from rollview.runtime.spark_engine import SparkEngine
from rollview.sql.program import render_program
from rollview.sql.render import render
from rollview.testing import assert_same_rows, rows_of
from tests.roundtrip.cases import GROUPS, create_group_tables, load_cases
from tests.roundtrip.check import Case, Outcome, read_source
from tests.roundtrip.session import open_session

_SKIPPED = frozenset({"NON_DETERMINISTIC", "NOT_UNDERSTOOD", "TIME_DEPENDENT"})


@dataclass
class Tables:
    """The present rows of each source, as names of temporary views, and the next changes."""

    spark: SparkSession
    chance: random.Random
    now: dict[str, str]
    engine: SparkEngine

    def change(self, source: Source) -> tuple[str, str] | None:
        """Change a source at random: names of the changes and of the rows after; None if empty."""
        table = self.now[source.id]
        columns = self.spark.table(table).columns
        salt = self.chance.randrange(1000)
        numbered = f"SELECT *, monotonically_increasing_id() AS __n FROM {table}"
        numbered_rows = self.engine.compute("rows", numbered)
        if not numbered_rows.rows:
            return None
        rows = numbered_rows.table
        columns = [column.replace("`", "``") for column in columns]
        names = ", ".join(f"`{c}`" for c in columns)
        mixed = ", ".join(
            f"{self.chance.choice('aab')}.`{column}` AS `{column}`" for column in columns
        )
        part = self.chance.choice((3, 4, 6)) * (1 if numbered_rows.rows < 1000 else 20)
        minus = f"SELECT {names}, -1L AS __weight FROM {rows} WHERE hash(__n, {salt}) % {part} = 0"
        copies = f"SELECT {names}, 1L AS __weight FROM {rows} WHERE hash(__n, {salt}) % {part} = 1"
        new = (
            f"SELECT {mixed}, 1L AS __weight FROM {rows} a JOIN {rows} b "
            f"ON a.__n = b.__n + {salt % 5 + 1} WHERE hash(a.__n, {salt}) % {part} = 2"
        )
        kept = f"SELECT {names} FROM {rows} WHERE NOT hash(__n, {salt}) % {part} <=> 0"
        choice = self.chance.random()
        parts = (
            [minus, copies, new] if choice < 0.7 else [minus] if choice < 0.85 else [copies, new]
        )
        changes = self.engine.compute("changes", " UNION ALL ".join(parts)).table
        base = kept if minus in parts else f"SELECT {names} FROM {rows}"
        after = f"{base} UNION ALL SELECT {names} FROM {changes} WHERE __weight > 0"
        return changes, self.engine.compute("after", after).table


def check(spark: SparkSession, case: Case, seed: int, rounds: int) -> Outcome:
    """Several rounds of changes, the view and its state carried on from delta to delta."""
    spark.sql(f"USE {case.schema}")
    outcome = Outcome(case.id)
    if case.raises is not None or case.expect & _SKIPPED or any("." in e for e in case.expect):
        return outcome
    with outcome.stage("define"):
        query = case.query if isinstance(case.query, str) else case.query(spark)
        definition = define(spark, query, managed={})
    if outcome.failures or definition.relation is None:
        return outcome
    with SparkEngine(spark) as engine:
        now: dict[str, str] = {}
        with outcome.stage("read"):
            for source in definition.sources:
                now[source.id] = engine.hold(read_source(spark, source), source.id).table
        if outcome.failures or _wanted(spark, definition, now) is None:
            return outcome
        with outcome.stage("maintain"):
            tables = Tables(spark, random.Random(f"{seed} {case.id}"), now, engine)
            _maintain(spark, case, definition, tables, rounds, outcome)
    return outcome


def _wanted(spark: SparkSession, definition: Definition, now: dict[str, str]) -> list[Any] | None:
    """What the query gives on these rows; None if it fails: in some orders a sum overflows."""
    try:
        return _hashable(original(spark, definition, {s: spark.table(t) for s, t in now.items()}))
    except (PySparkException, Py4JJavaError):
        return None


def _maintain(
    spark: SparkSession,
    case: Case,
    definition: Definition,
    tables: Tables,
    rounds: int,
    outcome: Outcome,
) -> None:
    prepared = prepare(definition.relation)
    engine, chance = tables.engine, tables.chance
    states = dict(_first_states(prepared, tables.now, engine))
    leaves = {**tables.now, **{f"state {n}": t for n, t in states.items()}}
    first = spark.sql(render(_over_states(prepared.relation, prepared, whole=True), leaves))
    view = Counter(_hashable(first))
    for _ in range(rounds):
        changed: dict[str, tuple[str, str]] = {}
        candidates = [s for s in definition.sources if s.pinned is None]
        wanted = [s for s in candidates if chance.random() < 0.7] or candidates[:1]
        for source in wanted:
            found = tables.change(source)
            if found is not None:
                changed[source.id] = found
        leaves = {f"before {s}": t for s, t in tables.now.items()}
        for source_id, (changes, after) in changed.items():
            leaves[f"changes {source_id}"] = changes
            tables.now[source_id] = after
        leaves |= {f"after {s}": t for s, t in tables.now.items()}
        leaves |= {f"state {n}": t for n, t in states.items()}
        wanted_rows = _wanted(spark, definition, tables.now)
        if wanted_rows is None:
            return  # the changes made the query itself fail
        program = compile_delta(prepared, changed)
        try:
            done = propagate(program, leaves, engine)
        except (PySparkException, Py4JJavaError) as error:
            if "ARITHMETIC_OVERFLOW" not in str(error):
                raise
            return  # the changes alone overflow; a refresh recomputes the view then
        outcome.sql = render_program(program, prepared)
        if done.delta is not None:
            _add(view, spark.table(done.delta.table))
        states = _next_states(spark, prepared, states, done.states, engine)
        assert_follows(case, definition, view, wanted_rows, lambda: _canonical(definition, tables))


def _first_states(
    prepared: Prepared, now: dict[str, str], engine: SparkEngine
) -> Iterator[tuple[str, str]]:
    found: dict[str, str] = {}
    for kept in prepared.kept:
        leaves = {**now, **{f"state {n}": t for n, t in found.items()}}
        relation = _over_states(kept.relation, prepared)
        found[kept.name] = engine.compute(kept.name, render(relation, leaves)).table
        yield kept.name, found[kept.name]


def _over_states(relation: Relation, prepared: Prepared, whole: bool = False) -> Relation:
    """The relation over the states of the kept operators below it."""
    names = {kept.relation: kept.name for kept in prepared.kept}

    def visit(node: Relation, top: bool) -> Relation:
        from rollview.algebra.traverse import inputs, with_inputs

        if node in names and not top:
            return State(names[node], node.columns)
        return with_inputs(node, tuple(visit(child, False) for child in inputs(node)))

    return visit(relation, not whole)


def _next_states(
    spark: SparkSession,
    prepared: Prepared,
    states: dict[str, str],
    changes: Any,
    engine: SparkEngine,
) -> dict[str, str]:
    found = {}
    for kept in prepared.kept:
        if kept.name not in changes:
            found[kept.name] = states[kept.name]
            continue
        old = spark.table(states[kept.name])
        delta = spark.table(changes[kept.name].table)
        plus = delta.where("__weight > 0").drop("__weight")
        minus = delta.where("__weight < 0").drop("__weight")
        found[kept.name] = engine.hold(old.unionAll(plus).exceptAll(minus), kept.name).table
    return found


def _hashable(frame: DataFrame) -> list[Any]:
    return [_frozen(row) for row in rows_of(frame)]


def _frozen(value: Any) -> Any:
    """The value as something that can be counted."""
    if isinstance(value, list | tuple):
        return tuple(_frozen(item) for item in value)
    if isinstance(value, dict):
        return _Map(sorted(((_frozen(k), _frozen(v)) for k, v in value.items()), key=repr))
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, VariantVal):
        return ("variant", value.toJson())  # unlike a string of that text
    return _NAN if isinstance(value, float) and math.isnan(value) else value


_NAN = math.nan  # one object, which is found again in a dictionary


class _Map(tuple[Any, ...]):
    """The entries of a map."""


def _add(view: Counter[Any], delta: DataFrame) -> None:
    for row in _hashable(delta):
        view[row[:-1]] += row[-1]
    negative = [row for row, count in view.items() if count < 0]
    assert not negative, f"removed, but not there: {negative[:3]}"


def assert_follows(
    case: Case,
    definition: Definition,
    view: Counter[Any],
    expected: list[Any],
    canonical: Callable[[], list[Any]],
) -> None:
    """With the original; where ties let it choose, with the canonical definition, as `verify`."""
    rows = list(view.elements())
    names = [column.name for column in definition.columns]
    if case.determined is not None:
        _assert_same(rows, expected, [names.index(name) for name in case.determined])
        return
    try:
        assert_same_rows(rows, expected)
    except AssertionError:
        if not definition.canonical and not definition.left_open:
            raise
        if definition.tied != ("*",):
            certain = [at for at, name in enumerate(names) if name not in definition.tied]
            _assert_same(rows, expected, certain)
        if definition.left_open != ("*",):
            told = [at for at, name in enumerate(names) if name not in definition.left_open]
            _assert_same(rows, canonical(), told)


def _assert_same(rows: list[Any], expected: list[Any], positions: list[int]) -> None:
    """The rows are the same in some of their columns."""
    cut = [[tuple(row[at] for at in positions) for row in some] for some in (rows, expected)]
    assert_same_rows(cut[0], cut[1])


def _canonical(definition: Definition, tables: Tables) -> list[Any]:
    """The rows by the stored definition, in which all columns break ties."""
    assert definition.relation is not None
    return _hashable(tables.spark.sql(render(definition.relation, tables.now)))


def main() -> int:
    """Run, print, and answer with the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.roundtrip.maintain")
    parser.add_argument("--only", default="")
    for group in GROUPS:
        parser.add_argument(f"--{group}", action="store_true")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--sql", action="store_true")
    options = parser.parse_args()
    groups = {group for group in GROUPS if getattr(options, group)} or set(GROUPS)
    cases = [case for group in GROUPS if group in groups for case in load_cases(group)]
    cases = [case for case in cases if re.search(options.only, case.id)]
    print(f"seed {options.seed}")
    failed = 0
    with tempfile.TemporaryDirectory(prefix="rollview-maintain-") as folder:
        spark = open_session(Path(folder))
        create_group_tables(spark, groups)
        for case in cases:
            started = time.perf_counter()
            outcome = check(spark, case, options.seed, options.rounds)
            spark.catalog.clearCache()
            for stage, message in outcome.failures.items():
                failed += 1
                short = " | ".join(line for line in message.splitlines() if line.strip())[:700]
                print(f"FAIL {case.id} [{stage}] {short}", flush=True)
                if options.sql:
                    print(outcome.sql)
            if not outcome.failures:
                print(f"ok   {case.id} {time.perf_counter() - started:.1f}s", flush=True)
        spark.stop()
    print(f"{len(cases) - failed} of {len(cases)} hold")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
