"""Summary deltas: sums and counts over a rolled join, which can be cut at any position.

Salem et al. (2000), section 2, after Mumick, Quass, Mumick (1997). Grouped by position as well,
what each change contributes to a sum or count adds up like the changes themselves. A group is there
while it has rows; a sum is NULL while none of its values is known.
"""

from __future__ import annotations

from rollview.algebra.expressions import (
    AggregateCall,
    Call,
    ColumnRef,
    Expression,
    Literal,
    binary,
    cast,
    conjunction,
    function,
    is_known,
    typed,
)
from rollview.algebra.relations import (
    Aggregate,
    Filter,
    Named,
    NamedAggregate,
    Project,
    Relation,
)
from rollview.errors import InternalError
from rollview.maintenance.signed import WEIGHT_REF, named
from rollview.rolling.cuts import is_summed
from rollview.rolling.stamped import POSITION, POSITION_REF

_ZERO = Literal("0L", "BIGINT")
ROWS = ColumnRef("__rows", "BIGINT")


def summary_delta(aggregate: Aggregate, delta: Relation) -> Relation:
    """What the changes of the aggregate's input contribute, by group and position.

    Without positions in the delta, by group alone: that of all rows is the summary to begin with.
    """
    groups: tuple[ColumnRef, ...] = aggregate.groups
    if any(column.name == POSITION for column in delta.columns):
        groups = (*groups, POSITION_REF)
    contributed: list[tuple[str, Expression, str]] = [(ROWS.name, WEIGHT_REF, "BIGINT")]
    for number, call in enumerate(_calls(aggregate)):
        there = conjunction(_conditions(call))
        contributed.append((_count(number).name, _where(there, WEIGHT_REF), "BIGINT"))
        if call.kind == "Sum":
            product = binary("Multiply", "*", call.args[0], WEIGHT_REF, call.type)
            value = _where(there, cast(product, call.type))
            contributed.append((_sum(number, call).name, value, call.type))
    return Aggregate(delta, groups, tuple(_added(*one) for one in contributed))


def summed(aggregate: Aggregate, summary: Relation) -> Relation:
    """The rows of the aggregate, from summary rows of any number for each group."""
    names: list[tuple[str, Expression, str]] = [(ROWS.name, ROWS, ROWS.type)]
    items = list(named(aggregate.groups))
    for number, (one, call) in enumerate(zip(aggregate.calls, _calls(aggregate), strict=True)):
        count = _count(number)
        names.append((count.name, count, count.type))
        value: Expression = function("coalesce", count, _ZERO, type="BIGINT")
        if call.kind == "Sum":
            total = _sum(number, call)
            names.append((total.name, total, total.type))
            known = binary("GreaterThan", ">", count, _ZERO, "BOOLEAN")
            value = _where(known, total)
        items.append(Named(one.name, typed(value, call.type)))
    whole: Relation = Aggregate(summary, aggregate.groups, tuple(_added(*one) for one in names))
    if aggregate.groups:
        whole = Filter(whole, binary("GreaterThan", ">", ROWS, _ZERO, "BOOLEAN"))
    return Project(whole, tuple(items))


def _calls(aggregate: Aggregate) -> tuple[AggregateCall, ...]:
    calls = tuple(one.call for one in aggregate.calls)
    if not all(is_summed(call) for call in calls):
        raise InternalError("only sums and counts have summary deltas")
    return calls


def _conditions(call: AggregateCall) -> tuple[Expression, ...]:
    """When a row contributes to the call."""
    known = tuple(is_known(value) for value in call.args if value.nullable)
    return known if call.filter is None else (*known, call.filter)


def _where(condition: Expression | None, value: Expression) -> Expression:
    """The value where the condition is true, else NULL, which sums leave out."""
    if condition is None:
        return value
    parts = ("CASE WHEN ", " THEN ", " END")
    return Call("CaseWhen", parts, (condition, value), value.type)


def _added(name: str, value: Expression, type: str) -> NamedAggregate:
    return NamedAggregate(name, AggregateCall("Sum", ("sum(", ")"), (value,), type))


def _count(number: int) -> ColumnRef:
    return ColumnRef(f"__count_{number}", "BIGINT")


def _sum(number: int, call: AggregateCall) -> ColumnRef:
    return ColumnRef(f"__sum_{number}", call.type)
