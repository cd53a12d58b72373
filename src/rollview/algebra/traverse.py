"""The only recursion over relations and expressions; everything else is built on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import assert_never

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
    After,
    Aggregate,
    Before,
    Changes,
    Distinct,
    Expand,
    Filter,
    Generate,
    Join,
    Project,
    Recursion,
    RecursionInput,
    Relation,
    Scan,
    SetOperation,
    SingleRow,
    Sort,
    State,
    TableFunction,
    Temporary,
    TopK,
    Union,
    Values,
    Window,
)

AnyExpression = Expression | AggregateCall | WindowCall


def inputs(relation: Relation) -> tuple[Relation, ...]:
    """The relations that this one reads, left to right."""
    match relation:
        case Scan() | Values() | TableFunction() | RecursionInput():
            return ()
        case Changes() | Before() | After() | State() | Temporary():
            return ()
        case Join(left=left, right=right) | SetOperation(left=left, right=right):
            return (left, right)
        case Union(inputs=many):
            return many
        case Recursion(anchor=anchor, step=step):
            return (anchor, step)
        case (
            Project(child=child)
            | Filter(child=child)
            | Aggregate(child=child)
            | Distinct(child=child)
            | Window(child=child)
            | Expand(child=child)
            | Generate(child=child)
            | Sort(child=child)
            | TopK(child=child)
            | SingleRow(child=child)
        ):
            return (child,)
        case _:
            assert_never(relation)


def with_inputs(relation: Relation, new: tuple[Relation, ...]) -> Relation:
    """The same relation over other inputs."""
    match relation:
        case Scan() | Values() | TableFunction() | RecursionInput():
            return relation
        case Changes() | Before() | After() | State() | Temporary():
            return relation
        case Join() | SetOperation():
            return replace(relation, left=new[0], right=new[1])
        case Union():
            return replace(relation, inputs=new)
        case Recursion():
            return replace(relation, anchor=new[0], step=new[1])
        case (
            Project()
            | Filter()
            | Aggregate()
            | Distinct()
            | Window()
            | Expand()
            | Generate()
            | Sort()
            | TopK()
            | SingleRow()
        ):
            return replace(relation, child=new[0])
        case _:
            assert_never(relation)


def walk(relation: Relation) -> Iterator[Relation]:
    """The relation and everything below it, parents first."""
    yield relation
    for child in inputs(relation):
        yield from walk(child)


def transform_up(relation: Relation, change: Callable[[Relation], Relation]) -> Relation:
    """The tree with ``change`` applied to every relation, inputs first."""
    return change(with_inputs(relation, tuple(transform_up(i, change) for i in inputs(relation))))


def expressions(  # noqa: C901 - one case per relation
    relation: Relation,
) -> tuple[AnyExpression, ...]:
    """The expressions that this relation itself evaluates."""
    match relation:
        case Scan() | TableFunction() | RecursionInput() | Distinct() | Union():
            return ()
        case Changes() | Before() | After() | State() | Temporary():
            return ()
        case SetOperation() | SingleRow() | Recursion():
            return ()
        case Values(rows=rows):
            return tuple(cell for row in rows for cell in row)
        case Project(items=items):
            return tuple(item.expression for item in items)
        case Filter(condition=condition):
            return (condition,)
        case Join(condition=maybe):
            return () if maybe is None else (maybe,)
        case Aggregate(groups=groups, calls=calls):
            return (*groups, *(call.call for call in calls))
        case Window(partition=partition, order=order, calls=windows):
            return (*partition, *_keys(order), *(call.call for call in windows))
        case Expand(projections=projections):
            return tuple(cell for row in projections for cell in row)
        case Generate(generator=generator):
            return (generator,)
        case Sort(order=order):
            return _keys(order)
        case TopK(order=order, limit=limit, offset=offset):
            return (*_keys(order), *(e for e in (limit, offset) if e is not None))
        case _:
            assert_never(relation)


def _keys(order: tuple[SortKey, ...]) -> tuple[Expression, ...]:
    return tuple(key.expression for key in order)


def arguments(expression: AnyExpression) -> tuple[AnyExpression, ...]:
    """The direct parts of an expression."""
    match expression:
        case ColumnRef() | Literal():
            return ()
        case Call(args=args):
            return args
        case AggregateCall(args=args, filter=maybe):
            return args if maybe is None else (*args, maybe)
        case WindowCall(function=function):
            return (function,)
        case _:
            assert_never(expression)


def walk_expression(expression: AnyExpression) -> Iterator[AnyExpression]:
    """The expression and all its parts, parents first."""
    yield expression
    for part in arguments(expression):
        yield from walk_expression(part)


def column_names(expression: AnyExpression) -> frozenset[str]:
    """The names of all columns that the expression refers to."""
    return frozenset(e.name for e in walk_expression(expression) if isinstance(e, ColumnRef))


def rewrite(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The expression with ``change`` applied to every part of it, arguments first."""
    if isinstance(expression, Call):
        args = tuple(rewrite(arg, change) for arg in expression.args)
        return change(replace(expression, args=args))
    return change(expression)


def substitute(expression: Expression, values: Mapping[str, Expression]) -> Expression:
    """The expression with columns replaced by the expressions they stand for."""

    def change(part: Expression) -> Expression:
        return values.get(part.name, part) if isinstance(part, ColumnRef) else part

    return rewrite(expression, change)
