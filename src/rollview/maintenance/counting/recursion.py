"""A recursive CTE is evaluated anew as a whole; its old rows are kept."""

from __future__ import annotations

from rollview.algebra.definition import Reason, ReasonCode
from rollview.algebra.printer import describe
from rollview.algebra.relations import Recursion, Relation, State
from rollview.maintenance.flow import Flow, Moment
from rollview.maintenance.images import evaluated
from rollview.maintenance.program import Note
from rollview.maintenance.signed import difference


def delta_recursion(recursion: Recursion, flow: Flow) -> Relation | None:
    """``d(R) = R(after) - R(before)``."""
    kept = flow.kept(recursion)
    if kept is None:
        return None
    flow.note(recursion, Note("recompute", state=("rows",)))
    flow.blame(
        recursion,
        Reason(
            ReasonCode.NO_RULE,
            describe(recursion),
            "a recursive query has no incremental rule: it is evaluated as a whole",
        ),
    )
    now = flow.hold(evaluated(flow, recursion, Moment.AFTER, None), "recursion")
    flow.know_after(recursion, now)
    return difference(State(kept.name, kept.columns), now, recursion.columns)
