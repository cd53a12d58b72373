"""Union that keeps duplicates (Griffin, Libkin 1995)."""

from __future__ import annotations

from rollview.algebra.expressions import typed
from rollview.algebra.relations import Named, Project, Relation, Union
from rollview.algebra.schema import Schema
from rollview.maintenance.flow import Flow
from rollview.maintenance.pairs import minimal
from rollview.maintenance.program import Note, RuleName
from rollview.maintenance.signed import WEIGHT, WEIGHT_REF, reference, sum_of


def delta_union(union: Union, flow: Flow) -> Relation | None:
    """``d(Q1 + ... + Qn) = net(d(Q1) + ... + d(Qn))``.

    For two, ``D = (D(Q1) - N(Q2)) + (D(Q2) - N(Q1))`` and N the other way round: a row that one
    input gains and another loses has only moved.
    """
    deltas = []
    for child in union.inputs:
        below = flow.delta(child)
        if below is not None:
            deltas.append(_named_like(below, child.columns, union.columns))
    whole = sum_of(deltas, union.columns)
    if whole is None:
        return None
    flow.note(union, Note(RuleName.PAIR))
    return flow.hold(whole, "pair") if len(deltas) == 1 else minimal(flow, whole)


def _named_like(delta: Relation, inner: Schema, outer: Schema) -> Relation:
    """Structs are matched by position, so that their fields may have other names."""
    items = tuple(
        Named(column.name, typed(reference(below), column.type))
        for column, below in zip(outer, inner, strict=True)
    )
    return Project(delta, (*items, Named(WEIGHT, WEIGHT_REF)))
