"""EXPLAIN for a stored view or for a query that is not one yet."""

from __future__ import annotations

from pyspark.sql import DataFrame

from rollview.algebra.definition import Definition, Source, SourceKind
from rollview.errors import RollviewError
from rollview.frontend.define import define
from rollview.planning import explain as planning
from rollview.planning.explanation import Explanation
from rollview.planning.verdict import Verdict, follows_clock, judge
from rollview.runtime.broken_log import watermark_of
from rollview.runtime.catalog import Catalog, StoredView
from rollview.runtime.estimates import Estimator, Subject, estimator
from rollview.runtime.lake import Lake
from rollview.runtime.pinning import Run
from rollview.runtime.public import managed_names, plain_name
from rollview.runtime.report import Policy
from rollview.runtime.worker import quiet
from rollview.sql.program import render_program
from rollview.sql.quoting import quoted
from rollview.sql.render import render


def explain(
    lake: Lake, catalog: Catalog, name_or_query: str | DataFrame, policy: str = Policy.AUTO
) -> Explanation:
    """What a refresh would do; nothing is executed. A stored view has a policy of its own."""
    view = _stored(lake, catalog, name_or_query)
    run = Run(lake, catalog)
    if view is not None:
        return _explained(run, view.definition, view.policy, view)
    managed = managed_names(lake, catalog.readable()[0])
    with quiet():
        definition = define(lake.spark, name_or_query, managed=managed)
    return _explained(run, definition, policy, None)


def _explained(
    run: Run, definition: Definition, policy: str, view: StoredView | None
) -> Explanation:
    verdict = judge(definition, policy)
    sql = _statement(definition, verdict)
    estimates = _estimator(run, definition, policy, view)
    if estimates is None:
        return planning.explain(definition, verdict, sql)
    chosen = estimates.first()
    return planning.explain(definition, verdict, sql, estimates.told, chosen)


def _estimator(
    run: Run, definition: Definition, policy: str, view: StoredView | None
) -> Estimator | None:
    """The estimates for what has changed since the last refresh.

    Before there is a view or a change, for a usual change of every source. None if a source is
    not there: that is for the refresh to tell.
    """
    session = run.lake.work
    try:
        vector = run.vector(session, definition)
        watermark = None if view is None else watermark_of(run.lake, session, view)
    except RollviewError:
        return None
    old = (watermark and watermark.vector) or {}
    about = Subject(run, session, definition, policy, vector, view, watermark)
    sources = [source for source in definition.sources if source.pinned is None]
    moved = [s for s in sources if s.id in old and not vector[s.id].same_as(old[s.id])]
    ticked = follows_clock(definition)
    return estimator(about, moved or sources, old if moved else {}, ticked=ticked)


def _statement(definition: Definition, verdict: Verdict) -> str:
    """The program that a refresh would run, or the statement over the sources by their names."""
    if verdict.program is not None and verdict.prepared is not None:
        return render_program(verdict.program, verdict.prepared)
    if definition.relation is None:
        return definition.text or ""
    return render(definition.relation, {s.id: _named(s) for s in definition.sources})


def _named(source: Source) -> str:
    name = source.name
    if source.kind is SourceKind.PATH:
        name = f"{source.provider}.{quoted(source.name)}"
    return f"{name} VERSION AS OF {source.pinned}" if source.pinned else name


def _stored(lake: Lake, catalog: Catalog, name_or_query: str | DataFrame) -> StoredView | None:
    """The view, if it is the name of one; a text with blanks that names none is a query."""
    if not isinstance(name_or_query, str):
        return None
    text = name_or_query.strip()
    if text.lower() in catalog.listed():
        return catalog.get(text)
    is_name = not any(char.isspace() or char == "(" for char in text)
    return catalog.get(plain_name(lake, text)) if is_name else None
