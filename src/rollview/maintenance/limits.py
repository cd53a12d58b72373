"""LIMIT in forms that go on from what is kept.

The rows from offset + 1 to offset + limit are among the first offset + limit, and these are kept: a
row that was not among them cannot come in by what is added. EXISTS that is not correlated is any
one row of many that are all alike (LIMIT 1 without an order): it is there if their count, which is
kept, is not zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rollview.algebra.expressions import ColumnRef, Expression, Literal, binary
from rollview.algebra.relations import Aggregate, Filter, NamedAggregate, Project, Relation, TopK
from rollview.analysis.order import all_rows_equal, is_orderable
from rollview.maintenance.counts import COUNT_ALL
from rollview.maintenance.partial import extended
from rollview.maintenance.sides import ZERO

_GREATEST = 2**31 - 1


def limited_first(top: TopK, names: Iterator[str]) -> Relation:
    """The same rows, by a limit without OFFSET or by a count, if one of both will do."""
    limit, offset = _number(top.limit), _number(top.offset)
    if limit == 1 and top.offset is None and not top.order and all_rows_equal(top.child):
        return _if_any(top.child, names)
    if limit is None or offset is None or not top.order or not is_orderable(top.columns):
        return top
    if limit + offset > _GREATEST:
        return top
    first = TopK(top.child, top.order, Literal(str(limit + offset), "INT"), None)
    return replace(top, child=first)


def _number(count: Expression | None) -> int | None:
    if isinstance(count, Literal) and count.text.isdecimal():
        return int(count.text)
    return None


def _if_any(rows: Relation, names: Iterator[str]) -> Relation:
    """One of rows that are all alike, if there is one."""
    count = NamedAggregate(next(names), COUNT_ALL)
    number = ColumnRef(count.name, "BIGINT", nullable=False)
    counted = extended(Aggregate(rows, (), (count,)), names)
    some = Filter(counted, binary("GreaterThan", ">", number, ZERO, "BOOLEAN"))
    return Project(some, rows.items) if isinstance(rows, Project) else rows
