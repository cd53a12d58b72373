"""EXCEPT and INTERSECT: by set as in table 4.1 of Barbier (2007), by bag as in Griffin, Libkin.

By set both inputs are rid of duplicates first, so that the equations of sets hold for them. By bag
(Griffin, Libkin 1995, monus) let n be how much more S - T would lose than gain of a row if it could
be negative: ``(N(S) + D(T)) - (D(S) + N(T))``. Of n copies only those are lost that are there, in
S - T; of -n copies those are not gained that fill up what T has more than S. INTERSECT ALL is
S - (S - T).
"""

from __future__ import annotations

from dataclasses import replace

from rollview.algebra.relations import Distinct, Relation, SetKind, SetOperation, Union
from rollview.algebra.schema import Schema
from rollview.algebra.traverse import inputs
from rollview.maintenance.flow import Flow
from rollview.maintenance.keys import Keys
from rollview.maintenance.pairs import (
    Pair,
    disjoint,
    matched,
    mod_values,
    pair,
    renamed,
    rows,
    sub_values,
    within_rows,
    without_rows,
)
from rollview.maintenance.program import Note, RuleName
from rollview.maintenance.reads import BEFORE
from rollview.maintenance.signed import references


def delta_set_operation(operation: SetOperation, flow: Flow) -> Relation | None:
    """``d(S - T)`` and ``d(S & T)``, see `_monus`, `_difference` and `_intersection`."""
    flow.note(operation, Note(RuleName.PAIR))
    if operation.all and operation.kind is SetKind.INTERSECT:
        rest = replace(operation, kind=SetKind.EXCEPT)
        return flow.delta(flow.as_form(operation, replace(rest, right=rest)))
    if operation.all:
        return _monus(operation, flow)
    one, two = Distinct(operation.left), Distinct(operation.right)
    flow.as_form(operation, replace(operation, left=one, right=two))
    sides = _Sides(flow, operation, one, two)
    if operation.kind is SetKind.INTERSECT:
        gained, lost = _intersection(sides)
    else:
        gained, lost = _difference(sides)
    if gained is None or lost is None:
        return None
    return disjoint(flow, gained, lost, operation.columns)


def _monus(operation: SetOperation, flow: Flow) -> Relation | None:
    """``N = (L - M) & (S - T)``, ``D = (M - L) - (T - S)``.

    L is what makes it shrink, ``N(S) + D(T)``, and M what makes it grow, ``D(S) + N(T)``.
    """
    left, right = pair(flow, operation.left), pair(flow, operation.right)
    more, less = _either(left, right, operation.columns)
    if more is None or less is None:
        return None
    down = flow.hold(_minus(less, more, operation.columns), "less")
    up = flow.hold(_minus(more, less, operation.columns), "more")
    concerned = Union((up, down), operation.columns)
    one = _image(flow, operation, operation.left, concerned)
    two = _image(flow, operation, operation.right, concerned)
    there, lacking = _minus(one, two, operation.columns), _minus(two, one, operation.columns)
    lost = SetOperation(SetKind.INTERSECT, True, down, there, operation.columns)
    gained = _minus(up, lacking, operation.columns)
    return disjoint(flow, gained, lost, operation.columns)


def _either(
    left: Pair | None, right: Pair | None, columns: Schema
) -> tuple[Relation | None, Relation | None]:
    """What makes S - T grow, and what makes it shrink."""
    more: list[Relation] = []
    less: list[Relation] = []
    if left is not None:
        more.append(left.gained)
        less.append(left.lost)
    if right is not None:
        more.append(right.lost)
        less.append(right.gained)
    if not more:
        return None, None
    return _sum(more, columns), _sum(less, columns)


def _sum(relations: list[Relation], columns: Schema) -> Relation:
    named = tuple(renamed(relation, columns) for relation in relations)
    return named[0] if len(named) == 1 else Union(named, columns)


