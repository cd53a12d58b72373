"""Which changes of its sources can matter to a maintained view."""

from __future__ import annotations

from dataclasses import replace

from rollview.algebra.expressions import Call, Expression, Literal
from rollview.algebra.relations import Filter, Relation
from rollview.algebra.traverse import rewrite, transform_up
from rollview.analysis.constraints import Constraints, ForeignKey
from rollview.analysis.relevance.changes import Relevance, relevance
from rollview.maintenance.clock import FUNCTIONS, SYMBOLIC, Clock, reads_clock
from rollview.maintenance.prepare import Prepared


def relevant_changes(prepared: Prepared, clock: Clock = SYMBOLIC) -> Relevance:
    """The changes that matter to the rows of a view and of its kept operators.

    What a filter on the clock let through before and lets go now is joined to what changed in other
    tables: where the clock has gone on, nothing is concluded from such conditions. Of tables with
    declared keys all changes are handed over, if they are looked at for more than the view.
    """
    kept = frozenset(_timed(one.relation, clock) for one in prepared.kept)
    whole = _looked_at_whole(prepared.constraints)
    return relevance(_timed(prepared.relation, clock), kept, wraps=prepared.wraps, whole=whole)


def _looked_at_whole(constraints: Constraints) -> frozenset[str]:
    """The tables of which changes count that are nothing to the rows of the view.

    A row that breaks a declaration breaks it for the next refresh, too, and a parent is gone or new
    only if no other change has its key (`parents`): an update that moves it out of sight is none.
    """
    found: set[str] = set()
    for one in constraints.all:
        if not one.rely:
            found |= set(one.tables)
        elif isinstance(one, ForeignKey):
            found.add(one.parent)
    return frozenset(found)


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
