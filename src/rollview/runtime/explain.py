"""EXPLAIN for a stored view or for a query that is not one yet."""

from __future__ import annotations

from pyspark.sql import DataFrame

from rollview.algebra.definition import Definition, Source, SourceKind
from rollview.frontend.define import define
from rollview.maintenance.choice import ANY, Choice
from rollview.planning import explain as planning
from rollview.planning.explanation import Explanation
from rollview.planning.verdict import Verdict, judge
from rollview.runtime.catalog import Catalog, StoredView
from rollview.runtime.lake import Lake
from rollview.runtime.public import managed_names, plain_name
from rollview.runtime.report import Policy
from rollview.runtime.worker import quiet
from rollview.sql.program import render_program
from rollview.sql.quoting import quoted
from rollview.sql.render import render


def explain(
    lake: Lake,
    catalog: Catalog,
    name_or_query: str | DataFrame,
    policy: str = Policy.AUTO,
    choice: Choice = ANY,
) -> Explanation:
    """What a refresh would do; nothing is executed.

    A stored view has a policy and a strategy of its own.
    """
    view = _stored(lake, catalog, name_or_query)
    if view is not None:
        return _explained(view.definition, view.policy, view.choice)
    managed = managed_names(lake, catalog.readable()[0])
    with quiet():
        definition = define(lake.spark, name_or_query, managed=managed)
    return _explained(definition, policy, choice)


def _explained(definition: Definition, policy: str, choice: Choice) -> Explanation:
    verdict = judge(definition, policy, choice)
    return planning.explain(definition, verdict, _statement(definition, verdict))


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
