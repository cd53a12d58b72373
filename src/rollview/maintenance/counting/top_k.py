"""ORDER BY with LIMIT: the kept rows and the changes suffice, unless a kept row is removed.

The first k rows of Q + added are the first k of (the first k of Q) + added. A removed row that was
not among them changes nothing; if one of them is removed, the operator is evaluated anew. The
change must be net for that: a row that came and went would be taken. With OFFSET, `prepare` lets an
operator below keep the rows before the window, too; what is left is evaluated from these.
"""

from __future__ import annotations

from rollview.algebra.definition import Reason, ReasonCode
from rollview.algebra.printer import describe
from rollview.algebra.relations import Join, JoinKind, Relation, State, TopK, Union
from rollview.algebra.traverse import with_inputs
from rollview.analysis.order import is_orderable
from rollview.maintenance.flow import Flow
from rollview.maintenance.program import Note, RuleName
from rollview.maintenance.reads import AFTER, STATE
from rollview.maintenance.reasons import refilled
from rollview.maintenance.signed import added, difference, net
from rollview.maintenance.tops import LOST_ROW, members


def delta_top_k(top: TopK, flow: Flow) -> Relation | None:
    """``d(T(Q)) = T(T(Q) + added) - T(Q)`` if nothing of T(Q) is removed."""
    change = flow.delta(top.child)
    kept = flow.kept(top)
    if change is None or kept is None:
        return None
    state = State(kept.name, kept.columns)
    anew: Relation = with_inputs(top, (flow.after(top.child),))
    rows = (f"{kept.label}: its rows",)
    flow.read(top, STATE, top)
    if top.offset is not None or not top.order or not is_orderable(top.columns):
        flow.note(top, Note(RuleName.RECOMPUTE, state=rows))
        flow.read(top, AFTER, top.child)
        if flow.reaches_tables(top.child):
            flow.blame(top, _why_anew(top))
        now = flow.hold(anew, "top")
    else:
        flow.note(top, Note(RuleName.TOP, state=rows))
        flow.read(top, AFTER, top.child, when="if a kept row is removed")
        change = flow.hold(net(change), "change")
        lost = flow.hold(members(flow, change, state), "lost")
        lost = flow.rarely(lost, top.child, (LOST_ROW,))
        if flow.reaches_tables(top.child):
            flow.blame(top, refilled(top), when=lost)
        grown = with_inputs(top, (Union((state, added(change)), top.columns),))
        anew = flow.hold(Join(JoinKind.SEMI, anew, lost), "anew")
        parts = (Join(JoinKind.ANTI, grown, lost), anew)
        now = flow.hold(Union(parts, top.columns), "top")
    flow.know_after(top, now)
    return difference(state, now, top.columns)


def _why_anew(top: TopK) -> Reason:
    return Reason(
        ReasonCode.NO_KEY,
        describe(top),
        "OFFSET without LIMIT, or no order of comparable columns: it is evaluated from all rows",
        "give it a LIMIT, and leave out columns that cannot be compared, such as maps",
    )
