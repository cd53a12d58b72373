"""Window functions: only the partitions that a change touches.

A window is a function of its partition, so the partitions of changed rows are evaluated before and
after. Without PARTITION BY there is one partition: its rows are kept as state. As these hold the
rows below, too, the window alone is evaluated anew. What leaves ties open is compared with state.
"""

from __future__ import annotations

from rollview.algebra.definition import Reason, ReasonCode
from rollview.algebra.printer import describe
from rollview.algebra.relations import Relation, State, Union, Window
from rollview.algebra.traverse import with_inputs
from rollview.maintenance.flow import Flow
from rollview.maintenance.kept_rows import brought_forward, can_be_counted
from rollview.maintenance.keys import Keys, restrict, without
from rollview.maintenance.program import Kept, Note, RuleName
from rollview.maintenance.reads import AFTER, BEFORE, STATE
from rollview.maintenance.signed import difference, keep


def delta_window(window: Window, flow: Flow) -> Relation | None:
    """``d(W(Q)) = W(Q(after) under K) - W(Q(before) under K)``, K the changed partitions."""
    change = flow.delta(window.child)
    if change is None:
        return None
    change = flow.hold(change, "change")
    kept = flow.kept(window)
    if kept is not None and not window.partition:
        return _of_all_rows(window, flow, kept, change)
    keys = flow.keys(change, window.partition)
    now = with_inputs(window, (flow.after(window.child, keys),))
    flow.read(window, AFTER, window.child, window.partition)
    if kept is None:
        flow.note(window, Note(RuleName.PARTITIONS))
        flow.read(window, BEFORE, window.child, window.partition)
        then = with_inputs(window, (flow.before(window.child, keys),))
        return difference(then, now, window.columns)
    now = flow.hold(now, "window")
    state = State(kept.name, kept.columns)
    flow.read(window, STATE, window, window.partition)
    flow.note(window, Note(RuleName.PARTITIONS, state=(f"{kept.label}: its rows",)))
    flow.know_after(window, Union((without(state, keys), now), window.columns))
    return difference(restrict(state, keys), now, window.columns)


def _of_all_rows(window: Window, flow: Flow, kept: Kept, change: Relation) -> Relation:
    """All rows, unless none changed; the kept ones hold those below, which are not evaluated."""
    flow.note(window, Note(RuleName.RECOMPUTE, state=(f"{kept.label}: its rows",)))
    flow.blame(window, _one_partition(window), when=change)
    flow.read(window, STATE, window)
    state, below = State(kept.name, kept.columns), window.child.columns
    if flow.reaches_tables(window.child) and can_be_counted(below):
        rows = brought_forward(flow, keep(state, below), change)
    else:
        flow.read(window, AFTER, window.child)
        rows = flow.after(window.child)
    if_any = Keys(change, ())
    now = flow.hold(restrict(with_inputs(window, (rows,)), if_any), "window")
    flow.know_after(window, Union((without(state, if_any), now), window.columns))
    return difference(restrict(state, if_any), now, window.columns)


def _one_partition(window: Window) -> Reason:
    return Reason(
        ReasonCode.NO_KEY,
        describe(window),
        "a window without PARTITION BY is one partition: every change concerns all rows",
        "add PARTITION BY, if the question allows it",
    )
