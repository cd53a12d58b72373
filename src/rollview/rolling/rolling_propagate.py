"""RollingPropagate: every relation at its own pace.

Salem et al. (2000), section 3.4, Figure 10. The paper's names:

    RollingPropagate(V, t_initial)   `RollingPropagate`, begun at a position
    t_fwd[i], t_comp[i]              ``Control.forward``, `Control.compensated`
    querylist[i]                     ``Control.lists``
    delta                            what the policy of the relation chooses
    CompTime and the others          `query_lists`, with what is wrong in the figure

A step is one forward query of the relation that is furthest behind, and what compensates for it.
With live relations alone, a forward query compensates for what it counts together with those of
relations left of it, and the lists remember those that relations right of it have not met yet.

Where relations keep versions, a forward query reads every other relation where it stands
(`exact`). Each joined row is counted once, no lists are needed, and ``t_comp`` is ``t_fwd``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from rollview.errors import InternalError
from rollview.rolling.algorithm import compensated, positions_seen, without_still
from rollview.rolling.control import Control, Listed, Round, Todo, beginning, finished
from rollview.rolling.exact import forward
from rollview.rolling.policy import Policy
from rollview.rolling.query import Present, Query, Window
from rollview.rolling.query_lists import compensations, prune_query_lists
from rollview.rolling.units_of_work import UnitsOfWork
from rollview.rolling.view import RolledView


@dataclass(frozen=True, slots=True)
class RollingPropagate:
    """One view and a policy for each of its relations."""

    view: RolledView
    policies: tuple[Policy, ...]

    def begin(self, at: int) -> Control:
        memory = tuple(policy.first() for policy in self.policies)
        return beginning(len(self.view.relations), at, memory)

    def ready(self, control: Control, units: UnitsOfWork) -> Control:
        while True:
            control = without_still(control, self.view, units)
            if control.pending:
                return control
            control = self._finished(control)
            if min(control.forward) >= units.newest:
                return control
            control = self._next_forward(control, units)

    def advanced(self, control: Control, seen: Mapping[str, int], cost: int) -> Control:
        first, *rest = control.pending
        under_way = control.round
        if under_way is None or under_way.relation is None:
            raise InternalError("no forward query is under way")
        found = positions_seen(self.view, first.query, seen)
        relation, saw = under_way.relation, under_way.seen or found
        under_way = replace(under_way, seen=saw, cost=under_way.cost + cost)
        if first.targets is not None:
            more = compensated(first, found)
        else:
            window = Window(control.forward[relation], under_way.until[relation])
            more = compensations(control, relation, window, found)
        return self._finished(replace(control, pending=(*more, *rest), round=under_way))

    def _next_forward(self, control: Control, units: UnitsOfWork) -> Control:
        """The forward query of a relation with the smallest ``t_fwd``."""
        relation = control.forward.index(min(control.forward))
        since, source = control.forward[relation], self.view.relations[relation].source
        memory, policy = control.memory[relation], self.policies[relation]
        until = policy.until(units, source, since, memory)
        new = (*control.forward[:relation], until, *control.forward[relation + 1 :])
        todo = self._forward(control, relation, Window(since, until))
        return replace(control, pending=(todo,), round=Round(new, relation))

    def _forward(self, control: Control, relation: int, window: Window) -> Todo:
        if self.view.is_live:
            present = Query((Present(),) * len(control.forward))
            return Todo(present.with_entry(relation, window))
        before = control.high_water_mark
        return forward(self.view.live, relation, window, before, control.forward)

    def _finished(self, control: Control) -> Control:
        """Once a forward query is compensated for: it is listed, and the lists are pruned."""
        done, under_way = finished(control), control.round
        if under_way is None or under_way.relation is None or done.round is not None:
            return done
        i, lists, memory = under_way.relation, list(control.lists), list(control.memory)
        if under_way.seen is not None:
            memory[i] = self.policies[i].learned(memory[i], under_way.cost)
        if under_way.seen is not None and self.view.is_live:
            listed = Listed(control.forward[i], under_way.until[i], under_way.seen)
            lists[i] = (*lists[i], listed)
        pruned = prune_query_lists(tuple(lists), done.forward)
        return replace(done, lists=pruned, memory=tuple(memory))
