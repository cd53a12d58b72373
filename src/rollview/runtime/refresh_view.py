"""Refreshing one view: under its lock, at the versions of the run, by one commit.

At present a view that is not up to date is recomputed as a whole; the protocol around it is the
one of docs/commit-protocol.md.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from rollview.algebra.definition import Definition, ReasonCode
from rollview.errors import Conflict
from rollview.frontend.define import define
from rollview.frontend.scope import scoped
from rollview.frontend.translate import first_line
from rollview.runtime import changed, history, worker
from rollview.runtime.catalog import Catalog, StoredView
from rollview.runtime.compute import recompute
from rollview.runtime.lake import Lake
from rollview.runtime.pinning import Run
from rollview.runtime.public import managed_names
from rollview.runtime.report import Mode, Policy, RefreshReport
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

    def tell(self, event: str, view: str, detail: str = "") -> None:
        if self.progress is not None:
            self.progress(event, view, detail)


def refresh_view(
    lake: Lake, catalog: Catalog, run: Run, view: StoredView, request: Request
) -> RefreshReport:
    """Bring one view to the versions of the run. Raises Conflict if somebody else interferes."""
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
        committed = store.commit(Replace(rows), after, vector)
        if rebuilt:
            with lake.locked("lake", f"rebuild {view.name}"):
                catalog.replace(replace(view, definition=definition), view.view_id)
        if committed.number % _CLEANING == 0:
            _clean(store)
        seconds = {"plan": planned - started, "commit": time.monotonic() - planned}
        report = _report(view, Mode.FULL, watermark, vector, why, seconds)
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
    except PySparkException as failure:
        _log.warning("old files of %s were not removed: %s", store.view, first_line(failure))


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
