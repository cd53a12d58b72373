"""Propagate: the delta of a view interval by interval, the same one for all relations.

Salem et al. (2000), section 3.3, Figure 5. The paper's names:

    Propagate(V, t_initial)      `Propagate`, begun at a position
    t_cur                        ``Control.forward``, the same for all relations
    delta                        what the policy chooses
    ComputeDelta(V, [cur ..], t_cur + delta)   the pending queries of one round
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from rollview.errors import InternalError
from rollview.rolling.algorithm import compensated, positions_seen, without_still
from rollview.rolling.compute_delta import compute_delta
from rollview.rolling.control import Control, Round, Todo, beginning, finished
from rollview.rolling.exact import forward
from rollview.rolling.policy import Policy
from rollview.rolling.query import Present, Query, Window
from rollview.rolling.units_of_work import UnitsOfWork
from rollview.rolling.view import RolledView


@dataclass(frozen=True, slots=True)
class Propagate:
    """One view and the policy by which its intervals are chosen."""

    view: RolledView
    policy: Policy

    def begin(self, at: int) -> Control:
        return beginning(len(self.view.relations), at, (self.policy.first(),))

    def ready(self, control: Control, units: UnitsOfWork) -> Control:
        while True:
            control = without_still(control, self.view, units)
            if control.pending:
                return control
            control = self._finished(control)
            if min(control.forward) >= units.newest:
                return control
            control = self._next_round(control, units)

    def advanced(self, control: Control, seen: Mapping[str, int], cost: int) -> Control:
        first, *rest = control.pending
        if control.round is None:
            raise InternalError("no interval is under way")
        found = positions_seen(self.view, first.query, seen)
        spent = replace(control.round, seen=found, cost=control.round.cost + cost)
        pending = (*compensated(first, found), *rest)
        return self._finished(replace(control, pending=pending, round=spent))

    def _next_round(self, control: Control, units: UnitsOfWork) -> Control:
        """The forward queries of the next interval, which ends where any source's would."""
        (memory,), current = control.memory, control.forward[0]
        sources = {relation.source for relation in self.view.relations}
        until = min(self.policy.until(units, source, current, memory) for source in sources)
        new = (until,) * len(control.forward)
        return replace(control, pending=self._queries(control, until), round=Round(new))

    def _queries(self, control: Control, until: int) -> tuple[Todo, ...]:
        old, new = control.forward, (until,) * len(control.forward)
        if self.view.is_live:
            return compute_delta(Query((Present(),) * len(old)), old, new)
        window = Window(old[0], until)
        return tuple(
            forward(self.view.live, i, window, old[0], (*new[:i], *old[i:]))
            for i in range(len(old))
        )

    def _finished(self, control: Control) -> Control:
        done = finished(control)
        if control.round is None or control.round.seen is None or done.round is not None:
            return done
        memory = self.policy.learned(control.memory[0], control.round.cost)
        return replace(done, memory=(memory,))
