"""Window functions: only the partitions that a change touches.

A window is a function of its partition, so the partitions of changed rows are evaluated before and
after. Without PARTITION BY there is one partition: the rows before are kept as state, the rows
after are evaluated from all rows below. What leaves ties open is compared with state, too.
"""

from __future__ import annotations

from rollview.algebra.definition import Reason, ReasonCode
from rollview.algebra.printer import describe
from rollview.algebra.relations import Relation, State, Union, Window
from rollview.algebra.traverse import with_inputs
from rollview.maintenance.flow import Flow
from rollview.maintenance.keys import restrict, without
from rollview.maintenance.program import Note, RuleName
from rollview.maintenance.reads import AFTER, BEFORE, STATE
from rollview.maintenance.signed import difference


def delta_window(window: Window, flow: Flow) -> Relation | None:
    """``d(W(Q)) = W(Q(after) under K) - W(Q(before) under K)``, K the changed partitions."""
    change = flow.delta(window.child)
    if change is None:
        return None
    keys = None
    if window.partition:
        keys = flow.keys(flow.hold(change, "change"), window.partition)
    now = with_inputs(window, (flow.after(window.child, keys),))
    kept = flow.kept(window)
    flow.read(window, AFTER, window.child, window.partition)
    if kept is None:
        flow.note(window, Note(RuleName.PARTITIONS))
        flow.read(window, BEFORE, window.child, window.partition)
        then = with_inputs(window, (flow.before(window.child, keys),))
        return difference(then, now, window.columns)
    now = flow.hold(now, "window")
    state = State(kept.name, kept.columns)
    rows = (f"{kept.label}: its rows",)
    flow.read(window, STATE, window, window.partition)
    if keys is None:
        flow.note(window, Note(RuleName.RECOMPUTE, state=rows))
        flow.blame(window, _one_partition(window))
        flow.know_after(window, now)
        return difference(state, now, window.columns)
    flow.note(window, Note(RuleName.PARTITIONS, state=rows))
    flow.know_after(window, Union((without(state, keys), now), window.columns))
    return difference(restrict(state, keys), now, window.columns)


def _one_partition(window: Window) -> Reason:
    return Reason(
        ReasonCode.NO_KEY,
        describe(window),
        "a window without PARTITION BY is one partition: every change concerns all rows",
        "add PARTITION BY, if the question allows it",
    )
