"""Joins, filters, projections and unions evaluated on lists of tuples, in microseconds.

Thousands of schedules run some ten queries each over a handful of rows: an engine would spend its
time on parsing. `test_engine.py` shows that DuckDB gives the same for the statements rendered of
the same queries.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence

from rollview.algebra.expressions import Call, ColumnRef, Expression, Literal
from rollview.algebra.relations import (
    After,
    Before,
    Changes,
    Filter,
    Join,
    JoinKind,
    Project,
    Relation,
    Scan,
    Union,
)

Row = tuple[object, ...]
Rows = Sequence[Row]
Table = tuple[Sequence[str], Rows]
"""The names of the fields, and the rows."""
Evaluated = Callable[[Row], object]


def evaluate(relation: Relation, leaves: Mapping[str, Table]) -> list[Row]:
    """The rows of a relation; ``leaves`` are named as the renderer names them."""
    match relation:
        case Scan(source=source, fields=fields):
            return _fields(leaves[source], fields)
        case Changes(source=source, fields=fields):
            return _fields(leaves[f"changes {source}"], fields)
        case Before(source=source, fields=fields):
            return _fields(leaves[f"before {source}"], fields)
        case After(source=source, fields=fields):
            return _fields(leaves[f"after {source}"], fields)
        case Project(child=child, items=items):
            functions = [_compiled(item.expression, child) for item in items]
            return [tuple(f(row) for f in functions) for row in evaluate(child, leaves)]
        case Filter(child=child, condition=condition):
            test = _compiled(condition, child)
            return [row for row in evaluate(child, leaves) if test(row) is True]
        case Join(kind=JoinKind.INNER | JoinKind.CROSS, left=left, right=right, condition=maybe):
            both = evaluate(left, leaves)
            rows = [one + two for one in both for two in evaluate(right, leaves)] if both else []
            if maybe is None:
                return rows
            test = _compiled(maybe, relation)
            return [row for row in rows if test(row) is True]
        case Union(inputs=many):
            return [row for child in many for row in evaluate(child, leaves)]
        case _:
            raise NotImplementedError(type(relation).__name__)


def _fields(table: Table, fields: Sequence[str]) -> list[Row]:
    names, rows = table
    places = [list(names).index(field) for field in fields]
    return [tuple(row[place] for place in places) for row in rows]


_KNOWN: dict[str, Callable[..., object]] = {
    "EqualTo": operator.eq,
    "LessThan": operator.lt,
    "GreaterThanOrEqual": operator.ge,
    "Add": operator.add,
    "Multiply": operator.mul,
}


def _compiled(expression: Expression, over: Relation) -> Evaluated:
    match expression:
        case ColumnRef(name=name):
            place = [column.name for column in over.columns].index(name)
            return lambda row: row[place]
        case Literal(text="NULL"):
            return lambda row: None
        case Literal(text=text):
            value = int(text.removesuffix("L"))
            return lambda row: value
        case Call(kind=kind, args=args):
            return _call(kind, [_compiled(arg, over) for arg in args])


def _call(kind: str, args: list[Evaluated]) -> Evaluated:
    match kind:
        case "Cast":
            return args[0]
        case "least":
            return lambda row: min(_present(row, args))  # type: ignore[type-var]
        case "greatest":
            return lambda row: max(_present(row, args))  # type: ignore[type-var]
        case "EqualNullSafe":
            return lambda row: args[0](row) == args[1](row)
        case "And":
            return lambda row: args[0](row) is True and args[1](row) is True
        case "IsNull":
            return lambda row: args[0](row) is None
        case _:
            apply = _KNOWN[kind]

    def strict(row: Row) -> object:
        values = [arg(row) for arg in args]
        return None if None in values else apply(*values)

    return strict


def _present(row: Row, args: list[Evaluated]) -> list[object]:
    return [value for value in (arg(row) for arg in args) if value is not None]