def _minus(one: Relation, two: Relation, columns: Schema) -> Relation:
    return SetOperation(SetKind.EXCEPT, True, one, two, columns)


def _image(flow: Flow, operation: SetOperation, side: Relation, concerned: Relation) -> Relation:
    """The rows of an input that are equal to changed ones."""
    flow.read(operation, BEFORE, side, references(side.columns))
    keys = flow.keys(concerned, references(operation.columns))
    keys = keys.over(matched(side, operation.columns))
    return renamed(rows(flow, side, keys), operation.columns)


class _Sides:
    """Both inputs as sets under the names of the result, and parts of them under changed rows."""

    def __init__(self, flow: Flow, operation: SetOperation, one: Relation, two: Relation) -> None:
        self.flow = flow
        self.columns = operation.columns
        self.inputs = (one, two)
        self.pairs = tuple(pair(flow, side) for side in self.inputs)
        for side in self.inputs:
            flow.read(operation, BEFORE, inputs(side)[0], references(side.columns))

    def change(self, side: int, *, gained: bool) -> Relation | None:
        """What an input gains or loses; None if it cannot have changed."""
        own = self.pairs[side]
        if own is None:
            return None
        return renamed(own.gained if gained else own.lost, self.columns)

    def keys(self, side: int, driving: Relation) -> Keys:
        """The rows as keys of an input."""
        expressions = references(self.columns)
        own = matched(self.inputs[side], self.columns)
        return self.flow.keys(driving, expressions).over(own)

    def rows(self, side: int, driving: Relation) -> Relation:
        """Q under these rows."""
        return renamed(rows(self.flow, self.inputs[side], self.keys(side, driving)), self.columns)

    def sub(self, side: int, driving: Relation) -> Relation:
        """sub(Q) under these rows."""
        return renamed(
            sub_values(self.flow, self.inputs[side], self.keys(side, driving)), self.columns
        )

    def mod(self, side: int, driving: Relation) -> Relation:
        """mod(Q) under these rows."""
        return renamed(
            mod_values(self.flow, self.inputs[side], self.keys(side, driving)), self.columns
        )

    def union(self, parts: list[Relation | None]) -> Relation | None:
        """The parts that there are, as one set; None if there is none."""
        found = tuple(part for part in parts if part is not None)
        if not found:
            return None
        return found[0] if len(found) == 1 else Distinct(Union(found, self.columns))


def _difference(sides: _Sides) -> tuple[Relation | None, Relation | None]:
    """``D = (D(S) - mod(T)) + (N(T) & sub(S))``, ``N = (N(S) - T) + (D(T) & S)``."""
    flow = sides.flow
    come, gone = sides.change(0, gained=True), sides.change(0, gained=False)
    freed, taken = sides.change(1, gained=False), sides.change(1, gained=True)
    gained = [
        None if come is None else without_rows(flow, come, sides.mod(1, come)),
        None if freed is None else within_rows(flow, freed, sides.sub(0, freed)),
    ]
    lost = [
        None if gone is None else without_rows(flow, gone, sides.rows(1, gone)),
        None if taken is None else within_rows(flow, taken, sides.rows(0, taken)),
    ]
    return sides.union(gained), sides.union(lost)


def _intersection(sides: _Sides) -> tuple[Relation | None, Relation | None]:
    """``D = (D(S) & mod(T)) + (D(T) & mod(S))``, ``N = (N(S) & T) + (N(T) & S)``."""
    flow = sides.flow
    gained: list[Relation | None] = []
    lost: list[Relation | None] = []
    for side, other in ((0, 1), (1, 0)):
        come, gone = sides.change(side, gained=True), sides.change(side, gained=False)
        if come is not None and gone is not None:
            gained.append(within_rows(flow, come, sides.mod(other, come)))
            lost.append(within_rows(flow, gone, sides.rows(other, gone)))
    return sides.union(gained), sides.union(lost)
