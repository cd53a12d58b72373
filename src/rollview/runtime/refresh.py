"""Refreshing views: one pinned vector, dependency order, and another pass for the overtaken."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from datetime import UTC, datetime

from rollview.errors import (
    BadOption,
    Conflict,
    DependencyFailed,
    Interrupted,
    RollviewError,
    SparkDied,
)
from rollview.runtime import history, recovery
from rollview.runtime.catalog import Catalog, StoredView, key_of
from rollview.runtime.lake import Lake
from rollview.runtime.pinning import Run
from rollview.runtime.refresh_view import Request, refresh_view
from rollview.runtime.report import Mode, RefreshReport
from rollview.runtime.scheduler import in_order
from rollview.runtime.side_by_side import SideBySide
from rollview.storage import faults

# Being overtaken means that somebody else got on, so this ends; but not if a view is refreshed by
# others without a pause.
_PASSES = 12


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
    """Pass over the views; whoever is overtaken by another refresher starts over.

    The other one may have read newer versions than those pinned here: going on with the old ones
    would take the view back in time.
    """
    recovery.tidy(lake, catalog)
    outcomes: dict[str, Outcome] = {}
    for passes_left in reversed(range(_PASSES)):
        views = [catalog.find(view.name) or view for view in views]
        run = Run(lake, catalog)
        run.pin_all(views)
        try:
            if _pass_over(lake, catalog, run, views, request, outcomes, is_last=passes_left == 0):
                break
        finally:
            run.changes.close()
            run.lookups.close()
    return {key_of(view.name): outcomes[key_of(view.name)] for view in views}


def _pass_over(
    lake: Lake,
    catalog: Catalog,
    run: Run,
    views: list[StoredView],
    request: Request,
    outcomes: dict[str, Outcome],
    *,
    is_last: bool,
) -> bool:
    """Refresh each view once; False if somebody else interfered and a new pass is needed."""
    by_key = {key_of(view.name): view for view in views}
    graph = {key: [r for r in view.reads() if r in by_key] for key, view in by_key.items()}
    overtaken: set[str] = set()

    def work(key: str, give_up: threading.Event) -> Outcome | None:
        view = by_key[key]
        if overtaken & set(graph[key]):
            return None
        request.tell("start", view.name)
        bad = [r for r in graph[key] if not _is_done(outcomes.get(r))]
        if bad:
            return _skipped(view, bad[0], outcomes[bad[0]][1])
        return _attempt(lake, catalog, run, view, request, give_up)

    hands = min(lake.hands, len(views))
    with SideBySide(lake.spark, work, hands) as at_work:
        for piece in at_work.each(graph):
            key, outcome = piece.key, piece.result
            if outcome is None or (isinstance(outcome[1], Conflict) and not is_last):
                overtaken.add(key)
                continue
            if outcome[0].mode is Mode.NOOP and _is_done(outcomes.get(key)):
                continue  # an earlier pass did the work, and its report says so
            outcomes[key] = _with_share(outcome, piece.share) if hands > 1 else outcome
            faults.point("refresh.ended")
            history.record(lake, by_key[key].view_id, outcomes[key][0])
            request.tell("done", by_key[key].name, outcome[0].mode)
    return not overtaken


def _with_share(outcome: Outcome, share: float) -> Outcome:
    report, error = outcome
    return replace(report, seconds={**report.seconds, "share": round(share, 3)}), error


def _is_done(outcome: Outcome | None) -> bool:
    return outcome is not None and outcome[1] is None


def _attempt(
    lake: Lake,
    catalog: Catalog,
    run: Run,
    view: StoredView,
    request: Request,
    give_up: threading.Event,
) -> Outcome:
    started = time.monotonic()
    try:
        run.check_log(view)
        report = refresh_view(lake, catalog, run, view, request, give_up)
    except (Interrupted, SparkDied) as error:  # there is no use in going on to the next view
        history.record(lake, view.view_id, _failed(view.name, error))
        raise
    except RollviewError as error:
        return _failed(view.name, error), error
    seconds = {**report.seconds, "total": round(time.monotonic() - started, 3)}
    return replace(report, seconds=seconds, finished_at=datetime.now(UTC)), None


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
