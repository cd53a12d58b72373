"""EXPLAIN for a stored view or for a query that is not one yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pyspark.sql import DataFrame

from rollview.algebra.definition import Definition, Source, SourceKind
from rollview.analysis.constraints import constraints
from rollview.frontend.define import define
from rollview.maintenance.choice import ANY, Choice
from rollview.planning import explain as planning
from rollview.planning.explanation import Explanation
from rollview.planning.self_maintenance import for_any_change
from rollview.planning.verdict import Verdict, changing, judge
from rollview.runtime.catalog import Catalog, StoredView
from rollview.runtime.declared import of_definition
from rollview.runtime.lake import Lake
from rollview.runtime.public import managed_names, plain_name
from rollview.runtime.report import Policy
from rollview.runtime.self_maintenance import asked
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
    together: Sequence[str] | None = None,
) -> Explanation:
    """What a refresh would do; nothing is executed.

    A stored view has a policy and a strategy of its own. With a list of views, which may be empty,
    also what base tables it needs together with these.
    """
    view = _stored(lake, catalog, name_or_query)
    if view is not None:
        definition, policy, choice = view.definition, view.policy, view.choice
        alone = view.self_maintaining
    else:
        alone = False
        managed = managed_names(lake, catalog.readable()[0])
        with quiet():
            definition = define(lake.spark, name_or_query, managed=managed)
    told = _explained(lake, definition, policy, choice, alone)
    if together is None:
        return told
    others = [catalog.get(plain_name(lake, name)).definition for name in together]
    return replace(told, self_maintenance=asked(lake, catalog, [definition, *others]))


def _explained(
    lake: Lake, definition: Definition, policy: str, choice: Choice, alone: bool
) -> Explanation:
    known = constraints(of_definition(lake, definition))
    if alone and definition.relation is not None:  # its operators are those of the cut down tables
        known = known.only([one for one in known.all if one.rely])
        cut = for_any_change(definition.relation, known, changing(definition), choice)
        verdict = judge(definition, policy, choice, known, self_maintaining=True)
        definition = replace(definition, relation=cut.accesses.relation)
    else:
        verdict = judge(definition, policy, choice, known)
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
