"""Results that depend on the order of rows: made canonical where a total order can be had.

Ties in ORDER BY leave row_number, lag, frames of ROWS and LIMIT open. Appending all input columns
to the order closes them: rows that still tie are equal, and which of two equal rows comes first
changes nothing in the bag. A group of strings that a collation takes for equal shows the least.

What is left open by other means (first, collect_list, max_by, ...) is followed to the columns of
the result, so that a comparison can leave those out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import assert_never

from rollview.algebra.expressions import (
    AggregateCall,
    Call,
    ColumnRef,
    Expression,
    Literal,
    SortKey,
    WindowCall,
    is_collated,
    spelled,
    spelling,
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
    NamedAggregate,
    NamedWindow,
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
from rollview.algebra.schema import Schema
from rollview.algebra.traverse import column_names, expressions, inputs, transform_up

_ROW_BASED = frozenset({"RowNumber", "NTile", "Lag", "Lead"})
_OPEN_AGGREGATES = frozenset(
    {
        "First",
        "Last",
        "AnyValue",
        "NthValue",
        "CollectList",
        "CollectSet",
        "ListAgg",
        "MaxBy",
        "MinBy",
        "Mode",
        "ApproximatePercentile",
        "HistogramNumeric",
        "ApproxTopK",
        "ApproxTopKAccumulate",
        "ApproxTopKCombine",
        "HllSketchAgg",
        "HllUnionAgg",
        "KllSketchAggBigint",
        "KllSketchAggFloat",
        "KllSketchAggDouble",
        "KllMergeAggBigint",
        "KllMergeAggFloat",
        "KllMergeAggDouble",
    }
)
_CLOSED_BY_ORDER = frozenset({"First", "Last", "AnyValue", "NthValue", "CollectList", "ListAgg"})
_CALENDAR = re.compile(r"\bINTERVAL\b(?! (YEAR|MONTH|DAY|HOUR|MINUTE|SECOND))")
_NOT_ORDERABLE = ("MAP<", "VARIANT", "VOID", "GEOMETRY", "GEOGRAPHY")


@dataclass(frozen=True, slots=True)
class Open:
    """What of a relation is left open: some columns, or (``rows``) all.

    The bag of the other columns, and so the number of rows, is the same in every evaluation.
    """

    columns: frozenset[str] = frozenset()
    rows: bool = False


def canonical(relation: Relation) -> Relation:
    """The relation with the order of row-based windows and of limits made total."""
    return transform_up(relation, _completed)


def _completed(relation: Relation) -> Relation:
    if isinstance(relation, TopK) and relation.order and is_orderable(relation.child.columns):
        return replace(relation, order=_total(relation.order, relation.child.columns))
    if isinstance(relation, Window) and relation.order and is_orderable(relation.child.columns):
        return _completed_window(relation)
    if isinstance(relation, Aggregate) and any(is_collated(g.type) for g in relation.groups):
        return _with_least_spellings(relation)
    if isinstance(relation, Distinct) and any(is_collated(c.type) for c in relation.columns):
        groups = tuple(ColumnRef(c.name, c.type, c.nullable) for c in relation.columns)
        return _with_least_spellings(Aggregate(relation.child, groups, ()))
    return relation


def _with_least_spellings(aggregate: Aggregate) -> Relation:
    """Groups of a collation are shown by the least of the rows that are taken for equal."""
    some = tuple(group for group in aggregate.groups if is_collated(group.type))
    values = tuple(spelling(group) for group in some)
    if len(values) == 1:
        least: Expression = values[0]
    else:
        fields = ", ".join(f"f{position}: STRING" for position in range(len(values)))
        texts = [f" AS f{position}" for position in range(len(values))]
        parts = ("struct(", *(f"{text}, " for text in texts[:-1]), f"{texts[-1]})")
        least = Call("CreateNamedStruct", parts, values, f"STRUCT<{fields}>", False)
    call = AggregateCall("Min", ("min(", ")"), (least,), least.type, least.nullable)
    name = "__least"
    found = ColumnRef(name, least.type, least.nullable)
    counted = replace(aggregate, calls=(*aggregate.calls, NamedAggregate(name, call)))
    shown = {}
    for position, (group, value) in enumerate(zip(some, values, strict=True)):
        own: Expression = found
        if len(values) > 1:
            own = Call("GetStructField", ("", f".f{position}"), (found,), "STRING", value.nullable)
        shown[group.name] = spelled(own, group.type)
    items = (
        Named(c.name, shown.get(c.name) or ColumnRef(c.name, c.type, c.nullable))
        for c in aggregate.columns
    )
    return Project(counted, tuple(items))


def _completed_window(window: Window) -> Relation:
    """Row-based calls get the total order; calls that treat peers alike keep theirs."""
    total = _total(window.order, window.child.columns)
    if total == window.order:
        return window
    by_rows = tuple(call for call in window.calls if _is_row_based(call.call))
    others = tuple(call for call in window.calls if not _is_row_based(call.call))
    if not by_rows:
        return window
    numbered = Window(window.child, window.partition, total, by_rows)
    if not others:
        return numbered
    both = Window(numbered, window.partition, window.order, others)
    return _in_order(both, window.columns)


def _in_order(relation: Window, columns: Schema) -> Relation:
    items = tuple(Named(c.name, ColumnRef(c.name, c.type, c.nullable)) for c in columns)
    return Project(relation, items)


def _is_row_based(call: WindowCall) -> bool:
    kind = function_kind(call.function)
    if kind in _ROW_BASED:
        return True
    whole = call.frame.endswith("BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING")
    return call.frame.startswith("ROWS") and (not whole or kind in _CLOSED_BY_ORDER)


def function_kind(function: Expression | AggregateCall) -> str:
    """The Catalyst class of a function; a constant or column has none."""
    return getattr(function, "kind", "")


def _total(order: tuple[SortKey, ...], columns: Schema) -> tuple[SortKey, ...]:
    present = {key.expression.name for key in order if isinstance(key.expression, ColumnRef)}
    more = (c for c in columns if c.name not in present)
    return (*order, *(SortKey(ColumnRef(c.name, c.type, c.nullable)) for c in more))


def is_orderable(columns: Schema) -> bool:
    """Whether rows of these columns can be ordered, and told apart by ``<=>`` of each."""
    return not any(is_unorderable(column.type) for column in columns)


def is_unorderable(type: str) -> bool:
    """Whether values of a type have no order, or in part no equality that tells them apart."""
    inside = "COLLATE" in type and not is_collated(type)
    return inside or _CALENDAR.search(type) is not None or any(w in type for w in _NOT_ORDERABLE)


def left_open(relation: Relation) -> Open:
    """What of the relation's result two correct evaluations may disagree on."""
    below = [left_open(child) for child in inputs(relation)]
    names = frozenset().union(*(child.columns for child in below))
    if any(child.rows for child in below):
        return Open(rows=True)
    return _step(relation, names)


