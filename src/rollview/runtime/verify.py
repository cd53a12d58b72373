"""Stored contents against the original query at the very versions that the view reflects."""

from __future__ import annotations

import time

from pyspark.sql import DataFrame, SparkSession

from rollview.algebra.definition import Definition, ReasonCode
from rollview.errors import DefinitionCorrupt, SourceReplaced
from rollview.frontend.define import original
from rollview.frontend.scope import scoped
from rollview.runtime import worker
from rollview.runtime.catalog import Catalog, StoredView
from rollview.runtime.compare import Difference, compare
from rollview.runtime.lake import Lake
from rollview.runtime.pinning import Run
from rollview.runtime.report import VerifyReport
from rollview.storage.vector import Vector, base_versions
from rollview.storage.view_store import Watermark


def verify(lake: Lake, catalog: Catalog, name: str) -> VerifyReport:
    """Compare a view with its recomputation, as bags."""
    view = catalog.get(name)
    started = time.monotonic()
    done = worker.run(
        lake.spark,
        f"verify {view.name}",
        lambda: _verified(lake, catalog, view),
        left="nothing was changed",
    )
    found, watermark = done.result
    note = _note(view.definition) if found else None
    comparable = not _left_to_chance(view.definition)
    return VerifyReport(
        view=view.name,
        correct=not found or not comparable,
        rows=found.rows,
        missing=found.missing,
        unexpected=found.unexpected,
        missing_sample=found.missing_sample,
        unexpected_sample=found.unexpected_sample,
        versions=dict(base_versions(watermark.vector or {})),
        note=note,
        seconds=round(time.monotonic() - started, 3),
    )


def _verified(lake: Lake, catalog: Catalog, view: StoredView) -> tuple[Difference, Watermark]:
    session = scoped(lake.spark, view.definition.settings)
    store = view.rows(lake, session)
    watermark = store.watermark()
    if watermark is None or watermark.vector is None:
        raise DefinitionCorrupt(
            f"it is not known which versions {view.name} reflects, so there is nothing to compare "
            "it with",
            hint=f'recompute it: refresh("{view.name}", full=True)',
        )
    with worker.evaluation(view.name):
        expected = _expected(lake, catalog, session, view, watermark.vector)
        stored = store.backing.read(watermark.version)
        return compare(stored, expected), watermark


def _expected(
    lake: Lake, catalog: Catalog, session: SparkSession, view: StoredView, vector: Vector
) -> DataFrame:
    run = Run(lake, catalog)
    now = run.vector(session, view.definition)
    for source, position in vector.items():
        if source in now and now[source].identity != position.identity:
            raise SourceReplaced(
                f"{position.name} was dropped and created anew; the rows that {view.name} reflects "
                "are gone with the old one",
                hint=f'refresh it first: refresh("{view.name}")',
            )
    return original(session, view.definition, run.leaves(session, view.definition, vector))


def _left_to_chance(definition: Definition) -> bool:
    return any(reason.code is ReasonCode.NON_DETERMINISTIC for reason in definition.reasons)


def _note(definition: Definition) -> str | None:
    if _left_to_chance(definition):
        return "the query may give another result each time, so differences mean nothing"
    if any(reason.code is ReasonCode.TIME_DEPENDENT for reason in definition.reasons):
        return "the query depends on the clock: it was compared with its result now"
    if definition.order_sensitive:
        pieces = ", ".join(definition.order_sensitive)
        return f"the result depends on the order of rows: {pieces}"
    return None
