"""The change of one view, derived from the changes of its sources.

Everything that can stand in the way is found out before anything is computed (`obstacle`); what
goes wrong while computing is told by the errors of `derive`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from rollview.algebra.definition import Definition, Reason, Source
from rollview.analysis.keys import key_of
from rollview.analysis.relevance.changes import Relevance
from rollview.maintenance.clock import CLOCK, SYMBOLIC, Clock, functions_in
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.prepare import Prepared
from rollview.maintenance.program import Program
from rollview.maintenance.relevant import relevant_changes
from rollview.maintenance.strategies import strategy_of
from rollview.runtime import moves
from rollview.runtime.compute import spare_subqueries
from rollview.runtime.contents import columns_of
from rollview.runtime.pinning import Run
from rollview.runtime.propagate import Propagated, propagate
from rollview.runtime.relevant import mattering
from rollview.runtime.report import Mode
from rollview.runtime.spark_engine import SparkEngine
from rollview.sql.quoting import quoted
from rollview.storage.base import WEIGHT
from rollview.storage.change import Append, Change, Merge, Rewrite, Unchanged, Way, way_to_apply
from rollview.storage.vector import State, Vector
from rollview.storage.view_store import ViewStore, Watermark

_SMALL = 50_000  # changed rows up to which the results of steps are held by the driver
_FEW = 1_000  # changed rows that are always carried through
_LARGE_SHARE = 0.3  # of the rows of a source, from which recomputing is taken to be faster


@dataclass(frozen=True)
class Counts:
    """How many rows of the view a delta concerns."""

    inserted: int
    updated: int
    deleted: int


@dataclass(frozen=True)
class Derived:
    """A change of the view, ready to be committed with the state that belongs to it."""

    change: Change[DataFrame]
    state: State
    mode: Mode
    reasons: tuple[Reason, ...]
    changed: Mapping[str, int]
    irrelevant: int
    counts: Counts

    def is_nothing(self, before: Watermark | None) -> bool:
        """Whether neither rows nor state are others than before."""
        same = before is not None and before.state == self.state
        return same and self.counts == Counts(0, 0, 0)


@dataclass(frozen=True)
class Task:
    """One incremental refresh: from the positions of the watermark to those of the run."""

    run: Run
    session: SparkSession
    definition: Definition
    prepared: Prepared
    store: ViewStore[DataFrame]
    watermark: Watermark
    old: Vector
    new: Vector
    moved: tuple[Source, ...]
    cost_decides: bool
    clock: Clock | None = None
    """What the clock said and says, if the view depends on it."""
    is_read: bool = False
    """Whether other views read this one, and want to know its change."""


def obstacle(task: Task) -> str | None:
    """Why the change cannot be derived, as far as that is known beforehand; None if it can."""
    wanted = {kept.name for kept in task.prepared.kept}
    absent = wanted - task.watermark.state.keys()
    lost = task.store.segments.missing(
        {name: s for name, s in task.watermark.state.items() if name in wanted}
    )
    if absent or lost:
        return "the state of some operators is not there"
    for source in task.moved:
        old, new = task.old[source.id], task.new[source.id]
        found = moves.obstacle(task.run, task.session, source, old, new)
        if found is not None:
            return found
    return None


class Leaves(Mapping[str, str]):
    """Names of the leaves of a program, each made when it is first asked for.

    What no step needs is not planned, and need not even be there.
    """

    def __init__(self, made: Mapping[str, str], makers: Mapping[str, Callable[[], str]]) -> None:
        self._made = dict(made)
        self._makers = makers

    def __getitem__(self, leaf: str) -> str:
        if leaf not in self._made:
            self._made[leaf] = self._makers[leaf]()
        return self._made[leaf]

    def __contains__(self, leaf: object) -> bool:
        return leaf in self._made or leaf in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter({**self._made, **self._makers})

    def __len__(self) -> int:
        return len({**self._made, **self._makers})


def derive(task: Task, engine: SparkEngine) -> Derived | str:
    """The change of the view; Spark's own errors are raised as they come.

    If cost decides and so much has changed that the whole view is cheaper, says so instead.
    """
    relevance = relevant_changes(task.prepared, task.clock or SYMBOLIC)
    changes = _read_changes(task, engine, relevance)
    if task.cost_decides:
        found = _too_much(task, changes.mattering)
        if found is not None:
            return found
    if not changes.moving:
        return _nothing(task, changes)
    made, makers = dict(changes.leaves), dict(changes.makers)
    engine.small = sum(changes.mattering.values()) <= _SMALL
    for source in task.definition.sources:
        makers[f"after {source.id}"] = partial(_after, task, engine, source)
    for kept in task.prepared.kept:
        segments = task.watermark.state[kept.name]
        rows = task.store.segments.read(kept.name, segments, columns_of(kept.columns))
        made[f"state {kept.name}"] = engine.name(rows, kept.name)
    program = _program(task, changes.moving, relevance)
    spare_subqueries(task.session, task.prepared.relation)
    done = propagate(program, Leaves(made, makers), engine)
    change, counts = _change(task, engine, done)
    return Derived(
        change=change,
        state=_state(task, engine, done),
        mode=Mode.PARTIAL if done.reasons else Mode.INCREMENTAL,
        reasons=done.reasons,
        changed=changes.by_name(task),
        irrelevant=changes.irrelevant,
        counts=counts,
    )


@dataclass(frozen=True)
class _Changes:
    """How many rows of each source changed, how many of these can matter, and the leaves of both.

    ``makers`` are of leaves that are made when they are asked for: the rows before.

    ``moving`` are the sources that the program has to know of, the clock among them. A source of
    which nothing matters is none, if the clock has not gone on: the view is the same over its rows
    before and after. What the clock lets go is looked for in the rows before.
    """

    changed: Mapping[str, int]
    mattering: Mapping[str, int]
    moving: tuple[str, ...]
    leaves: Mapping[str, str]
    makers: Mapping[str, Callable[[], str]]

    @property
    def irrelevant(self) -> int:
        return sum(self.changed.values()) - sum(self.mattering.values())

    def by_name(self, task: Task) -> dict[str, int]:
        return {source.name: self.changed[source.id] for source in task.moved}


def _nothing(task: Task, changes: _Changes) -> Derived:
    """No change of any source can matter: the view reflects other versions, and no other rows."""
    return Derived(
        change=Unchanged(),
        state={kept.name: task.watermark.state[kept.name] for kept in task.prepared.kept},
        mode=Mode.INCREMENTAL,
        reasons=(),
        changed=changes.by_name(task),
        irrelevant=changes.irrelevant,
        counts=Counts(0, 0, 0),
    )


def _program(task: Task, changed: tuple[str, ...], relevance: Relevance) -> Program:
    return compile_delta(task.prepared, changed, task.clock or SYMBOLIC, relevance)


def has_ticked(definition: Definition, clock: Clock | None) -> bool:
    """Whether the clock says something else to the view than it did at the last refresh."""
    if clock is None or definition.relation is None:
        return False
    asked = functions_in(definition.relation)
    return any(clock.before[kind] != clock.after[kind] for kind in asked)


def _after(task: Task, engine: SparkEngine, source: Source) -> str:
    rows = task.run.leaf(task.session, source, task.new[source.id])
    return engine.name(rows, f"after_{source.id}")


def _before(task: Task, engine: SparkEngine, source: Source, changes: DataFrame) -> str:
    old, new = task.old[source.id], task.new[source.id]
    rows = moves.before(task.run, task.session, source, old, new, changes)
    return engine.name(rows, f"before_{source.id}")


def _read_changes(task: Task, engine: SparkEngine, relevance: Relevance) -> _Changes:
    """The changes of every source that moved, their names, and how to name its rows before."""
    ticked = has_ticked(task.definition, task.clock)
    changed: dict[str, int] = {}
    found: dict[str, int] = {}
    moving: list[str] = []
    leaves: dict[str, str] = {}
    makers: dict[str, Callable[[], str]] = {}
    for source in task.moved:
        old, new = task.old[source.id], task.new[source.id]
        read = moves.changes(task.run, task.session, source, old, new)
        matters = mattering(task.session, engine, source, read, relevance)
        changed[source.id], found[source.id] = read.rows, matters.rows
        if matters.rows or (ticked and read.rows):
            moving.append(source.id)
            whole = read.frame(task.session)
            label = f"changes_{source.id}"
            leaves[f"changes {source.id}"] = (
                engine.name(whole.where(F.lit(False)), label)
                if matters.held is None
                else engine.keep(matters.held, label).table
            )
            makers[f"before {source.id}"] = partial(_before, task, engine, source, whole)
    if ticked:
        moving.append(CLOCK)
    return _Changes(changed, found, tuple(moving), leaves, makers)


def _too_much(task: Task, changed: Mapping[str, int]) -> str | None:
    """Why recomputing is taken to be cheaper; None if it is not. Only changes that matter count."""
    for source in task.moved:
        rows = moves.rows(task.run, task.session, source, task.new[source.id])
        share = _LARGE_SHARE * rows if rows is not None else None
        if share is not None and changed[source.id] > max(share, _FEW):
            return f"{changed[source.id]} rows of {source.name} changed, which now has {rows}"
    return None


def _change(task: Task, engine: SparkEngine, done: Propagated) -> tuple[Change[DataFrame], Counts]:
    """The delta of the view, net, and the way to apply it."""
    names = [column.name for column in task.prepared.relation.columns]
    if done.delta is None:
        return Unchanged(), Counts(0, 0, 0)
    key = key_of(task.prepared.relation, task.prepared.constraints)
    found = engine.net(done.delta, names, key)
    net, updated = found.rows, found.updated
    if not found.added and not found.removed:
        return Unchanged(), Counts(0, 0, 0)
    counts = Counts(found.added - updated, updated, found.removed - updated)
    merges = strategy_of(task.prepared.choice).merges
    match way_to_apply(task.watermark.rows, found.added, found.removed, merges=merges):
        case Way.APPEND:
            copies = F.array_repeat(F.lit(1), F.col(WEIGHT).cast("int"))
            spread = net.select(*[F.col(quoted(n)) for n in names], F.explode(copies)).drop("col")
            return Append(spread), counts
        case Way.MERGE:
            return Merge(net, task.is_read), counts
        case Way.REWRITE:
            left = (task.watermark.rows or 0) + found.added - found.removed
            return Rewrite(net, task.is_read, empties=left == 0), counts


def _state(task: Task, engine: SparkEngine, done: Propagated) -> State:
    """The segments of every kept operator after the change."""
    state = {}
    for kept in task.prepared.kept:
        segments = task.watermark.state[kept.name]
        if kept.name in done.states:
            names = [column.name for column in kept.columns]
            found = engine.net_of(done.states[kept.name], names)
            delta = task.session.table(found.table)
            columns = columns_of(kept.columns)
            segments = task.store.segments.advance(
                kept.name, segments, delta, found.rows, columns, net=True
            )
        state[kept.name] = segments
    return state
