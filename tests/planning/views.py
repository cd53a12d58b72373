"""Definitions around a relation, as the frontend would make them."""

from __future__ import annotations

from rollview.algebra.definition import Definition, Reason, ReasonCode, Source, SourceKind
from rollview.algebra.relations import Relation, Scan
from rollview.algebra.traverse import walk
from rollview.maintenance.choice import ANY, Choice
from rollview.maintenance.clock import FUNCTIONS, functions_in
from rollview.planning.explain import explain
from rollview.planning.explanation import Explanation
from rollview.planning.verdict import judge


def definition_of(
    relation: Relation | None, *reasons: Reason, pinned: tuple[str, ...] = ()
) -> Definition:
    """The relation over a Delta table for each of its sources; some may be time-travelled."""
    nodes = [] if relation is None else list(walk(relation))
    scans = {node.source: node for node in nodes if isinstance(node, Scan)}
    sources = (
        Source(
            name,
            SourceKind.TABLE,
            f"lake.{name}",
            "delta",
            scan.columns,
            pinned="3" if name in pinned else None,
        )
        for name, scan in scans.items()
    )
    return Definition(
        text="SELECT 1",
        plan=None,
        columns=() if relation is None else relation.columns,
        relation=relation,
        sources=tuple(sources),
        dependencies=(),
        settings=(),
        reasons=reasons,
    )


def explained(relation: Relation, policy: str = "auto", choice: Choice = ANY) -> Explanation:
    """What EXPLAIN says of a view over the relation."""
    clock = (
        Reason(ReasonCode.TIME_DEPENDENT, FUNCTIONS[kind], "it depends on the clock")
        for kind in sorted(functions_in(relation))
    )
    definition = definition_of(relation, *clock)
    return explain(definition, judge(definition, policy, choice), "")