def _step(relation: Relation, names: frozenset[str]) -> Open:  # noqa: C901 - one case per relation
    match relation:
        case Scan() | Values() | TableFunction() | RecursionInput():
            return Open()
        case Changes() | Before() | After() | State() | Temporary():
            return Open()
        case Project(items=items):
            made = (i.name for i in items if column_names(i.expression) & names)
            return Open(frozenset(made))
        case Filter(child=Window() as window) if _numbers_alone(relation, window, names):
            return Open(_beside(window, (*window.partition, *_keys(window)), names))
        case Filter() | Join() | Generate():
            return Open(rows=True) if _uses(relation, names) else Open(names)
        case Sort() | SingleRow():
            return Open(frozenset(c.name for c in relation.columns)) if names else Open()
        case Distinct() if not names:
            return Open(frozenset(c.name for c in relation.columns if is_collated(c.type)))
        case Distinct() | SetOperation() | Recursion():
            return Open(rows=bool(names))
        case Union(columns=columns, inputs=many):
            positions = {i for one in many for i, c in enumerate(one.columns) if c.name in names}
            return Open(frozenset(columns[i].name for i in positions))
        case Expand(projections=projections, columns=columns):
            hit = {i for row in projections for i, e in enumerate(row) if column_names(e) & names}
            return Open(frozenset(columns[i].name for i in hit))
        case Aggregate(groups=groups, calls=calls):
            if any(group.name in names for group in groups):
                return Open(rows=True)
            kinds = {
                c.name
                for c in calls
                if c.call.kind in _OPEN_AGGREGATES or column_names(c.call) & names
            }
            return Open(frozenset(kinds | {g.name for g in groups if is_collated(g.type)}))
        case Window(calls=windows):
            return Open(names | _open_windows(relation, windows, names))
        case TopK(order=order, child=child):
            if all_rows_equal(child):
                return Open()
            if _uses(relation, names):
                return Open(rows=True)
            if order and len(order) >= len(child.columns) and is_orderable(child.columns):
                return Open(names)
            return Open(_beside(relation, _keys(relation), names))
        case _:
            assert_never(relation)


def _keys(relation: TopK | Window) -> tuple[Expression, ...]:
    return tuple(key.expression for key in relation.order)


def _beside(
    relation: Relation, ordered: tuple[Expression, ...], names: frozenset[str]
) -> frozenset[str]:
    """The columns that ties leave open: all but those by which the first rows are found."""
    closed = {e.name for e in ordered if isinstance(e, ColumnRef) and not is_collated(e.type)}
    numbers = _numbers(relation) if isinstance(relation, Window) else frozenset()
    left = frozenset(c.name for c in relation.columns) - closed - numbers
    return left | (names - numbers)


def _numbers(window: Window) -> frozenset[str]:
    return frozenset(c.name for c in window.calls if function_kind(c.call.function) == "RowNumber")


def _numbers_alone(filter: Filter, window: Window, names: frozenset[str]) -> bool:
    """Whether rows are taken by their number, and all else that decides is not left open."""
    numbers = _numbers(window)
    used = column_names(filter.condition)
    # The number of a row says something about the columns that it is numbered by, and no others.
    known = {e.name for e in (*window.partition, *_keys(window)) if isinstance(e, ColumnRef)}
    others = names - numbers
    return bool(used & names) and used <= numbers | known and not _uses(window, others)


def all_rows_equal(relation: Relation) -> bool:
    """Whether it does not matter which of the rows are taken, as in EXISTS (... LIMIT 1)."""
    return isinstance(relation, Project) and all(
        isinstance(item.expression, Literal) for item in relation.items
    )


def _uses(relation: Relation, names: frozenset[str]) -> bool:
    return any(column_names(expression) & names for expression in expressions(relation))


def _open_windows(
    window: Window, calls: tuple[NamedWindow, ...], names: frozenset[str]
) -> frozenset[str]:
    total = len(window.order) >= len(window.child.columns) and is_orderable(window.child.columns)
    if _uses(window, names):
        return frozenset(call.name for call in calls)
    return frozenset(call.name for call in calls if _is_open(call.call, total))


def _is_open(call: WindowCall, total: bool) -> bool:
    kind = function_kind(call.function)
    if _is_row_based(call) and (kind not in _OPEN_AGGREGATES or kind in _CLOSED_BY_ORDER):
        return not total
    return kind in _OPEN_AGGREGATES
