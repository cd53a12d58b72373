"""How far views are behind their sources, without a Spark job."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field

from rollview.algebra.definition import ReasonCode, SourceKind
from rollview.errors import RollviewError
from rollview.frontend.scope import scoped
from rollview.maintenance.clock import CLOCK
from rollview.planning.verdict import obstacles
from rollview.runtime import history
from rollview.runtime.broken_log import watermark_of
from rollview.runtime.catalog import Catalog, StoredView, key_of
from rollview.runtime.changed import changed_dependencies
from rollview.runtime.incremental import has_ticked
from rollview.runtime.lake import Lake
from rollview.runtime.moment import clock
from rollview.runtime.pinning import Run
from rollview.runtime.report import Mode, ViewInfo, ViewStatus
from rollview.storage.tables import active
from rollview.storage.vector import Vector, base_versions
from rollview.storage.view_store import Watermark

_GOOD = (Mode.NOOP, Mode.INCREMENTAL, Mode.PARTIAL, Mode.FULL)
_log = logging.getLogger("rollview")


def list_views(catalog: Catalog) -> list[ViewInfo]:
    """Every view, by name; one whose definition cannot be read is warned of."""
    views, errors = catalog.readable()
    for error in errors.values():
        _log.warning("%s", error.message)
    return [info(view) for _, view in sorted(views.items())]


def info(view: StoredView) -> ViewInfo:
    """One view, as ``views()`` lists it."""
    definition = view.definition
    return ViewInfo(
        name=view.name,
        policy=view.policy,
        query=definition.text or "(a DataFrame)",
        columns=[str(column) for column in definition.columns],
        sources=[source.name for source in definition.sources],
        store=view.store,
        created_at=view.created_at,
    )


def statuses(lake: Lake, catalog: Catalog, name: str | None) -> list[ViewStatus]:
    """The status of one view or of all; one that cannot be read has its problem told."""
    if name is not None:
        view = catalog.get(name)
        return [_status(_Look(lake, Run(lake, catalog), catalog.readable()[0]), view)]
    views, errors = catalog.readable()
    look = _Look(lake, Run(lake, catalog), views)
    found = [_status(look, view) for _, view in sorted(views.items())]
    return found + [_broken(key, error) for key, error in errors.items()]


@dataclass(frozen=True)
class _Look:
    """One look at some views, and which were found to be fresh or not."""

    lake: Lake
    run: Run
    views: Mapping[str, StoredView]
    fresh: dict[str, bool] = field(default_factory=dict)

    def is_fresh(self, view: StoredView) -> bool:
        """Whether the view shows what its query gives now, views below it included."""
        if view.view_id not in self.fresh:
            self.fresh[view.view_id] = _is_fresh(self, view)
        return self.fresh[view.view_id]


def _status(look: _Look, view: StoredView) -> ViewStatus:
    lake = look.lake
    last = next((r for r in history.read(lake, view.view_id, 20) if r.mode in _GOOD), None)
    watermark: Watermark | None = None
    current: dict[str, str | None] = {}
    fresh, problem = False, None
    try:
        watermark = watermark_of(lake, lake.work, view)
        fresh = look.is_fresh(view)
        current = _current(look, view)
    except RollviewError as error:
        problem = error.to_dict()
    vector = {} if watermark is None or watermark.vector is None else watermark.vector
    return ViewStatus(
        name=view.name,
        fresh=fresh,
        rows=watermark.rows if watermark is not None else None,
        reflects=dict(base_versions(vector)),
        current=current,
        last_refresh=last.finished_at if last is not None else None,
        problem=problem,
    )


def _is_fresh(look: _Look, view: StoredView) -> bool:
    lake, run, views = look.lake, look.run, look.views
    watermark = watermark_of(lake, lake.work, view)
    if watermark is None or watermark.vector is None:
        return False
    now = run.vector(lake.work, view.definition)
    for source in view.definition.sources:
        old = watermark.vector.get(source.id)
        if not now[source.id].same_as(old) and not (
            old is not None and run.same_rows(lake.work, source, old)
        ):
            return False
    if _means_something_else(lake, view, watermark.vector, now):
        return False
    return all(look.is_fresh(views[key]) for key in view.reads() if key in views)


def _means_something_else(lake: Lake, view: StoredView, old: Vector, new: Vector) -> bool:
    """Whether the query gives other rows for the same tables: by the clock, or redefined parts."""
    definition = view.definition
    if any(reason.code is ReasonCode.TIME_DEPENDENT for reason in obstacles(definition)):
        return True
    if not definition.dependencies and CLOCK not in new:
        return False
    with active(lake.spark):
        session = scoped(lake.spark, definition.settings)
        if changed_dependencies(session, view):
            return True
        return has_ticked(definition, clock(session, old, new))


def _current(look: _Look, view: StoredView) -> dict[str, str | None]:
    """The versions that there are now, of every base table at any depth."""
    lake, run, views = look.lake, look.run, look.views
    found: dict[str, str | None] = {}
    for source in view.definition.sources:
        if source.kind is not SourceKind.VIEW:
            found[source.name] = run.state(lake.work, source).version
        elif key_of(source.name) in views:
            found |= _current(look, views[key_of(source.name)])
    return dict(sorted(found.items()))


def _broken(key: str, error: RollviewError) -> ViewStatus:
    return ViewStatus(
        name=key,
        fresh=False,
        rows=None,
        reflects={},
        current={},
        last_refresh=None,
        problem=error.to_dict(),
    )
