"""Joins: terms only for the inputs that changed, evaluated from the change outwards.

Blakeley, Larson, Tompa (1986), section 5.3, sum over all combinations of changed and unchanged
inputs, 2^k - 1 for k changed ones. With images of both moments the sum telescopes to k terms:
inputs before the changed one as they were, inputs after it as they are. Both are there:
``join_terms`` chooses.
"""

from __future__ import annotations

from dataclasses import dataclass

from rollview.algebra.expressions import Expression
from rollview.algebra.relations import Join, JoinKind, Relation
from rollview.analysis.keys import key_of
from rollview.maintenance.flow import Flow, Moment
from rollview.maintenance.images import padded
from rollview.maintenance.keys import Keys
from rollview.maintenance.matches import delta_matches
from rollview.maintenance.outward import Joined, flatten, outwards, taken_apart
from rollview.maintenance.program import Note, RuleName
from rollview.maintenance.reads import label
from rollview.maintenance.reasons import no_equality, value_moved
from rollview.maintenance.signed import sum_of


def delta_join(join: Join, flow: Flow) -> Relation | None:
    """The delta of a join of any kind."""
    match join.kind:
        case JoinKind.INNER | JoinKind.CROSS:
            return _telescoped(join, flow)
        case JoinKind.LEFT | JoinKind.RIGHT | JoinKind.FULL:
            flow.note(join, Note(RuleName.PADDED))
            return flow.delta(flow.as_form(join, padded(join)))
        case _:
            return delta_matches(join, flow)


def _telescoped(join: Join, flow: Flow) -> Relation | None:
    """``d(Q1..Qn) = sum over i of Q1(before)..d(Qi)..Qn(after)``."""
    for part in taken_apart(join, flow.kept):
        if flow.has_changed(part):
            rule = RuleName.TELESCOPED if isinstance(part, Join) else RuleName.LINEAR
            flow.note(part, Note(rule))
    joined = flatten(join, flow.kept)
    terms = []
    for index, relation in enumerate(joined.inputs):
        change = flow.delta(relation)
        if change is None:
            continue
        if len(joined.inputs) > 1:
            change = flow.hold(change, "change")
        term = _Term(join, flow, joined, index, change)
        terms.append(outwards(flow, joined, index, change, term.other))
    return sum_of(terms, join.columns)


@dataclass(frozen=True, slots=True)
class _Term:
    """The change of one input, which the others are joined to."""

    join: Join
    flow: Flow
    joined: Joined
    changed: int
    change: Relation

    def other(self, index: int, keys: Keys | None, by: tuple[Expression, ...]) -> Relation:
        """Another input, as it was if it comes before the changed one, else as it is."""
        relation = self.joined.inputs[index]
        moment = Moment.BEFORE if index < self.changed else Moment.AFTER
        self.flow.read(self.join, moment, relation, by)
        if not by and self.flow.reaches_tables(relation):
            self._read_whole(label(relation, self.flow.kept))
        return self.flow.at(moment, relation, keys)

    def _read_whole(self, what: str) -> None:
        if key_of(self.joined.inputs[self.changed]) == ():
            moved = self.flow.rarely(self.change)
            self.flow.blame(self.join, value_moved(self.join, what), when=moved)
        else:
            self.flow.blame(self.join, no_equality(self.join, what), when=self.change)
