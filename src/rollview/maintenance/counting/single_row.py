"""A scalar subquery: nothing above it is touched unless its value changed.

Its one row is kept, unless that is one of what an aggregate keeps: both values are had without a
table. None of the papers has scalar subqueries: it is the difference of two states, made minimal
(Quass 1996, section 3.1).
"""

from __future__ import annotations

from dataclasses import replace

from rollview.algebra.definition import Reason, ReasonCode
from rollview.algebra.expressions import Call, ColumnRef, cast, same, spelling
from rollview.algebra.printer import describe
from rollview.algebra.relations import Filter, Join, JoinKind, Named, Project, Relation, SingleRow
from rollview.analysis.order import is_unorderable
from rollview.maintenance.flow import Flow
from rollview.maintenance.program import Note, RuleName
from rollview.maintenance.reads import AFTER, BEFORE
from rollview.maintenance.signed import difference

_FLOATS = ("FLOAT", "DOUBLE")


def delta_single_row(single: SingleRow, flow: Flow) -> Relation | None:
    """``d(S(Q)) = S(Q(after)) - S(Q(before))`` if they differ, else nothing."""
    change = flow.delta(single.child)
    if change is None:
        return None
    flow.note(single, Note(RuleName.SCALAR))
    for moment in (BEFORE, AFTER):
        flow.read(single, moment, single.child)
    old, new = flow.fresh("__then"), flow.fresh("__now")
    then = replace(single, child=flow.before(single.child), name=old)
    now = replace(single, child=flow.after(single.child), name=new)
    column = single.columns[0]
    values = tuple(ColumnRef(name, column.type) for name in (old, new))
    both: Relation = Join(JoinKind.CROSS, then, now)
    if not is_unorderable(column.type):  # what cannot be compared is taken to have moved
        alike = same(*(spelling(value) for value in values))
        if any(word in column.type for word in _FLOATS):  # 0.0 is equal to -0.0, and not the same
            exact = same(*(cast(value, "STRING") for value in values))
            alike = Call("And", ("(", " AND ", ")"), (alike, exact), "BOOLEAN", False)
        both = Filter(both, Call("Not", ("(NOT ", ")"), (alike,), "BOOLEAN", False))
    if flow.reaches_tables(single.child):  # its row is not kept, as it cannot be compared
        change = flow.hold(change, "change")
        flow.blame(single, _of_rows(single), when=change)
        both = Join(JoinKind.SEMI, both, change)
    both = flow.rarely(flow.hold(both, "values"))
    before, after = (Project(both, (Named(single.name, value),)) for value in values)
    return difference(before, after, single.columns)


def _of_rows(single: SingleRow) -> Reason:
    return Reason(
        ReasonCode.NO_KEY,
        describe(single),
        "a scalar subquery of a value that cannot be compared is evaluated before and after",
        "select something of it that can be, such as map_keys(...) of a map",
    )
