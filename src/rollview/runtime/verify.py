"""Stored contents against the original query at the very versions that the view reflects."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from rollview.algebra.definition import Definition, ReasonCode
from rollview.errors import DefinitionCorrupt, SourceReplaced
from rollview.frontend.define import original
from rollview.frontend.scope import scoped
from rollview.maintenance.clock import CLOCK
from rollview.planning.verdict import is_left_to_chance
from rollview.runtime import worker
from rollview.runtime.broken_log import readable_log
from rollview.runtime.catalog import Catalog, StoredView
from rollview.runtime.changed import check_not_retyped
from rollview.runtime.compare import Difference, compare
from rollview.runtime.compute import recompute
from rollview.runtime.lake import Lake
from rollview.runtime.pinning import Run
from rollview.runtime.report import VerifyReport
from rollview.sql.quoting import quoted
from rollview.storage.vector import Position, Vector, base_versions
from rollview.storage.view_store import ViewStore, Watermark


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
    found, watermark, note = done.result
    comparable = not is_left_to_chance(view.definition)
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


def _verified(
    lake: Lake, catalog: Catalog, view: StoredView
) -> tuple[Difference, Watermark, str | None]:
    session = scoped(lake.spark, view.definition.settings)
    store = view.rows(lake, session)
    with readable_log(view):
        version, watermark = _settled(store)
    if watermark is None or watermark.vector is None:
        raise DefinitionCorrupt(
            f"it is not known which versions {view.name} reflects, so there is nothing to compare "
            "it with",
            hint=f'recompute it: refresh("{view.name}", full=True)',
        )
    with worker.evaluation(view.name, lake.java):
        leaves = _leaves(lake, catalog, session, view, watermark.vector)
        stored = store.backing.read(version)
        truth = original(session, view.definition, leaves)
        found = compare(stored, truth)
        if not found:
            return found, watermark, None
        moment = watermark.vector.get(CLOCK)
        if moment is None:
            certain = _compare_certain(view.definition, stored, truth)
            if certain is not None:
                return certain, watermark, _note(view.definition)
        found, note = _compare_by_rule(session, view.definition, leaves, stored, found, moment)
        return found, watermark, note


def _settled(store: ViewStore[DataFrame]) -> tuple[str, Watermark | None]:
    """The version that readers see, whoever wrote it, and the refresh that belongs to it."""
    while True:
        version = store.backing.current()
        watermark = store.watermark()
        if store.backing.current() == version:
            return version, watermark


def _compare_certain(
    definition: Definition, stored: DataFrame, truth: DataFrame
) -> Difference | None:
    """What differs in the columns that no tie can touch; None if nothing does."""
    if definition.tied == ("*",) or definition.relation is None:
        return None
    columns = _columns(definition, definition.tied)
    return compare(stored.select(*columns), truth.select(*columns)) or None


def _columns(definition: Definition, without: tuple[str, ...]) -> list[Column]:
    """The columns of the view but for some; where none is left, the rows can still be counted."""
    kept = [F.col(quoted(c.name)) for c in definition.columns if c.name not in without]
    return kept or [F.lit(1).alias("row")]


def _compare_by_rule(
    session: SparkSession,
    definition: Definition,
    leaves: Mapping[str, DataFrame],
    stored: DataFrame,
    found: Difference,
    moment: Position | None,
) -> tuple[Difference, str | None]:
    """Differences that ties allow are none: the canonical definition decides, where there is one.

    So are those that the time since the refresh explains: the definition at its moment decides.
    Columns that two correct evaluations may disagree on are left out, and named.
    """
    by_rule = definition.canonical or definition.left_open or moment is not None
    if definition.relation is None or not by_rule:
        return found, _note(definition) if found else None
    if definition.left_open == ("*",):
        note = "which rows are in the result is left open by ties, so they were not compared"
        nothing = replace(found, missing=0, unexpected=0)
        return replace(nothing, missing_sample=[], unexpected_sample=[]), note
    expected = recompute(session, definition, leaves, moment)
    note = "compared with the canonical definition, in which all columns break ties"
    if moment is not None:
        note = f"compared with the query as of {moment.version}"
    if definition.left_open:
        note += f"; not compared, as rows may tie on them: {', '.join(definition.left_open)}"
    columns = _columns(definition, definition.left_open)
    return compare(stored.select(*columns), expected.select(*columns)), note


def _leaves(
    lake: Lake, catalog: Catalog, session: SparkSession, view: StoredView, vector: Vector
) -> dict[str, DataFrame]:
    run = Run(lake, catalog)
    now = run.vector(session, view.definition)
    for source in view.definition.sources:
        old = vector.get(source.id)
        if old is None:
            continue
        restored = run.is_rewritten(session, source, old)
        if restored or now[source.id].identity != old.identity:
            what = "restored from a copy" if restored else "dropped and created anew"
            raise SourceReplaced(
                f"{old.name} was {what}; the rows that {view.name} reflects are gone with the old "
                "one",
                hint=f'refresh it first: refresh("{view.name}")',
            )
    check_not_retyped(run, session, view)  # the original is analyzed by the columns of today
    return run.leaves(session, view.definition, vector)


def _note(definition: Definition) -> str | None:
    if is_left_to_chance(definition):
        return "the query may give another result each time, so differences mean nothing"
    if any(reason.code is ReasonCode.TIME_DEPENDENT for reason in definition.reasons):
        return "the query depends on the clock: it was compared with its result now"
    if definition.order_sensitive:
        pieces = ", ".join(definition.order_sensitive)
        return f"the result depends on the order of rows: {pieces}"
    return None
