"""Which changes of its sources can matter to a maintained view."""

from __future__ import annotations

from rollview.analysis.relevance.changes import Relevance, relevance
from rollview.maintenance.clock import SYMBOLIC, Clock, at_moment
from rollview.maintenance.prepare import Prepared


def relevant_changes(prepared: Prepared, clock: Clock = SYMBOLIC) -> Relevance:
    """The changes that matter at a moment of the clock.

    A filter on the clock is linear in what changed, by what the clock says now; what it let through
    before is had from rows before the change, and does not depend on changes at all.
    """
    kept = frozenset(at_moment(one.relation, clock.after) for one in prepared.kept)
    return relevance(at_moment(prepared.relation, clock.after), kept, wraps=prepared.wraps)
