"""The other form of a program by substitution (Barbier 2007, theorem 4.2, first proof).

In a post-update expression ``(R - D(R)) + N(R)`` stands for R as it was; in a pre-update one
``(R - N(R)) + D(R)`` for R as it is. The strategy itself goes by inversion (the second proof).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rollview.algebra.relations import After, Before, Changes, Relation, Union
from rollview.algebra.traverse import transform_up
from rollview.maintenance.pairs import inverse
from rollview.maintenance.program import Program
from rollview.maintenance.signed import PLUS, WEIGHT, WEIGHT_COLUMN, added, net, signed


def post_update(program: Program) -> Program:
    """The program, reading the tables as they are."""
    return _mapped(program, _then_by_now)


def pre_update(program: Program, changed: frozenset[str]) -> Program:
    """The program, reading the tables that changed as they were."""

    def change(node: Relation) -> Relation:
        if isinstance(node, After) and node.source in changed:
            old = Before(node.source, node.fields, node.columns)
            return _moved(old, _changes(node))
        return node

    return _mapped(program, change)


def _then_by_now(node: Relation) -> Relation:
    if isinstance(node, Before):
        now = After(node.source, node.fields, node.columns)
        return _moved(now, inverse(_changes(node)))
    return node


def _changes(table: Before | After) -> Changes:
    fields = (*table.fields, WEIGHT)
    return Changes(table.source, fields, (*table.columns, WEIGHT_COLUMN))


def _moved(table: Relation, change: Relation) -> Relation:
    both = (signed(table, table.columns, PLUS), change)
    return added(net(Union(both, (*table.columns, WEIGHT_COLUMN))))


def _mapped(program: Program, change: Callable[[Relation], Relation]) -> Program:
    def of(relation: Relation) -> Relation:
        return transform_up(relation, change)

    return replace(
        program,
        steps=tuple(replace(step, relation=of(step.relation)) for step in program.steps),
        delta=None if program.delta is None else of(program.delta),
        states={name: of(relation) for name, relation in program.states.items()},
    )
