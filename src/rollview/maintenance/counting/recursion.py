"""A recursive CTE is evaluated anew as a whole; its old rows are kept."""

from __future__ import annotations

from rollview.algebra.definition import Reason, ReasonCode
from rollview.algebra.printer import describe
from rollview.algebra.relations import Recursion, Relation, Scan, State
from rollview.algebra.traverse import walk
from rollview.maintenance.flow import Flow, Moment
from rollview.maintenance.images import evaluated
from rollview.maintenance.program import Note, RuleName
from rollview.maintenance.reads import AFTER, STATE
from rollview.maintenance.signed import difference


def delta_recursion(recursion: Recursion, flow: Flow) -> Relation | None:
    """``d(R) = R(after) - R(before)``."""
    kept = flow.kept(recursion)
    if kept is None:
        return None
    flow.note(recursion, Note(RuleName.RECOMPUTE, state=(f"{kept.label}: its rows",)))
    flow.read(recursion, STATE, recursion)
    for scan in _scans(recursion):
        flow.read(recursion, AFTER, scan)
    flow.blame(
        recursion,
        Reason(
            ReasonCode.NO_RULE,
            describe(recursion),
            "a recursive query has no incremental rule: it is evaluated as a whole",
            "keep what the recursion starts from small: let it read a view that filters first",
        ),
    )
    now = flow.hold(evaluated(flow, recursion, Moment.AFTER, None), "recursion")
    flow.know_after(recursion, now)
    return difference(State(kept.name, kept.columns), now, recursion.columns)


def _scans(recursion: Recursion) -> list[Scan]:
    return [node for node in walk(recursion) if isinstance(node, Scan)]
