"""Refreshing views: one pinned vector, dependency order, one commit per view.

At present a view that is not up to date is recomputed as a whole; the protocol around it is the
one of docs/commit-protocol.md.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from pyspark.sql import SparkSession

from rollview.algebra.definition import Definition, ReasonCode
from rollview.errors import (
    BadOption,
    Conflict,
    DependencyFailed,
    Interrupted,
    RollviewError,
)
from rollview.frontend.define import define
from rollview.frontend.scope import scoped
from rollview.runtime import changed, history, recovery, worker
from rollview.runtime.catalog import Catalog, StoredView, key_of
from rollview.runtime.compute import recompute
from rollview.runtime.lake import Lake
from rollview.runtime.pinning import Run
from rollview.runtime.public import managed_names
from rollview.runtime.report import Mode, Policy, RefreshReport
from rollview.runtime.scheduler import in_order
from rollview.storage.vector import Position, Vector, base_versions
from rollview.storage.view_store import Watermark

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

    def tell(self, event: str, view: str, detail: str = "") -> None:
        if self.progress is not None:
            self.progress(event, view, detail)


def refresh_one(lake: Lake, catalog: Catalog, name: str, request: Request) -> RefreshReport:
    """Refresh a view, after the views it reads. Raises what went wrong with it."""
    target = catalog.get(name)
    views, _ = catalog.readable()
    keys = in_order(views, [key_of(target.name)]) if request.cascade else [key_of(target.name)]
    outcomes = _refresh_all(lake, catalog, [views[key] for key in keys], request)
    report, error = outcomes[key_of(target.name)]
    if error is not None:
        raise error
    return report


def refresh_every(lake: Lake, catalog: Catalog, request: Request) -> list[RefreshReport]:
    """Refresh all views in dependency order; what goes wrong with one is in its report."""
    views, unreadable = catalog.readable()
    keys = in_order(views, views)
    outcomes = _refresh_all(lake, catalog, [views[key] for key in keys], request)
    reports = [report for report, _ in outcomes.values()]
    return reports + [_failed(key, error) for key, error in unreadable.items()]


def check_point(to: object) -> None:
    """Views go to the newest versions only; a point in the past needs rolling propagation."""
    if to is not None:
        raise BadOption(
            f"a view cannot be refreshed to the point {to!r}: only to the newest versions",
            hint="leave out to=",
        )


Outcome = tuple[RefreshReport, RollviewError | None]


def _refresh_all(
    lake: Lake, catalog: Catalog, views: list[StoredView], request: Request
) -> dict[str, Outcome]:
    recovery.tidy(lake, catalog)
    run = Run(lake, catalog)
    run.pin_all(views)
    outcomes: dict[str, Outcome] = {}
    for view in views:
        bad = [r for r in view.reads() if r in outcomes and outcomes[r][1] is not None]
        request.tell("start", view.name)
        if bad:
            outcomes[key_of(view.name)] = _skipped(view, bad[0], outcomes[bad[0]][1])
        else:
            outcomes[key_of(view.name)] = _attempt(lake, catalog, run, view, request)
        report = outcomes[key_of(view.name)][0]
        history.record(lake, view.view_id, report)
        request.tell("done", view.name, report.mode)
    return outcomes


def _attempt(lake: Lake, catalog: Catalog, run: Run, view: StoredView, request: Request) -> Outcome:
    started = time.monotonic()
    try:
        try:
            report = _refresh_view(lake, catalog, run, view, request)
        except Conflict:  # somebody else refreshed it: look again, once
            report = _refresh_view(lake, catalog, run, view, request)
    except Interrupted as error:
        history.record(lake, view.view_id, _failed(view.name, error))
        raise
    except RollviewError as error:
        return _failed(view.name, error), error
    total = round(time.monotonic() - started, 3)
    seconds = {**report.seconds, "total": total}
    return replace(report, seconds=seconds, finished_at=datetime.now(UTC)), None


def _refresh_view(
    lake: Lake, catalog: Catalog, run: Run, view: StoredView, request: Request
) -> RefreshReport:
    done = worker.run(
        lake.spark,
        f"refresh {view.name}",
        lambda: _locked_refresh(lake, catalog, run, view.name, request),
        left="the view keeps its old contents",
        too_late=f"the refresh of {view.name} was already committed",
    )
    return replace(done.result, jobs=done.jobs, bytes_read=done.bytes_read)


def _locked_refresh(
    lake: Lake, catalog: Catalog, run: Run, name: str, request: Request
) -> RefreshReport:
    view = catalog.get(name)  # again: it may have been replaced since the run began
    with lake.locked(view.view_id, f"refresh {view.name}"), worker.evaluation(view.name):
        started = time.monotonic()
        session = scoped(lake.spark, view.definition.settings)
        store = view.rows(lake, session)
        store.tidy()
        history.prune(lake, view.view_id)
        watermark = store.watermark()
        definition, rebuilt = _present_definition(lake, catalog, run, session, view)
        vector = run.vector(session, definition)
        why = _why_full(run, session, view, definition, watermark, vector, request.full, rebuilt)
        planned = time.monotonic()
        if why is None:
            return _report(view, Mode.NOOP, watermark, vector, None, {"plan": planned - started})
        if view.policy is Policy.INCREMENTAL:
            _log.warning("%s is recomputed as a whole: %s", view.name, why)
        request.tell("recompute", view.name, why)
        rows = recompute(session, definition, run.leaves(session, definition, vector))
        after = watermark.number if watermark is not None else 0
        committed = store.commit(rows, after, vector)
        if committed.number % _CLEANING == 0:
            store.backing.clean()
        if rebuilt:
            catalog.replace(replace(view, definition=definition), view.view_id)
        seconds = {"plan": planned - started, "commit": time.monotonic() - planned}
        report = _report(view, Mode.FULL, watermark, vector, why, seconds)
        return replace(report, rows=committed.rows, number=committed.number)


def _present_definition(
    lake: Lake, catalog: Catalog, run: Run, session: SparkSession, view: StoredView
) -> tuple[Definition, str | None]:
    """The definition to refresh by, and why it was rebuilt if it was."""
    reasons: list[str] = []
    redefined = changed.changed_dependencies(session, view)
    if redefined:
        reasons.append(changed.check_dependency_policy(view, redefined))
    else:
        reasons += changed.check_columns(run, session, view)
    if not reasons:
        return view.definition, None
    if view.definition.text is None:
        return replace(view.definition, relation=None), "; ".join(reasons)
    managed = managed_names(lake, catalog.readable()[0])
    definition = define(session, view.definition.text, managed=managed)
    changed.check_same_columns(view, definition.columns, "; ".join(reasons))
    return definition, "; ".join(reasons)


def _why_full(
    run: Run,
    session: SparkSession,
    view: StoredView,
    definition: Definition,
    watermark: Watermark | None,
    vector: Vector,
    full: bool,
    rebuilt: str | None,
) -> str | None:
    """Why the view has to be recomputed; None if its rows are those it should have."""
    if full:
        return "a full refresh was asked for"
    if rebuilt:
        return rebuilt
    if watermark is None or watermark.vector is None:
        return "it is not known which versions the stored rows reflect"
    old = watermark.vector
    replaced = changed.replaced_sources(view, old, vector)
    if replaced:
        return f"{', '.join(replaced)} was dropped and created anew"
    for reason in definition.reasons:
        if reason.code in _CLOCK_OR_CHANCE:
            return reason.message
    moved = [
        source
        for source in definition.sources
        if not vector[source.id].same_as(old.get(source.id))
        and not (source.id in old and run.same_rows(session, source, old[source.id]))
    ]
    if not moved:
        return None
    return ", ".join(_moved(old.get(s.id), vector[s.id]) for s in moved)


def _moved(old: Position | None, new: Position) -> str:
    before = old.version if old is not None else "unknown"
    return f"{new.name} went from {before} to {new.version}"


def _report(
    view: StoredView,
    mode: Mode,
    watermark: Watermark | None,
    vector: Vector,
    reason: str | None,
    seconds: dict[str, float],
) -> RefreshReport:
    old = watermark.vector if watermark is not None and watermark.vector is not None else {}
    return RefreshReport(
        view=view.name,
        mode=mode,
        strategy=None if mode is Mode.NOOP else "recompute",
        reason=reason,
        from_versions=dict(base_versions(old)),
        to_versions=dict(base_versions(vector)),
        rows=watermark.rows if watermark is not None else None,
        seconds={phase: round(spent, 3) for phase, spent in seconds.items()},
        number=watermark.number if watermark is not None else None,
    )


def _failed(name: str, error: RollviewError) -> RefreshReport:
    return RefreshReport(
        view=name,
        mode=Mode.FAILED,
        reason=error.message,
        error=error.to_dict(),
        finished_at=datetime.now(UTC),
    )


def _skipped(view: StoredView, lower: str, cause: RollviewError | None) -> Outcome:
    because = f": {cause.message}" if cause is not None else ""
    error = DependencyFailed(
        f"{view.name} was not refreshed, since {lower}, which it reads, could not be{because}",
        hint=cause.hint if cause is not None else None,
    )
    report = replace(_failed(view.name, error), mode=Mode.SKIPPED)
    return report, error
