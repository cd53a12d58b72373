"""UNION ALL is linear in each input (Barbier 2007, section 3.3.1)."""

from __future__ import annotations

from rollview.algebra.expressions import typed
from rollview.algebra.relations import Named, Project, Relation, Union
from rollview.algebra.schema import Schema
from rollview.maintenance.flow import Flow
from rollview.maintenance.program import Note, RuleName
from rollview.maintenance.signed import WEIGHT, WEIGHT_REF, reference, sum_of


def delta_union(union: Union, flow: Flow) -> Relation | None:
    """``d(Q1 + ... + Qn) = d(Q1) + ... + d(Qn)``."""
    flow.note(union, Note(RuleName.LINEAR))
    deltas = []
    for child in union.inputs:
        below = flow.delta(child)
        if below is not None:
            deltas.append(_named_like(below, child.columns, union.columns))
    return sum_of(deltas, union.columns)


def _named_like(delta: Relation, inner: Schema, outer: Schema) -> Relation:
    """Structs are matched by position, so that their fields may have other names."""
    items = tuple(
        Named(column.name, typed(reference(below), column.type))
        for column, below in zip(outer, inner, strict=True)
    )
    return Project(delta, (*items, Named(WEIGHT, WEIGHT_REF)))
