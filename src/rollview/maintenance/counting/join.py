"""Joins: terms only for the inputs that changed, evaluated from the change outwards.

Blakeley, Larson, Tompa (1986), section 5.3, sum over all combinations of changed and unchanged
inputs, 2^k - 1 for k changed ones. With images of both moments the sum telescopes to k terms:
inputs before the changed one as they were, inputs after it as they are. Both are there:
``join_terms`` chooses. Along declared foreign keys, the terms of telescoped joins have an order of
their own (`parents`); rows of the truth table make no use of any.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from rollview.algebra.expressions import Expression
from rollview.algebra.relations import Join, JoinKind, Relation
from rollview.analysis.keys import key_of
from rollview.errors import InternalError
from rollview.maintenance import parents
from rollview.maintenance.flow import Flow, Moment
from rollview.maintenance.images import padded
from rollview.maintenance.keys import Keys
from rollview.maintenance.matches import delta_matches
from rollview.maintenance.outward import Joined, branches, flatten, outwards, taken_apart
from rollview.maintenance.parents import Order
from rollview.maintenance.program import Note, RuleName
from rollview.maintenance.reads import label
from rollview.maintenance.reasons import no_equality, value_moved
from rollview.maintenance.signed import sum_of

JOIN_TERMS, TELESCOPED, TRUTH_TABLE = "join_terms", "telescoped", "truth_table"


def delta_join(join: Join, flow: Flow) -> Relation | None:
    """The delta of a join of any kind."""
    match join.kind:
        case JoinKind.INNER | JoinKind.CROSS:
            return _by_terms(join, flow)
        case JoinKind.LEFT | JoinKind.RIGHT | JoinKind.FULL:
            flow.note(join, Note(RuleName.PADDED))
            return flow.delta(flow.as_form(join, padded(join)))
        case _:
            return delta_matches(join, flow)


def _by_terms(join: Join, flow: Flow) -> Relation | None:
    """The sum of terms that begin with the change of one input each."""
    tabled = flow.option(JOIN_TERMS) == TRUTH_TABLE
    of_joins = RuleName.TRUTH_TABLE if tabled else RuleName.TELESCOPED
    for part in taken_apart(join, flow.kept):
        if flow.has_changed(part):
            rule = of_joins if isinstance(part, Join) else RuleName.LINEAR
            flow.note(part, Note(rule))
    joined = flatten(join, flow.kept)
    order = parents.as_they_stand(joined) if tabled else parents.order(flow, joined)
    changes: dict[int, Relation] = {}
    for index in order.places:
        change = flow.delta(joined.inputs[index])
        if change is not None:
            several = len(joined.inputs) > 1
            changes[index] = flow.hold(change, "change") if several else change
    terms: list[Relation] = []
    for index, change in changes.items():
        found = order.references.get(index)
        first = change if found is None else parents.stayed(flow, found, change)
        term = _Term(join, flow, joined, order, index, first)
        if tabled:
            later = {other: own for other, own in changes.items() if other > index}
            rows = partial(term.rows_of_table, later)
            terms += branches(flow, joined, index, first, rows)
        else:
            terms.append(outwards(flow, joined, index, first, term.telescoped))
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

    def telescoped(self, index: int, keys: Keys | None, by: tuple[Expression, ...]) -> Relation:
        """``d(Q1..Qn) = sum over i of Q1(before)..d(Qi)..Qn(after)``."""
        is_before = self.order.is_before(index, self.changed)
        return self._image(index, Moment.BEFORE if is_before else Moment.AFTER, keys, by)

    def rows_of_table(
        self,
        later: Mapping[int, Relation],
        index: int,
        keys: Keys | None,
        by: tuple[Expression, ...],
    ) -> tuple[Relation, ...]:
        """``d(Q1..Qn) = sum over the rows of the truth table``, those that begin with this change.

        In a row every changed input is its change or what it was, and not all what they were. This
        one is the first that is its change; each later one is both, in turn.
        """
        before = self._image(index, Moment.BEFORE, keys, by)
        return (before, later[index]) if index in later else (before,)

    def _image(
        self, index: int, moment: Moment, keys: Keys | None, by: tuple[Expression, ...]
    ) -> Relation:
        relation = self.joined.inputs[index]
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
