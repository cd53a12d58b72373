"""Joins: what is lost with either side, what is gained with either side.

Griffin, Libkin (1995), the product of bags; that of sets in table 4.1 of Barbier (2007) is the same
but for pairs of rows that are lost or gained on both sides, which a bag must not count twice.
"""

from __future__ import annotations

from dataclasses import replace

from rollview.algebra.expressions import Expression
from rollview.algebra.relations import Join, JoinKind, Relation, Side, Union
from rollview.analysis.keys import key_of
from rollview.maintenance.flow import Flow
from rollview.maintenance.images import padded
from rollview.maintenance.keys import Keys, Pair, equalities, names_of
from rollview.maintenance.matches import delta_matches
from rollview.maintenance.pairs import delta_of, minimal, mod, pair, rows, sub
from rollview.maintenance.program import Note, RuleName
from rollview.maintenance.reads import BEFORE, label
from rollview.maintenance.reasons import no_equality, value_moved


def delta_join(join: Join, flow: Flow) -> Relation | None:
    """The delta of a join of any kind.

    An outer join is the inner one and the rows without a match. Whether a match exists is no
    operator of the papers: it is evaluated before and after for the rows concerned, which the
    equations allow, since such a join, too, is a function of each left row and all of the right.
    """
    match join.kind:
        case JoinKind.INNER | JoinKind.CROSS:
            flow.note(join, Note(RuleName.PAIR))
            return _product(join, flow)
        case JoinKind.LEFT | JoinKind.RIGHT | JoinKind.FULL:
            flow.note(join, Note(RuleName.PADDED))
            return flow.delta(flow.as_form(join, padded(join)))
        case _:
            delta = delta_matches(join, flow)
            return None if delta is None else minimal(flow, delta)


def _product(join: Join, flow: Flow) -> Relation | None:
    """``D = D(L) x mod(R) + sub(L) x D(R)``, ``N = N(L) x R + sub(L) x N(R)``."""
    left, right = pair(flow, join.left), pair(flow, join.right)
    pairs = equalities(join.condition, names_of(join.left), names_of(join.right))
    gained: list[Relation] = []
    lost: list[Relation] = []
    if left is not None:
        keys = _reached(join, flow, pairs, left.change, of_left=True)
        small = replace(join, broadcast=Side.LEFT)
        old, new = rows(flow, join.right, keys), mod(flow, join.right, keys)
        lost.append(replace(small, left=left.lost, right=old))
        gained.append(replace(small, left=left.gained, right=new))
    if right is not None:
        keys = _reached(join, flow, pairs, right.change, of_left=False)
        small = replace(join, left=sub(flow, join.left, keys), broadcast=Side.RIGHT)
        lost.append(replace(small, right=right.lost))
        gained.append(replace(small, right=right.gained))
    if not gained:
        return None
    return delta_of(flow, _sum(gained, join), _sum(lost, join), join.columns)


def _sum(terms: list[Relation], join: Join) -> Relation:
    return terms[0] if len(terms) == 1 else Union(tuple(terms), join.columns)


def _reached(
    join: Join, flow: Flow, pairs: tuple[Pair, ...], change: Relation, *, of_left: bool
) -> Keys | None:
    """The keys that lead from the change of one side to the rows of the other."""
    other = join.right if of_left else join.left
    by: tuple[Expression, ...] = tuple(pair.right if of_left else pair.left for pair in pairs)
    flow.read(join, BEFORE, other, by)
    if not pairs and flow.reaches_tables(other):
        _read_whole(join, flow, label(other, flow.kept), change, of_left=of_left)
    return flow.matching(change, pairs, of_left=of_left) if pairs else None


def _read_whole(join: Join, flow: Flow, what: str, change: Relation, *, of_left: bool) -> None:
    """The change of a single row, a value that is compared with, has no rows at most times."""
    if key_of(join.left if of_left else join.right) == ():
        flow.blame(join, value_moved(join, what), when=flow.rarely(change))
    else:
        flow.blame(join, no_equality(join, what), when=change)
