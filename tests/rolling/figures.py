"""Figure 10 of Salem et al. (2000), as printed and with one repair after the other.

Live relations of one origin, as in the paper: an execution position is one number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from rollview.rolling.algorithm import compensated, positions_seen
from rollview.rolling.compute_delta import compute_delta
from rollview.rolling.control import Control, Todo, Vector
from rollview.rolling.query import Present, Query, Window
from rollview.rolling.query_lists import comp_interval
from rollview.rolling.rolling_propagate import RollingPropagate


@dataclass(frozen=True)
class Repairs:
    """What is repaired."""

    advances: bool = True
    """``t_fwd[1]`` goes on after a forward query of the first relation."""
    minus: bool = True
    """The query that is handed to ComputeDelta is negated."""
    still_to_come: bool = True
    """CompTime is ``t_fwd`` where no listed query is later; else ``t_e``, nothing is taken off."""


@dataclass(frozen=True)
class Figure10(RollingPropagate):
    """The figure: compensations see relations that they do not replace at ``t_e``."""

    repairs: Repairs = Repairs()

    def advanced(self, control: Control, seen: Mapping[str, int], cost: int) -> Control:
        first, *rest = control.pending
        found = positions_seen(self.view, first.query, seen)
        under_way = control.round
        assert under_way is not None
        relation = under_way.relation
        assert relation is not None
        saw, spent = under_way.seen or found, under_way.cost + cost
        under_way = replace(under_way, seen=saw, cost=spent)
        if first.targets is not None:
            more = compensated(first, found)
        else:
            window = Window(control.forward[relation], under_way.until[relation])
            more = self._loop(control, relation, window, found)
            if relation == 0 and not self.repairs.advances:
                under_way = replace(under_way, until=control.forward)
        return self._finished(replace(control, pending=(*more, *rest), round=under_way))

    def _loop(
        self, control: Control, relation: int, window: Window, seen: Vector
    ) -> tuple[Todo, ...]:
        """The repeat/until loop; ``t_e`` is what the forward query saw."""
        todos: list[Todo] = []
        at = window.since
        while relation > 0 and at < window.until:
            until = comp_interval(control, relation, at, window.until)
            times = [self._time(control, j, relation, at, seen[j]) for j in range(relation)]
            query = Query((Present(),) * len(seen)).with_entry(relation, Window(at, until))
            query = query.negated() if self.repairs.minus else query
            old = (*times, *seen[relation:])
            todos += compute_delta(query, old, seen)
            at = until
        return tuple(todos)

    def _time(self, control: Control, relation: int, by: int, at: int, executed: int) -> int:
        """CompTime."""
        for query in control.lists[relation]:
            if query.seen[by] > at:
                return query.since
        return control.forward[relation] if self.repairs.still_to_come else executed
