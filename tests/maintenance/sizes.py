"""How large the program of a view is, with its temporaries and without."""

from __future__ import annotations

from rollview.algebra.relations import Relation, Scan, Temporary
from rollview.algebra.traverse import walk
from rollview.maintenance.choice import Choice
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.strategies import prepared


def sizes(relation: Relation, way: Choice) -> tuple[int, int]:
    """The nodes of a program, and those of its delta if every temporary were written out."""
    sources = {node.source for node in walk(relation) if isinstance(node, Scan)}
    program = compile_delta(prepared(relation, way), sources)
    written: dict[str, int] = {}

    def whole(one: Relation) -> int:
        return sum(written[n.name] if isinstance(n, Temporary) else 1 for n in walk(one))

    for step in program.steps:
        written[step.name] = whole(step.relation)
    results = [*program.states.values(), *([] if program.delta is None else [program.delta])]
    shared = [*(step.relation for step in program.steps), *results]
    return sum(1 for one in shared for _ in walk(one)), sum(whole(one) for one in results)
