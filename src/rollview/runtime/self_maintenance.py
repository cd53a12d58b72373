"""What stored views need of their base tables, with what the tables' statistics tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rollview.algebra.definition import Definition, Source, SourceKind
from rollview.algebra.relations import Relation, Scan
from rollview.algebra.traverse import transform_up
from rollview.analysis.constraints import constraints
from rollview.planning.self_maintained import SelfMaintenance
from rollview.planning.self_maintenance import Facts, self_maintenance
from rollview.planning.verdict import maintained
from rollview.runtime.catalog import Catalog
from rollview.runtime.declared import declared
from rollview.runtime.lake import Lake
from rollview.runtime.pinning import Run


def asked(
    lake: Lake, catalog: Catalog, definitions: Sequence[Definition]
) -> SelfMaintenance | None:
    """What the views need together; None if changes cannot be carried through any of them."""
    views = {
        str(place): _by_table_names(definition.relation, definition)
        for place, definition in enumerate(definitions)
        if definition.relation is not None and maintained(definition) is not None
    }
    if not views:
        return None
    run = Run(lake, catalog)
    sources = {_name(s): s for definition in definitions for s in definition.sources}
    facts = {name: _facts(run, lake, source) for name, source in sources.items()}
    constant = [_name(s) for definition in definitions for s in definition.sources if s.pinned]
    return self_maintenance(views, constraints(declared(lake).values()), facts, constant)


def _by_table_names(relation: Relation, definition: Definition) -> Relation:
    """The relation over tables by their own names, which are the same in all views.

    A time-travelled table is none of them: it never changes, and is always there.
    """
    names = {source.id: _name(source) for source in definition.sources}

    def change(node: Relation) -> Relation:
        return replace(node, source=names[node.source]) if isinstance(node, Scan) else node

    return transform_up(relation, change)


def _name(source: Source) -> str:
    return f"{source.name}@{source.pinned}" if source.pinned else source.name


def _facts(run: Run, lake: Lake, source: Source) -> Facts:
    """The size of a table, as far as its log tells it without a job; of a view nothing."""
    if source.kind is SourceKind.VIEW:
        return Facts(None, len(source.columns))
    state = run.state(lake.work, source)
    rows = run.source(lake.work, source).rows(state.version)
    return Facts(rows, len(state.schema.fields))
