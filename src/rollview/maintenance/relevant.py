"""Which changes of its sources can matter to a maintained view."""

from __future__ import annotations

from dataclasses import replace

from rollview.algebra.expressions import Call, Expression, Literal
from rollview.algebra.relations import Filter, Relation
from rollview.algebra.traverse import rewrite, transform_up
from rollview.analysis.relevance.changes import Relevance, relevance
from rollview.maintenance.clock import FUNCTIONS, SYMBOLIC, Clock, reads_clock
from rollview.maintenance.prepare import Prepared


def relevant_changes(prepared: Prepared, clock: Clock = SYMBOLIC) -> Relevance:
    """The changes that matter to the rows of a view and of its kept operators.

    What a filter on the clock let through before and lets go now is joined to what changed in other
    tables: where the clock has gone on, nothing is concluded from such conditions.
    """
    kept = frozenset(_timed(one.relation, clock) for one in prepared.kept)
    return relevance(_timed(prepared.relation, clock), kept, wraps=prepared.wraps)


def _timed(relation: Relation, clock: Clock) -> Relation:
    """Functions of the clock as constants if both moments agree; else as what cannot be known."""

    def function(part: Expression) -> Expression:
        if not isinstance(part, Call) or part.kind not in FUNCTIONS:
            return part
        if clock.before.get(part.kind) == clock.after.get(part.kind):
            return Literal(clock.after[part.kind], part.type)
        return replace(part, deterministic=False)

    def timed(node: Relation) -> Relation:
        if isinstance(node, Filter) and reads_clock(node.condition):
            return replace(node, condition=rewrite(node.condition, function))
        return node

    return transform_up(relation, timed)
