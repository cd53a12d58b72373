"""ORDER BY with LIMIT: the kept rows and the changes suffice, unless a kept row is removed.

The first k rows of Q + added are the first k of (the first k of Q) + added. A removed row that was
not among them changes nothing; if one of them is removed, the operator is evaluated anew. The
change must be net for that: a row that came and went would be taken. With OFFSET, rows before the
window matter too, and it is always evaluated anew.
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
from rollview.maintenance.signed import added, difference, net
from rollview.maintenance.tops import members


def delta_top_k(top: TopK, flow: Flow) -> Relation | None:
    """``d(T(Q)) = T(T(Q) + added) - T(Q)`` if nothing of T(Q) is removed."""
    change = flow.delta(top.child)
    kept = flow.kept(top)
    if change is None or kept is None:
        return None
    state = State(kept.name, kept.columns)
    anew = with_inputs(top, (flow.after(top.child),))
    rows = (f"{kept.label}: its rows",)
    flow.read(top, STATE, top)
    if top.offset is not None or not top.order or not is_orderable(top.columns):
        flow.note(top, Note(RuleName.RECOMPUTE, state=rows))
        flow.read(top, AFTER, top.child)
        flow.blame(top, _why_anew(top))
        now = flow.hold(anew, "top")
    else:
        flow.note(top, Note(RuleName.TOP, state=rows))
        flow.read(top, AFTER, top.child, when="if a kept row is removed")
        change = flow.hold(net(change), "change")
        lost = flow.rarely(flow.hold(members(flow, change, state), "lost"))
        if flow.reaches_tables(top.child):
            flow.blame(top, _why_refilled(top), when=lost)
        grown = with_inputs(top, (Union((state, added(change)), top.columns),))
        refilled = flow.hold(Join(JoinKind.SEMI, anew, lost), "anew")
        parts = (Join(JoinKind.ANTI, grown, lost), refilled)
        now = flow.hold(Union(parts, top.columns), "top")
    flow.know_after(top, now)
    return difference(state, now, top.columns)


def _why_refilled(top: TopK) -> Reason:
    return Reason(
        ReasonCode.NO_KEY,
        describe(top),
        "where a kept row is removed, its successor is looked for among all rows below LIMIT",
    )


def _why_anew(top: TopK) -> Reason:
    return Reason(
        ReasonCode.NO_KEY,
        describe(top),
        "LIMIT with OFFSET, or without an order of comparable columns, is evaluated from all rows",
        "leave OFFSET out, and order by columns that can be compared; correlate EXISTS",
    )
