"""Joins: terms only for the inputs that changed, evaluated from the change outwards.

Blakeley, Larson, Tompa (1986), section 5.3, sum over all combinations of changed and unchanged
inputs, 2^k - 1 for k changed ones. With images of both moments the sum telescopes to k terms:
inputs before the changed one as they were, inputs after it as they are. Joins that ask whether a
match exists are functions of each left row and all of the right: where the right changed, the left
rows that it can concern are evaluated against the right as it was and as it is.
"""

from __future__ import annotations

from dataclasses import replace

from rollview.algebra.relations import Join, JoinKind, Relation
from rollview.maintenance.flow import Flow, Moment
from rollview.maintenance.images import padded
from rollview.maintenance.keys import Keys, Pair, equalities, names_of
from rollview.maintenance.outward import flatten, outwards
from rollview.maintenance.program import Note
from rollview.maintenance.signed import MINUS, PLUS, signed, sum_of, unsigned


def delta_join(join: Join, flow: Flow) -> Relation | None:
    """The delta of a join of any kind."""
    match join.kind:
        case JoinKind.INNER | JoinKind.CROSS:
            return _telescoped(join, flow)
        case JoinKind.LEFT | JoinKind.RIGHT | JoinKind.FULL:
            flow.note(join, Note("join: matches, and rows without one"))
            return flow.delta(padded(join))
        case _:
            return _by_match(join, flow)


def _telescoped(join: Join, flow: Flow) -> Relation | None:
    """``d(Q1..Qn) = sum over i of Q1(before)..d(Qi)..Qn(after)``."""
    flow.note(join, Note("join: one term per changed input"))
    joined = flatten(join)
    terms = []
    for index, relation in enumerate(joined.inputs):
        change = flow.delta(relation)
        if change is None:
            continue

        def other(position: int, keys: Keys | None, index: int = index) -> Relation:
            moment = Moment.BEFORE if position < index else Moment.AFTER
            return flow.at(moment, joined.inputs[position], keys)

        if len(joined.inputs) > 1:
            change = flow.hold(change, "change")
        terms.append(outwards(flow, joined, index, change, other))
    return sum_of(terms, join.columns)


def _by_match(join: Join, flow: Flow) -> Relation | None:
    """``d(L op R) = d(L) op R(after) + L' op R(after) - L' op R(before)``.

    L' are the rows of L before, which a change of R can concern.
    """
    flow.note(join, Note("join: rows whose matches may have changed"))
    pairs = equalities(join.condition, names_of(join.left), names_of(join.right))
    terms = []
    change = flow.delta(join.left)
    if change is not None:
        terms.append(_left_changed(join, flow, pairs, change))
    change = flow.delta(join.right)
    if change is not None:
        terms += _right_changed(join, flow, pairs, flow.hold(change, "change"))
    return sum_of(terms, join.columns)


def _left_changed(join: Join, flow: Flow, pairs: tuple[Pair, ...], change: Relation) -> Relation:
    """Only the right of such a join can be broadcast, so it is cut down even if it is a table."""
    keys = None
    if pairs:
        change = flow.hold(change, "change")
        keys = flow.matching(change, pairs, of_left=True)
    right = flow.after(join.right, keys)
    return signed(replace(join, left=change, right=right), join.columns)


def _right_changed(
    join: Join, flow: Flow, pairs: tuple[Pair, ...], change: Relation
) -> list[Relation]:
    right_keys = None
    if pairs:
        found = flow.matching(change, pairs, of_left=False)
        right_keys = found.over(tuple(pair.right for pair in pairs))
        left = flow.before(join.left, found)
    else:
        left = Join(JoinKind.SEMI, flow.before(join.left), unsigned(change), join.condition)
    left = flow.hold(left, "concerned")
    columns = join.columns
    now = replace(join, left=left, right=flow.after(join.right, right_keys))
    then = replace(join, left=left, right=flow.before(join.right, right_keys))
    return [signed(now, columns, PLUS), signed(then, columns, MINUS)]
