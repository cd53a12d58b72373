"""Stable text of a relation: one line per operator, inputs indented below."""

from __future__ import annotations

from collections.abc import Iterable
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
    Named,
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
from rollview.algebra.traverse import inputs


def print_tree(relation: Relation) -> str:
    """The whole tree."""
    return "\n".join(_lines(relation, 0))


def _lines(relation: Relation, depth: int) -> list[str]:
    lines = ["  " * depth + describe(relation)]
    for child in inputs(relation):
        lines += _lines(child, depth + 1)
    return lines


def describe(relation: Relation) -> str:  # noqa: C901 - one case per relation
    """One operator on one line, without its inputs."""
    match relation:
        case Scan(source=source, columns=columns):
            return f"Scan {source} [{_names(c.name for c in columns)}]"
        case Changes(source=source, columns=columns):
            return f"Changes {source} [{_names(c.name for c in columns)}]"
        case Before(source=source, columns=columns):
            return f"Before {source} [{_names(c.name for c in columns)}]"
        case After(source=source, columns=columns):
            return f"After {source} [{_names(c.name for c in columns)}]"
        case State(name=name):
            return f"State {name}"
        case Temporary(name=name):
            return f"Temporary {name}"
        case Values(rows=rows, columns=columns):
            return f"Values {len(rows)} rows [{_names(c.name for c in columns)}]"
        case TableFunction(text=text):
            return f"TableFunction {text}"
        case RecursionInput(name=name):
            return f"RecursionInput {name}"
        case Project(items=items):
            return f"Project [{', '.join(_item(item) for item in items)}]"
        case Filter(condition=condition):
            return f"Filter {show(condition)}"
        case Join(kind=kind, condition=maybe):
            return f"Join {kind}" + ("" if maybe is None else f" on {show(maybe)}")
        case Aggregate(groups=groups, calls=calls):
            by = f" by [{_names(g.name for g in groups)}]" if groups else ""
            made = ", ".join(f"{show(c.call)} AS {c.name}" for c in calls)
            return f"Aggregate{by} [{made}]"
        case Distinct():
            return "Distinct"
        case Union(inputs=many):
            return f"Union of {len(many)}"
        case SetOperation(kind=kind, all=all):
            return f"SetOperation {kind}{' all' if all else ''}"
        case Window(partition=partition, order=order, calls=windows):
            by = f" partition by [{', '.join(show(e) for e in partition)}]" if partition else ""
            made = ", ".join(f"{show(c.call)} AS {c.name}" for c in windows)
            return f"Window{by}{_order(order)} [{made}]"
        case Expand(projections=projections):
            return f"Expand into {len(projections)}"
        case Generate(generator=generator, outer=outer):
            return f"Generate{' outer' if outer else ''} {show(generator)}"
        case Sort(order=order):
            return f"Sort{_order(order)}"
        case TopK(order=order, limit=limit, offset=offset):
            first = "" if limit is None else f" limit {show(limit)}"
            skipped = "" if offset is None else f" offset {show(offset)}"
            return f"TopK{_order(order)}{first}{skipped}"
        case SingleRow(name=name):
            return f"SingleRow {name}"
        case Recursion(name=name):
            return f"Recursion {name}"
        case _:
            assert_never(relation)


def show(expression: Expression | AggregateCall | WindowCall) -> str:
    """An expression for people to read; the renderer writes the ones for Spark."""
    match expression:
        case ColumnRef(name=name):
            return name
        case Literal(text=text):
            return text
        case Call(parts=parts, args=args):
            return _filled(parts, args)
        case AggregateCall(parts=parts, args=args, filter=condition):
            call = _filled(parts, args)
            return call if condition is None else f"{call} FILTER (WHERE {show(condition)})"
        case WindowCall(function=function, frame=frame):
            return f"{show(function)} OVER ({frame})"
        case _:
            assert_never(expression)


def _filled(parts: tuple[str, ...], args: tuple[Expression, ...]) -> str:
    shown = [show(arg) for arg in args]
    return parts[0] + "".join(a + p for a, p in zip(shown, parts[1:], strict=True))


def _item(item: Named) -> str:
    shown = show(item.expression)
    return shown if shown == item.name else f"{shown} AS {item.name}"


def _order(order: tuple[SortKey, ...]) -> str:
    keys = ", ".join(
        show(key.expression) + ("" if key.ascending else " DESC") + _nulls(key) for key in order
    )
    return f" order by [{keys}]" if keys else ""


def _nulls(key: SortKey) -> str:
    if key.nulls_first == key.ascending:
        return ""
    return " NULLS FIRST" if key.nulls_first else " NULLS LAST"


def _names(names: Iterable[str]) -> str:
    return ", ".join(names)
