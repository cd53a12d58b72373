"""What the equations of the algebraic strategy do not reach, with the condition that fails."""

from __future__ import annotations

from rollview.algebra.definition import Reason, ReasonCode
from rollview.algebra.printer import describe
from rollview.algebra.relations import Filter, Recursion, Relation, TopK, Window
from rollview.algebra.traverse import inputs
from rollview.analysis.order import is_unorderable
from rollview.maintenance.choice import Choice
from rollview.maintenance.clock import reads_clock
from rollview.maintenance.prepare import prepare
from rollview.maintenance.tops import is_top

_HINT = "strategy counting maintains it"


def out_of_reach(relation: Relation, _choice: Choice) -> tuple[Reason, ...]:
    """Why the pairs of some operators have no equation; empty if all have."""
    found: list[Reason] = []
    pending = [prepare(relation, counts=False).relation]
    while pending:
        node = pending.pop()
        found += _of(node)
        if not isinstance(node, Recursion):
            pending += inputs(inputs(node)[0]) if is_top(node) else inputs(node)
    return tuple(dict.fromkeys(found))


def _of(node: Relation) -> list[Reason]:
    told = []
    match node:
        case TopK():
            told.append(
                "which rows are first depends on all others: LIMIT is no operator of the relational"
                " algebra whose deltas are propagated (Barbier 2007, section 1.2)"
            )
        case Recursion():
            told.append(
                "a fixpoint is no expression of the relational algebra whose deltas are propagated"
                " (Barbier 2007, section 1.2)"
            )
        case Window(partition=()):
            told.append(
                "a window has equations like an aggregate, for the groups that a change concerns"
                " (Barbier 2007, table 4.3): without PARTITION BY these are all rows"
            )
        case Filter(condition=condition) if reads_clock(condition):
            told.append(
                "the equation of selection is one of the same condition before and after (Barbier"
                " 2007, table 4.1), and this one is another as the clock goes on"
            )
        case _:
            pass
    told += [
        f"differences of bags compare whole rows (Griffin, Libkin 1995), and {column.type} values"
        f" of {column.name} cannot be compared"
        for column in node.columns
        if is_unorderable(column.type)
    ]
    return [Reason(ReasonCode.NOT_APPLICABLE, describe(node), what, _HINT) for what in told]
