"""Selection is linear (Blakeley, Larson, Tompa 1986, section 5.1), unless the clock is asked.

A condition on the clock is another one at every refresh: rows that did not change enter and leave.
"""

from __future__ import annotations

from rollview.algebra.expressions import Call, Expression, binary
from rollview.algebra.relations import Filter, Relation
from rollview.maintenance.flow import Flow, Moment
from rollview.maintenance.program import Note, RuleName
from rollview.maintenance.reads import BEFORE
from rollview.maintenance.signed import MINUS, PLUS, signed, sum_of
from rollview.maintenance.tops import delta_tops, is_top


def delta_filter(filter: Filter, flow: Flow) -> Relation | None:
    """``d(F(Q)) = F(d(Q))``; with the clock ``+ (F and not F')(Q before) - (F' and not F)(...)``.

    F is the condition now, F' the one at the last refresh. A bound on a rank keeps its rows.
    """
    kept = flow.kept(filter)
    if kept is not None and is_top(filter):
        return delta_tops(filter, kept, flow)
    then, now = (flow.condition(filter, moment) for moment in (Moment.BEFORE, Moment.AFTER))
    below = flow.delta(filter.child)
    linear = None if below is None else Filter(below, now)
    if not flow.has_ticked(filter):
        flow.note(filter, Note(RuleName.LINEAR))
        return linear
    flow.note(filter, Note(RuleName.CLOCK))
    flow.read(filter, BEFORE, filter.child, when="for rows that enter or leave")
    rows = flow.before(filter.child)
    enter = signed(Filter(rows, _only(now, then)), filter.columns, PLUS)
    leave = signed(Filter(rows, _only(then, now)), filter.columns, MINUS)
    return sum_of((linear, enter, leave), filter.columns)


def _only(one: Expression, other: Expression) -> Expression:
    """The first is true and the second is not; NULL is not true."""
    untrue = Call("Not", ("(", " IS NOT TRUE)"), (other,), "BOOLEAN", False)
    return binary("And", "AND", one, untrue, "BOOLEAN")
