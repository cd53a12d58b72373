"""Expressions of an exported plan; the scalar subqueries in them are lifted into joins.

The algebra has no subqueries inside expressions. One that gives a single value is joined, as a
relation of one row, with the input of the operator whose expression holds it, and the expression
refers to its column. The operator's result is then without that column again.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rollview.algebra.expressions import (
    AggregateCall,
    Call,
    ColumnRef,
    Expression,
    Literal,
    SortKey,
    WindowCall,
)
from rollview.algebra.relations import (
    Aggregate,
    Join,
    JoinKind,
    Named,
    Project,
    Relation,
    SingleRow,
    Values,
)
from rollview.algebra.schema import Column, Schema
from rollview.frontend.names import Names

Json = dict[str, Any]
Subplan = Callable[[Json], Relation]


class NotDecoded(Exception):
    """An operator or expression that the algebra has no form for."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


class Scope:
    """Expressions over one input; ``child`` is that input, joined with the subqueries in them.

    ``subplan`` makes a relation of a subquery's plan, with exactly the columns of that plan.
    """

    def __init__(self, names: Names, subplan: Subplan, child: Relation) -> None:
        self._names = names
        self._subplan = subplan
        self._original = child.columns
        self.child = child
        self._scalars: dict[str, ColumnRef] = {}

    @property
    def lifted(self) -> bool:
        return bool(self._scalars)

    def expression(self, data: Json) -> Expression:
        if "c" in data:
            return ColumnRef(self._names.name(data), data["t"], data["u"])
        if "l" in data:
            return literal(data)
        if "s" in data:
            return self._scalar(data)
        if "k" in data and "g" not in data:
            args = tuple(self.expression(arg) for arg in data["a"])
            return Call(data["k"], tuple(data["p"]), args, data["t"], data["u"], data["d"])
        raise NotDecoded("Expression", str(data.get("k", "window function")))

    def aggregate(self, data: Json) -> AggregateCall:
        args = tuple(self.expression(arg) for arg in data["a"])
        condition = self.expression(data["filter"]) if "filter" in data else None
        parts = tuple(data["p"])
        kind, distinct = data["k"], data["distinct"]
        return AggregateCall(
            kind, parts, args, data["t"], data["u"], data["d"], distinct, condition
        )

    def window(self, data: Json) -> WindowCall:
        function = data["w"]
        if "g" in function:
            return WindowCall(self.aggregate(function), data["frame"])
        return WindowCall(self.expression(function), data["frame"])

    def order(self, keys: list[Json]) -> tuple[SortKey, ...]:
        return tuple(SortKey(self.expression(k["e"]), k["asc"], k["first"]) for k in keys)

    def restored(self, relation: Relation) -> Relation:
        """The relation without the columns that lifted subqueries added to its input."""
        if not self.lifted:
            return relation
        added = {c.name for c in self.child.columns} - {c.name for c in self._original}
        kept = tuple(c for c in relation.columns if c.name not in added)
        return narrowed(relation, kept)

    def _scalar(self, data: Json) -> Expression:
        """The value of a scalar subquery; the same one twice is joined once."""
        key = json.dumps(data["s"], sort_keys=True)
        if key not in self._scalars:
            plan = self._subplan(data["s"])
            if not _is_one_row(plan):
                plan = SingleRow(plan, self._names.unique("scalar"))
            self.child = Join(JoinKind.CROSS, self.child, plan)
            self._scalars[key] = replace(reference(plan.columns[0]), nullable=True)
        return self._scalars[key]


class Aggregated:
    """The output expressions of an aggregate: calls become columns, the rest stays above.

    ``calls`` collects the calls with their names; ``below`` is the scope of the aggregate's input.
    """

    def __init__(self, names: Names, subplan: Subplan, below: Scope) -> None:
        self.calls: dict[AggregateCall, str] = {}
        self._names = names
        self._below = below
        self._above = Scope(names, subplan, Values((), ((),)))

    def expression(self, data: Json, name: str | None = None) -> Expression:
        if "g" in data:
            call = self._below.aggregate(data)
            if call not in self.calls:
                self.calls[call] = name or self._names.unique(call.kind.lower())
            return ColumnRef(self.calls[call], call.type, call.nullable)
        if "s" in data:
            return self._above.expression(data)
        if "k" in data:
            args = tuple(self.expression(arg) for arg in data["a"])
            return Call(data["k"], tuple(data["p"]), args, data["t"], data["u"], data["d"])
        return self._below.expression(data)

    def wrap(self, relation: Relation) -> Relation:
        """The aggregate, joined with the scalar subqueries of its output expressions."""
        scalars: list[Relation] = []
        joined = self._above.child
        while isinstance(joined, Join):
            scalars.insert(0, joined.right)
            joined = joined.left
        for scalar in scalars:
            relation = Join(JoinKind.CROSS, relation, scalar)
        return relation


def narrowed(relation: Relation, columns: Schema) -> Relation:
    """The relation with exactly these of its columns, in this order."""
    if tuple(c.name for c in relation.columns) == tuple(c.name for c in columns):
        return relation
    return Project(relation, tuple(Named(c.name, reference(c)) for c in columns))


def reference(column: Column) -> ColumnRef:
    """The expression that is the column itself."""
    return ColumnRef(column.name, column.type, column.nullable)


def literal(data: Json) -> Literal:
    """An exported constant."""
    return Literal(data["l"], data["t"], data["u"])


def _is_one_row(relation: Relation) -> bool:
    match relation:
        case Aggregate(groups=()):
            return True
        case Project(child=child):
            return _is_one_row(child)
        case _:
            return False
