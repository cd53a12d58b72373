"""Joins that ask whether a match exists: key-scoped, from the rows whose matches may have changed.

Such a join is a function of each left row and all of the right: where the right changed, the left
rows that it can concern are evaluated against the right as it was and as it is.
"""

from __future__ import annotations

from dataclasses import replace

from rollview.algebra.relations import Join, JoinKind, Relation
from rollview.maintenance import parents
from rollview.maintenance.flow import Flow
from rollview.maintenance.keys import Pair, equalities, names_of
from rollview.maintenance.program import Note, RuleName
from rollview.maintenance.reads import AFTER, BEFORE, label
from rollview.maintenance.reasons import no_equality
from rollview.maintenance.signed import MINUS, PLUS, signed, sum_of, unsigned


def delta_matches(join: Join, flow: Flow) -> Relation | None:
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
