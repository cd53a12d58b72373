"""Refreshing one view: under its lock, at the versions of the run, by one commit.

What changed is derived from the changes of the sources where that is possible; the whole view is
computed where it is not. The protocol around both is the one of docs/commit-protocol.md.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from rollview.algebra.definition import Definition, ReasonCode, Source
from rollview.algebra.traverse import walk
from rollview.analysis.constraints import constraints
from rollview.errors import (
    BadQuery,
    Conflict,
    DeltaMismatch,
    DependencyChanged,
    KeyViolated,
    NotIncremental,
    RollviewError,
    SourceChanged,
)
from rollview.frontend.define import define
from rollview.frontend.scope import scoped
from rollview.maintenance.clock import CLOCK, Clock
from rollview.maintenance.prepare import Prepared
from rollview.maintenance.strategies import strategy_of
from rollview.planning.verdict import maintained, obstacles
from rollview.runtime import changed, costs, history, worker
from rollview.runtime.catalog import Catalog, StoredView
from rollview.runtime.contents import contents
from rollview.runtime.incremental import Task, derive, has_ticked, obstacle
from rollview.runtime.lake import Lake
from rollview.runtime.moment import clock
from rollview.runtime.pinning import DEFINITION, Run
from rollview.runtime.public import managed_names
from rollview.runtime.report import Mode, Policy, RefreshReport
from rollview.runtime.spark_engine import SparkEngine
from rollview.runtime.standing import KEYS, Standing, standing, tested
from rollview.storage.change import Replace
from rollview.storage.vector import Position, Vector, base_versions
from rollview.storage.view_store import ViewStore, Watermark

Progress = Callable[[str, str, str], None]
_CLOCK_OR_CHANCE = (ReasonCode.NON_DETERMINISTIC, ReasonCode.TIME_DEPENDENT)
_CLEANING = 20  # refreshes between two removals of data files that nobody can read any more
_log = logging.getLogger("rollview")


@dataclass(frozen=True)
class Request:
    """What the caller asked of a refresh."""

    full: bool = False
    cascade: bool = True
    progress: Progress | None = None
    turn: threading.Lock = field(default_factory=threading.Lock, compare=False)

    def tell(self, event: str, view: str, detail: str = "") -> None:
        if self.progress is not None:
            with self.turn:
                self.progress(event, view, detail)


def refresh_view(
    lake: Lake,
    catalog: Catalog,
    run: Run,
    view: StoredView,
    request: Request,
    give_up: threading.Event,
) -> RefreshReport:
    """Bring one view to the versions of the run. Raises Conflict if somebody else interferes."""
    done = worker.run(
        lake.spark,
        f"refresh {view.name}",
        lambda: _locked_refresh(lake, catalog, run, view.name, request),
        left="the view keeps its old contents",
        too_late=f"the refresh of {view.name} was already committed",
        give_up=give_up,
    )
    return replace(done.result, jobs=done.jobs, bytes_read=done.bytes_read)


def _locked_refresh(
    lake: Lake, catalog: Catalog, run: Run, name: str, request: Request
) -> RefreshReport:
    view = catalog.get(name)  # again: it may have been replaced since the run began
    with (
        lake.locked(view.view_id, f"refresh {view.name}") as after_a_crash,
        worker.evaluation(view.name, lake.java),
    ):
        started = time.monotonic()
        session = scoped(lake.spark, view.definition.settings)
        store = view.rows(lake, session)
        store.tidy(alone=lake.files.local, after_a_crash=after_a_crash)
        history.prune(lake, view.view_id)
        watermark = store.watermark()
        _check_not_overtaken(catalog, run, view, watermark)
        definition, rebuilt = _present_definition(lake, catalog, run, session, view, watermark)
        vector = run.vector(session, definition)
        old = watermark.vector if watermark is not None else None
        known = standing(lake, view, definition, old)
        work = _Work(lake, run, session, view, definition, store, watermark, vector, rebuilt, known)
        decision = _decide(work, request.full)
        planned = time.monotonic()
        if decision is None:
            return _report(work, Mode.NOOP, None, {"plan": planned - started})
        report = _carried_out(work, decision, request)
        if rebuilt:
            with lake.locked("lake", f"rebuild {view.name}"):
                catalog.replace(replace(view, definition=definition), view.view_id)
        if report.number is not None and report.number % _CLEANING == 0:
            _clean(store)
        seconds = {"plan": planned - started, **report.seconds}
        return replace(report, seconds={phase: round(s, 3) for phase, s in seconds.items()})


@dataclass(frozen=True)
class _Work:
    """One view in one run."""

    lake: Lake
    run: Run
    session: SparkSession
    view: StoredView
    definition: Definition
    store: ViewStore[DataFrame]
    watermark: Watermark | None
    vector: Vector
    rebuilt: str | None
    known: Standing

    @property
    def after(self) -> int:
        """The refresh number that the view has now."""
        return self.watermark.number if self.watermark is not None else 0


@dataclass(frozen=True)
class _Decision:
    """What has to be done: the whole view, or (``task``) what changed; and why."""

    why: str
    task: Task | None = None


def _carried_out(work: _Work, decision: _Decision, request: Request) -> RefreshReport:
    if decision.task is None:
        return _recomputed(work, decision.why, request)
    try:
        return _maintained(work, decision.task, decision.why, request)
    except (PySparkException, Py4JJavaError, DeltaMismatch, KeyViolated) as failure:
        if work.view.policy is Policy.STRICT:
            raise
        if isinstance(failure, DeltaMismatch | KeyViolated):
            said = failure.message
        else:
            said = worker.cause(failure)
        _log.warning("%s could not be refreshed from changes: %s", work.view.name, said)
        why = f"the change could not be derived ({said}); {decision.why}"
        return _recomputed(work, why, request)


def _maintained(work: _Work, task: Task, why: str, request: Request) -> RefreshReport:
    """Derive the change and commit it."""
    started = time.monotonic()
    request.tell("derive", work.view.name, why)
    with SparkEngine(work.session, java=work.lake.java) as engine:
        derived = derive(task, engine)
        computed = time.monotonic()
        if isinstance(derived, str):
            return _recomputed(work, f"{derived}; {why}", request)
        if not task.moved and derived.is_nothing(work.watermark):
            return _report(work, Mode.NOOP, None, {"derive": computed - started})
        vector = _with_keys_checked(work, task.prepared)
        committed = work.store.commit(derived.change, work.after, vector, derived.state)
    seconds = {"derive": computed - started, "commit": time.monotonic() - computed}
    reasons = "; ".join(dict.fromkeys(reason.message for reason in derived.reasons))
    report = _report(work, derived.mode, f"{why}; {reasons}" if reasons else why, seconds)
    return replace(
        report,
        strategy=strategy_of(work.view.choice).name,
        rows_changed=dict(derived.changed),
        rows_irrelevant=derived.irrelevant,
        rows_inserted=derived.counts.inserted,
        rows_updated=derived.counts.updated,
        rows_deleted=derived.counts.deleted,
        rows=committed.rows,
        number=committed.number,
    )


def _with_keys_checked(work: _Work, prepared: Prepared) -> Vector:
    """The vector with what holds at it: what the refresh looked at, and what is new and holds."""
    known = work.known
    if not known.names:
        return work.vector
    held, broken = known.usable, known.all.without((*known.usable.all, *known.untested.all))
    if known.untested:
        leaves = work.run.leaves(work.session, work.definition, work.vector)
        new, bad = tested(work.session, work.definition, known.untested, leaves)
        held, broken = constraints((*held.all, *new.all)), constraints((*broken.all, *bad.all))
    return {**work.vector, KEYS: known.position(held.all, prepared.relies, broken.all)}


def _recomputed(work: _Work, why: str, request: Request) -> RefreshReport:
    """Compute the whole view and commit it."""
    started = time.monotonic()
    if work.view.policy is Policy.INCREMENTAL:
        _log.warning("%s is recomputed as a whole: %s", work.view.name, why)
    request.tell("recompute", work.view.name, why)
    leaves = work.run.leaves(work.session, work.definition, work.vector)
    moment = work.vector.get(CLOCK)
    held, broken = tested(work.session, work.definition, work.known.all, leaves)
    for one in broken.all:
        _log.warning("%s is not made use of by %s: it does not hold", one, work.view.name)
    found = contents(
        work.session,
        work.definition,
        leaves,
        work.store,
        work.view.policy,
        moment,
        work.view.choice,
        held,
        self_maintaining=work.view.self_maintaining,
    )
    vector = work.vector
    if work.known.names:
        vector = {**vector, KEYS: work.known.position(held.all, found.relies, broken.all)}
    committed = work.store.commit(Replace(found.rows), work.after, vector, found.state)
    report = _report(work, Mode.FULL, why, {"commit": time.monotonic() - started})
    return replace(report, rows=committed.rows, number=committed.number)


def _check_not_overtaken(
    catalog: Catalog, run: Run, view: StoredView, watermark: Watermark | None
) -> None:
    """Raise Conflict if somebody else refreshed or replaced the view since the run began."""
    number = None if watermark is None else watermark.number
    if number != run.number_at_start(view) or catalog.get(view.name).view_id != view.view_id:
        raise Conflict(
            f"the view {view.name} was refreshed or replaced by somebody else meanwhile",
            hint="refresh again; usually nothing is left to do",
        )


def _clean(store: ViewStore[DataFrame]) -> None:
    """The refresh is committed: what goes wrong from here on is no failure of it."""
    try:
        store.backing.clean()
    except (PySparkException, Py4JJavaError) as failure:
        said = worker.cause(failure)
        _log.warning("old files of %s were not removed: %s", store.view, said)


def _present_definition(
    lake: Lake,
    catalog: Catalog,
    run: Run,
    session: SparkSession,
    view: StoredView,
    watermark: Watermark | None,
) -> tuple[Definition, str | None]:
    """The definition to refresh by, and why it was rebuilt if it was."""
    reasons: list[str] = []
    error: type[RollviewError] = DependencyChanged
    redefined = changed.changed_dependencies(session, view)
    if redefined:
        reasons.append(changed.check_dependency_policy(view, redefined))
    elif not changed.has_pattern(view.definition):  # which may stand for other files by now
        columns = changed.check_columns(run, session, view)
        reasons += [*columns.weaker, *columns.retyped]
        error = SourceChanged if columns.retyped else error
    inferred = changed.inferred_anew(run, session, view, watermark)
    if not reasons and not inferred and not _is_moving(view.definition):
        return view.definition, None
    if view.definition.text is None:
        return replace(view.definition, relation=None), "; ".join(reasons) or None
    managed = managed_names(lake, catalog.readable()[0])
    try:
        definition = define(session, view.definition.text, managed=managed)
    except BadQuery as failure:
        if not reasons:
            raise
        cause = "; ".join(reasons)
        raise error(
            f"{cause}, and the query of {view.name} is none any more: {failure.message}",
            hint="undo the change, or create the view anew with replace=True (--replace)",
        ) from failure
    if not reasons and definition == view.definition:
        return definition, None
    if not reasons:
        files = f"{', '.join(inferred)}: there are other files or columns now"
        reasons.append(files if inferred else "it reads another moment")
    changed.check_same_columns(view, definition.columns, "; ".join(reasons), error)
    return definition, "; ".join(reasons)


def _is_moving(definition: Definition) -> bool:
    """Whether the very text means something else each time (``TIMESTAMP 'now'``)."""
    codes = {reason.code for reason in definition.reasons}
    return definition.relation is None and ReasonCode.TIME_DEPENDENT in codes


def _decide(work: _Work, full: bool) -> _Decision | None:
    """What has to be done; None if the stored rows are those the view should have."""
    whole = _why_whole(work, full)
    if whole is not None:
        return _checked(work, _Decision(whole), asked=full)
    old = (work.watermark and work.watermark.vector) or {}
    moved = tuple(source for source in work.definition.sources if _has_moved(work, source, old))
    ticks = clock(work.session, old, work.vector)
    if not moved and not has_ticked(work.definition, ticks):
        return None
    why = ", ".join(_moved(old.get(s.id), work.vector[s.id]) for s in moved)
    why = why or f"the clock has gone on to {work.vector[CLOCK].version}"
    return _checked(work, _by_changes(work, moved, old, why, ticks), asked=False)


def _why_whole(work: _Work, full: bool) -> str | None:
    """Why the view has to be recomputed whatever its sources did."""
    if full:
        return "a full refresh was asked for"
    if work.rebuilt:
        return work.rebuilt
    if work.watermark is None or work.watermark.vector is None:
        return "it is not known which versions the stored rows reflect"
    old = work.watermark.vector
    if DEFINITION in old and old[DEFINITION].version != work.vector[DEFINITION].version:
        return "the stored rows were computed by another definition"
    sources = [source for source in work.definition.sources if source.id in old]
    past = [s.name for s in sources if work.run.is_rewritten(work.session, s, old[s.id])]
    replaced = changed.replaced_sources(work.view, old, work.vector, past)
    if replaced:
        if set(replaced) <= set(past):
            return f"{', '.join(past)} was restored from a copy"
        return f"{', '.join(replaced)} was dropped and created anew"
    for reason in obstacles(work.definition):
        if reason.code in _CLOCK_OR_CHANCE:
            return reason.message
    return None


def _has_moved(work: _Work, source: Source, old: Vector) -> bool:
    if work.vector[source.id].same_as(old.get(source.id)):
        return False
    return source.id not in old or not work.run.same_rows(work.session, source, old[source.id])


def _by_changes(
    work: _Work, moved: tuple[Source, ...], old: Vector, why: str, ticks: Clock | None
) -> _Decision:
    """From the changes of the sources, if nothing stands in the way."""
    if work.view.policy is Policy.FULL:
        return _Decision(f"its policy is full; {why}")
    prepared = maintained(
        work.definition,
        work.view.choice,
        work.known.usable,
        work.known.usable_form,
        self_maintaining=work.view.self_maintaining,
    )
    if prepared is None or work.watermark is None:
        told = (*work.definition.reasons, *obstacles(work.definition, work.view.choice))
        because = "; ".join(dict.fromkeys(reason.message for reason in told))
        return _Decision(f"{because}; {why}" if because else why)
    if any(source.id not in old for source in moved):
        return _Decision(f"a source is new; {why}")
    if ticks is None and CLOCK in work.vector:
        return _Decision(f"it is not known when the stored rows were selected; {why}")
    task = Task(
        run=work.run,
        session=work.session,
        definition=work.definition,
        prepared=prepared,
        store=work.store,
        watermark=work.watermark,
        old=old,
        new=work.vector,
        moved=moved,
        cost_decides=work.view.policy is Policy.AUTO,
        clock=ticks,
        is_read=work.run.is_read(work.view),
    )
    found = obstacle(task)
    if found is None and task.cost_decides:
        past = history.read(work.lake, work.view.view_id, costs.LOOKED_AT)
        found = costs.why_whole(past, sum(1 for _ in walk(prepared.relation)))
    return _Decision(why, task) if found is None else _Decision(f"{found}; {why}")


def _checked(work: _Work, decision: _Decision, *, asked: bool) -> _Decision:
    """Raise NotIncremental if the policy does not allow what has to be done."""
    if decision.task is None and work.view.policy is Policy.STRICT and not asked:
        raise NotIncremental(
            f"{work.view.name} would have to be recomputed as a whole, which its policy strict "
            f"does not allow: {decision.why}",
            hint="refresh it once with full=True (--full), or give it another policy",
        )
    return decision


def _moved(old: Position | None, new: Position) -> str:
    before = old.version if old is not None else "unknown"
    return f"{new.name} went from {before} to {new.version}"


def _report(
    work: _Work, mode: Mode, reason: str | None, seconds: dict[str, float]
) -> RefreshReport:
    watermark = work.watermark
    old = watermark.vector if watermark is not None and watermark.vector is not None else {}
    return RefreshReport(
        view=work.view.name,
        mode=mode,
        strategy=None if mode is Mode.NOOP else "recompute",
        reason=reason,
        from_versions=dict(base_versions(old)),
        to_versions=dict(base_versions(work.vector)),
        rows=watermark.rows if watermark is not None else None,
        seconds={phase: round(spent, 3) for phase, spent in seconds.items()},
        number=watermark.number if watermark is not None else None,
    )
