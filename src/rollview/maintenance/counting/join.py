"""Joins: terms only for the inputs that changed, evaluated from the change outwards.

Blakeley, Larson, Tompa (1986), section 5.3, sum over all combinations of changed and unchanged
inputs, 2^k - 1 for k changed ones. With images of both moments the sum telescopes to k terms:
inputs before the changed one as they were, inputs after it as they are. Joins that ask whether a
match exists are functions of each left row and all of the right: where the right changed, the left
rows that it can concern are evaluated against the right as it was and as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rollview.algebra.expressions import Expression
from rollview.algebra.relations import Join, JoinKind, Relation
from rollview.analysis.keys import key_of
from rollview.errors import InternalError
from rollview.maintenance import parents
from rollview.maintenance.flow import Flow, Moment
from rollview.maintenance.images import padded
from rollview.maintenance.keys import Keys, Pair, equalities, names_of
from rollview.maintenance.outward import Joined, flatten, outwards, taken_apart
from rollview.maintenance.parents import Order
from rollview.maintenance.program import Note, RuleName
from rollview.maintenance.reads import AFTER, BEFORE, label
from rollview.maintenance.reasons import no_equality, value_moved
from rollview.maintenance.signed import MINUS, PLUS, signed, sum_of, unsigned


def delta_join(join: Join, flow: Flow) -> Relation | None:
    """The delta of a join of any kind."""
    match join.kind:
        case JoinKind.INNER | JoinKind.CROSS:
            return _telescoped(join, flow)
        case JoinKind.LEFT | JoinKind.RIGHT | JoinKind.FULL:
            flow.note(join, Note(RuleName.PADDED))
            return flow.delta(flow.as_form(join, padded(join)))
        case _:
            return _by_match(join, flow)


def _telescoped(join: Join, flow: Flow) -> Relation | None:
    """``d(Q1..Qn) = sum over i of Q1(before)..d(Qi)..Qn(after)``."""
    for part in taken_apart(join, flow.kept):
        if flow.has_changed(part):
            rule = RuleName.TELESCOPED if isinstance(part, Join) else RuleName.LINEAR
            flow.note(part, Note(rule))
    joined = flatten(join, flow.kept)
    order = parents.order(flow, joined)
    terms = []
    for index in order.places:
        change = flow.delta(joined.inputs[index])
        if change is None:
            continue
        if len(joined.inputs) > 1:
            change = flow.hold(change, "change")
        if index in order.references:
            change = parents.stayed(flow, order.references[index], change)
        term = _Term(join, flow, joined, order, index, change)
        terms.append(outwards(flow, joined, index, change, term.other))
    return sum_of(terms, join.columns)


@dataclass(frozen=True, slots=True)
class _Term:
    """The change of one input, which the others are joined to."""

    join: Join
    flow: Flow
    joined: Joined
    order: Order
    changed: int
    change: Relation

    def other(self, index: int, keys: Keys | None, by: tuple[Expression, ...]) -> Relation:
        """Another input, as it was if it comes before the changed one, else as it is."""
        relation = self.joined.inputs[index]
        moment = Moment.BEFORE if self.order.is_before(index, self.changed) else Moment.AFTER
        self.flow.read(self.join, moment, relation, by, self._when())
        if not by and self.flow.reaches_tables(relation):
            self._read_whole(label(relation, self.flow.kept))
        rows = self.flow.at(moment, relation, keys)
        found = self.order.references.get(index)
        if moment is Moment.BEFORE or found is None:
            return rows
        return parents.with_gone(self.flow, found, relation, rows, self._change(relation))

    def _change(self, relation: Relation) -> Relation:
        change = self.flow.delta(relation)
        if change is None:
            raise InternalError("a parent whose order is by its changes, and without any")
        return self.flow.hold(change, "change")

    def _when(self) -> str:
        found = self.order.references.get(self.changed)
        return "" if found is None else parents.when(found)

    def _read_whole(self, what: str) -> None:
        if key_of(self.joined.inputs[self.changed]) == ():
            moved = self.flow.rarely(self.change)
            self.flow.blame(self.join, value_moved(self.join, what), when=moved)
        else:
            self.flow.blame(self.join, no_equality(self.join, what), when=self.change)


def _by_match(join: Join, flow: Flow) -> Relation | None:
    """``d(L op R) = d(L) op R(after) + L' op R(after) - L' op R(before)``.

    L' are the rows of L before, which a change of R can concern.
    """
    flow.note(join, Note(RuleName.MATCHES))
    pairs = equalities(join.condition, names_of(join.left), names_of(join.right))
    terms = []
    change, others = flow.delta(join.left), flow.delta(join.right)
    gone = when = None
    if others is not None and join.kind in (JoinKind.SEMI, JoinKind.ANTI):
        found = parents.reference(flow, join.left, join.right, pairs)
        if found is not None:
            gone = found, flow.hold(others, "change")
            when = parents.when(found)
    if change is not None:
        terms.append(_left_changed(join, flow, pairs, change, gone))
    if others is not None:
        others = flow.hold(others, "change")
        others = others if gone is None else parents.regained(flow, *gone, join.condition)
        terms += _right_changed(join, flow, pairs, others, when or "")
    return sum_of(terms, join.columns)


def _left_changed(
    join: Join,
    flow: Flow,
    pairs: tuple[Pair, ...],
    change: Relation,
    gone: tuple[parents.Reference, Relation] | None,
) -> Relation:
    """Only the right of such a join can be broadcast, so it is cut down even if it is a table."""
    keys = None
    if pairs or join.kind is JoinKind.EXISTENCE:  # Spark cannot have EXISTS over a union
        change = flow.hold(change, "change")
    if pairs:
        keys = flow.matching(change, pairs, of_left=True)
    flow.read(join, AFTER, join.right, tuple(pair.right for pair in pairs))
    if not pairs and flow.reaches_tables(join.right):
        flow.blame(join, no_equality(join, label(join.right, flow.kept)))
    right = flow.after(join.right, keys)
    if gone is not None:
        right = parents.with_gone(flow, gone[0], join.right, right, gone[1])
    return signed(replace(join, left=change, right=right), join.columns)


def _right_changed(
    join: Join, flow: Flow, pairs: tuple[Pair, ...], change: Relation, when: str
) -> list[Relation]:
    right_keys = None
    flow.read(join, BEFORE, join.left, tuple(pair.left for pair in pairs), when)
    for moment in (BEFORE, AFTER):
        flow.read(join, moment, join.right, tuple(pair.right for pair in pairs), when)
    if pairs:
        found = flow.matching(change, pairs, of_left=False)
        right_keys = found.over(tuple(pair.right for pair in pairs))
        left = flow.before(join.left, found)
    else:
        for side in (join.left, join.right):
            if flow.reaches_tables(side):
                flow.blame(join, no_equality(join, label(side, flow.kept)), when=change)
        left = Join(JoinKind.SEMI, flow.before(join.left), unsigned(change), join.condition)
    left = flow.hold(left, "concerned")
    columns = join.columns
    now = replace(join, left=left, right=flow.after(join.right, right_keys))
    then = replace(join, left=left, right=flow.before(join.right, right_keys))
    return [signed(now, columns, PLUS), signed(then, columns, MINUS)]
