"""Simpler relations: one operator, column, call or argument less, where names still resolve."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

from rollview.algebra.expressions import AggregateCall, Call, ColumnRef, Expression, SortKey
from rollview.algebra.relations import (
    Aggregate,
    Expand,
    Filter,
    Generate,
    Join,
    Project,
    Recursion,
    Relation,
    Scan,
    SetKind,
    SetOperation,
    TopK,
    Union,
    Values,
    Window,
)
from rollview.algebra.schema import Schema
from rollview.algebra.traverse import (
    column_names,
    expressions,
    inputs,
    walk_expression,
    with_inputs,
)
from rollview.analysis.order import canonical

T = TypeVar("T")


def fewer_operators(relation: Relation) -> Iterator[Relation]:
    """The relation without one of its operators; large steps first."""
    return (found for found in _fewer(relation) if is_well_formed(found))


def lighter_operators(relation: Relation) -> Iterator[Relation]:
    """The relation without a column, call, condition or argument of an operator."""
    return (found for found in _lighter(relation) if is_well_formed(found))


def _fewer(relation: Relation) -> Iterator[Relation]:
    """An operator replaced by one of its inputs, anywhere."""
    below = inputs(relation)
    if isinstance(relation, Recursion):
        yield relation.anchor
        return
    yield from below
    for index, child in enumerate(below):
        for other in _fewer(child):
            yield _put(relation, index, other)


def _lighter(relation: Relation) -> Iterator[Relation]:
    """A part of an operator left out, anywhere."""
    yield from _parts(relation)
    if isinstance(relation, Recursion):
        return
    for index, child in enumerate(inputs(relation)):
        for other in _lighter(child):
            yield _put(relation, index, other)


def _put(relation: Relation, index: int, child: Relation) -> Relation:
    below = inputs(relation)
    if isinstance(relation, Union | SetOperation) and len(child.columns) != len(relation.columns):
        return relation
    return _ordered(with_inputs(relation, (*below[:index], child, *below[index + 1 :])))


def _ordered(relation: Relation) -> Relation:
    """Without the keys of an order whose columns are gone; `canonical` completes what is left."""
    if not isinstance(relation, Window | TopK):
        return relation
    there = {c.name for c in relation.child.columns}
    order = tuple(key for key in relation.order if column_names(key.expression) <= there)
    return replace(relation, order=order) if order else relation


def _parts(relation: Relation) -> Iterator[Relation]:  # noqa: C901 - one case per relation
    match relation:
        case Scan(fields=fields, columns=columns):
            for i in range(len(columns) if len(columns) > 1 else 0):
                yield replace(relation, fields=_cut(fields, i), columns=_cut(columns, i))
        case Values(rows=rows):
            yield from (replace(relation, rows=_cut(rows, i)) for i in range(len(rows)))
        case Project(items=items):
            yield from (replace(relation, items=_cut(items, i)) for i in range(len(items)))
            for i, item in enumerate(items):
                for e in _expressions(item.expression):
                    yield replace(relation, items=_swap(items, i, replace(item, expression=e)))
        case Filter(condition=condition):
            yield from (replace(relation, condition=e) for e in _expressions(condition))
        case Join(condition=maybe):
            if maybe is not None:
                yield from (replace(relation, condition=e) for e in _expressions(maybe))
        case Aggregate():
            yield from _aggregates(relation)
        case Window(partition=partition, order=order, calls=calls):
            if len(calls) > 1:
                yield from (replace(relation, calls=_cut(calls, i)) for i in range(len(calls)))
            yield from (
                replace(relation, partition=_cut(partition, i)) for i in range(len(partition))
            )
            yield from _shorter_orders(relation, order)
        case Union(inputs=many) if len(many) > 2:
            yield from (replace(relation, inputs=_cut(many, i)) for i in range(len(many)))
        case Expand(projections=rows) if len(rows) > 1:
            yield from (replace(relation, projections=_cut(rows, i)) for i in range(len(rows)))
        case TopK(order=order, offset=offset):
            if offset is not None:
                yield replace(relation, offset=None)
            yield from _shorter_orders(relation, order)
        case Generate(generator=generator):
            for e in _expressions(generator.args[0]):
                yield replace(relation, generator=replace(generator, args=(e,)))
        case _:
            pass


def _shorter_orders(relation: Window | TopK, order: tuple[SortKey, ...]) -> Iterator[Relation]:
    """A key less, unless the order would be completed again."""
    for i in range(len(order) if len(order) > 1 else 0):
        shorter = replace(relation, order=_cut(order, i))
        if canonical(shorter) == shorter:
            yield shorter


def _aggregates(aggregate: Aggregate) -> Iterator[Relation]:
    groups, calls = aggregate.groups, aggregate.calls
    if len(groups) + len(calls) > 1:
        yield from (replace(aggregate, groups=_cut(groups, i)) for i in range(len(groups)))
        yield from (replace(aggregate, calls=_cut(calls, i)) for i in range(len(calls)))
    for i, one in enumerate(calls):
        for call in _calls(one.call):
            yield replace(aggregate, calls=_swap(calls, i, replace(one, call=call)))


def _calls(call: AggregateCall) -> Iterator[AggregateCall]:
    if call.filter is not None:
        yield replace(call, filter=None)
        yield from (replace(call, filter=e) for e in _expressions(call.filter))
    for i, arg in enumerate(call.args):
        yield from (replace(call, args=_swap(call.args, i, e)) for e in _expressions(arg))


def _expressions(expression: Expression) -> Iterator[Expression]:
    """A call replaced by one of its arguments, anywhere in the expression."""
    if not isinstance(expression, Call):
        return
    yield from (arg for arg in expression.args if arg.type == expression.type)
    for i, arg in enumerate(expression.args):
        for e in _expressions(arg):
            yield replace(expression, args=_swap(expression.args, i, e))


def _cut(many: tuple[T, ...], index: int) -> tuple[T, ...]:
    return (*many[:index], *many[index + 1 :])


def _swap(many: tuple[T, ...], index: int, one: T) -> tuple[T, ...]:
    return (*many[:index], one, *many[index + 1 :])


def is_well_formed(relation: Relation) -> bool:
    """Whether every column that is named exists below, is of that type and no more often NULL."""
    if isinstance(relation, Recursion):
        return True
    below = inputs(relation)
    if not all(is_well_formed(child) for child in below):
        return False
    if isinstance(relation, SetOperation) and relation.kind is SetKind.EXCEPT:
        return _fits(below[0].columns, relation.columns)
    if isinstance(relation, Union | SetOperation):
        return all(_fits(child.columns, relation.columns) for child in below)
    columns = {c.name: c for child in below for c in child.columns}
    if len(columns) != sum(len(child.columns) for child in below):
        return False
    for expression in expressions(relation):
        for part in walk_expression(expression):
            if isinstance(part, ColumnRef):
                found = columns.get(part.name)
                if found is None or found.type != part.type or found.nullable > part.nullable:
                    return False
    return True


def _fits(below: Schema, columns: Schema) -> bool:
    return len(below) == len(columns) and all(
        one.type == two.type and one.nullable <= two.nullable
        for one, two in zip(below, columns, strict=True)
    )
