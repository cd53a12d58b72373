"""Aggregates: the conversion points, and the regrouping of what a change table has grouped.

Barbier (2007), sections 5.2 and 5.3: every call must have a combine function, which makes the value
of two bags from the values of each, and be cancelled by the removal of a row. Counts and exact sums
are additive, so both hold; an average is a function of two of them. A minimum is combined, but not
cancelled, and the distances of a variance are neither. Section 5.5: above a change table, an
aggregate takes rows together by some of the group-by attributes, and its calls must be the very
functions that combine the totals.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from rollview.algebra.definition import Reason
from rollview.algebra.expressions import (
    AggregateCall,
    Call,
    ColumnRef,
    Expression,
    Literal,
    cast,
    typed,
)
from rollview.algebra.relations import Aggregate, Distinct, Named, NamedAggregate, Project, Relation
from rollview.algebra.schema import DECIMAL
from rollview.algebra.traverse import column_names, substitute
from rollview.maintenance.change_tables import Factor, Naming, Table, joined
from rollview.maintenance.counts import COUNT_ALL, counted
from rollview.maintenance.extents import Total, causes, is_always_there, totals
from rollview.maintenance.partial import extended, is_floating
from rollview.maintenance.signed import named, references
from rollview.maintenance.violations import (
    floating,
    no_cancel,
    not_a_key,
    not_combined,
    not_exact,
    two_extents,
    without_cause,
)

_COUNTS = ("Count", "CountIf", "RegrCount")
_ADDED_UP = (*_COUNTS, "Sum", "BitXorAgg")
_ZERO = Literal("0L", "BIGINT")
_LONG, _LONG_SUM = "DECIMAL(20,0)", "DECIMAL(30,0)"
_SAFE_DIGITS = 28  # ten more are left for the number of rows, as many as Spark adds for a sum


def convert_aggregate(
    aggregate: Aggregate | Distinct, below: tuple[Relation, ...], naming: Naming
) -> Table | Reason:
    """A conversion point: the extent of the aggregate over a child that is maintained by deltas."""
    (child,) = below
    groups, calls = _parts(aggregate)
    form = extended(Aggregate(child, groups, calls), naming.names, with_moments=False)
    inner = form.child if isinstance(form, Project) else form
    if not isinstance(inner, Aggregate) or not isinstance(form, Project):
        return no_cancel(aggregate, _not_extended(child, calls, naming))
    violated = _without_cancel(aggregate, inner)
    if violated is not None:
        return violated
    used = frozenset[str]().union(*(column_names(item.expression) for item in form.items))
    first = next(one for one in inner.calls if one.call == COUNT_ALL)
    laid_out, values = [first], dict[str, Expression]()
    for one in inner.calls:
        if one.name not in used or one is first:
            continue
        wide = _widened(one)
        laid_out.append(wide)
        if one.call.kind not in _COUNTS:
            laid_out.append(NamedAggregate(naming.fresh(), counted(one.call)))
        values[one.name] = _narrowed(wide, one.call.type)
    extent = Aggregate(child, inner.groups, tuple(laid_out))
    items = tuple(Named(i.name, substitute(i.expression, values)) for i in form.items)
    return Table((Factor(extent, _additive(extent, items)),), items)


def _not_extended(
    child: Relation, calls: tuple[NamedAggregate, ...], naming: Naming
) -> list[AggregateCall]:
    """The calls that neither go on from a stored value nor are derived from some that do."""
    alone = ((one, Aggregate(child, (), (one,))) for one in calls)
    return [one.call for one, a in alone if extended(a, naming.names, with_moments=False) == a]


def _parts(
    aggregate: Aggregate | Distinct,
) -> tuple[tuple[ColumnRef, ...], tuple[NamedAggregate, ...]]:
    if isinstance(aggregate, Distinct):
        return references(aggregate.columns), ()
    return aggregate.groups, aggregate.calls


def _without_cancel(aggregate: Aggregate | Distinct, form: Aggregate) -> Reason | None:
    """Whether some call that the extent would need is not combined and cancelled exactly."""
    calls = [one.call for one in form.calls]
    lost = [call for call in calls if call.kind not in _ADDED_UP]
    if lost:
        return no_cancel(aggregate, lost)
    sums = [call for call in calls if call.kind == "Sum"]
    rounded = [call for call in sums if is_floating(call.args[0].type)]
    if rounded:
        return floating(aggregate, rounded)
    long = [call for call in sums if _digits(call.args[0].type) > _SAFE_DIGITS]
    return not_exact(aggregate, long) if long else None


def _digits(type: str) -> int:
    decimal = DECIMAL.fullmatch(type)
    return 0 if decimal is None else int(decimal[1])


def _widened(one: NamedAggregate) -> NamedAggregate:
    """A sum of long integers with room for any number of rows, so that adding never overflows."""
    call = one.call
    if call.kind != "Sum" or call.args[0].type != "BIGINT":
        return one
    return replace(one, call=replace(call, args=(cast(call.args[0], _LONG),), type=_LONG_SUM))


def _narrowed(one: NamedAggregate, type: str) -> Expression:
    """The value in the type of the query; what does not fit fails or wraps, as Spark's sum does."""
    return typed(ColumnRef(one.name, one.call.type, one.call.nullable), type)


def _additive(extent: Aggregate, items: Iterable[Named]) -> tuple[tuple[Expression, Total], ...]:
    """The values shown that are a total of the extent, and nothing else."""
    found = {total.name: total for total in totals(extent)}
    pairs = []
    for item in items:
        value = item.expression
        for name in column_names(value) & found.keys():
            total = found[name]
            if value in (total.column, cast(total.column, value.type)):
                pairs.append((value, total))
    return tuple(pairs)


def through_aggregate(
    aggregate: Aggregate | Distinct, below: tuple[Table, ...], naming: Naming
) -> Table | Reason:
    """``change(A(Q)) = A(change(Q))``: groups of groups, and sums of their totals.

    The rows of a product are those of its one extent, each as often as the plain operands say.
    """
    (table,) = below
    found = _only_extent(aggregate, table)
    if isinstance(found, Reason):
        return found
    groups, calls = _parts(aggregate)
    for group in groups:
        strangers = table.strangers(group)
        if strangers:
            return not_a_key(aggregate, "projection", strangers)
    factor, extent = found
    return _Regrouping(aggregate, table, factor, extent, naming).table(groups, calls)


def _only_extent(
    aggregate: Aggregate | Distinct, table: Table
) -> tuple[Factor, Aggregate] | Reason:
    """The one operand whose totals are regrouped; all others must be plain rows."""
    extents = [(f, f.extent) for f in table.factors if f.extent is not None]
    if any(factor.unmatched is not None for factor, _ in extents):
        return not_combined(aggregate, "the padded rows of an outer join")
    if len(extents) != 1:
        return two_extents(aggregate)
    return without_cause(aggregate) if is_always_there(extents[0][1]) else extents[0]


@dataclass(frozen=True, slots=True)
class _Regrouping:
    """One aggregate above a change table: its columns are collected, then its extent is made."""

    aggregate: Aggregate | Distinct
    under: Table
    factor: Factor
    extent: Aggregate
    naming: Naming
    below: list[Named] = field(default_factory=list)
    calls: list[NamedAggregate] = field(default_factory=list)

    def table(
        self, groups: tuple[ColumnRef, ...], calls: tuple[NamedAggregate, ...]
    ) -> Table | Reason:
        """The change table of the aggregate."""
        self.below.extend(Named(group.name, self.under.value(group)) for group in groups)
        found = {total.name: total for total in totals(self.extent)}
        self._sum(found[causes(self.extent)], self.naming.fresh())
        items: list[Named] = [*named(groups)]
        for one in calls:
            value = self._called(one, found)
            if isinstance(value, Reason):
                return value
            items.append(Named(one.name, value))
        rows = joined(tuple(f.relation for f in self.under.factors), self.under.conditions)
        regrouped = Aggregate(Project(rows, tuple(self.below)), groups, tuple(self.calls))
        shown = tuple(items)
        return Table((Factor(regrouped, _additive(regrouped, shown)),), shown)

    def _called(self, one: NamedAggregate, found: dict[str, Total]) -> Expression | Reason:
        """The value of a call that sums what the extent below has summed or counted."""
        call = one.call
        total = self._summed(call)
        if total is None:
            return not_combined(self.aggregate, "", call)
        if DECIMAL.fullmatch(call.args[0].type) and _digits(total.call.type) > _SAFE_DIGITS:
            return not_exact(self.aggregate, [call])
        condition = None
        if call.filter is not None:
            strangers = self.under.strangers(call.filter)
            if strangers:
                return not_a_key(self.aggregate, "projection", strangers)
            condition = self.under.value(call.filter)
        summed = self._sum(total, one.name, condition)
        count = found[total.present or causes(self.extent)]
        self._sum(count, self.naming.fresh(), condition, otherwise=_ZERO)
        return _narrowed(summed, call.type)

    def _summed(self, call: AggregateCall) -> Total | None:
        """The total that a call sums; None if it does anything else.

        A count has the update function of a sum, but over a change table it would count the rows
        of it: what must agree is the function itself (docs/strategies.md).
        """
        if call.kind != "Sum" or call.parts[0] != "sum(" or call.distinct:
            return None
        total = dict(self.factor.additive).get(self.under.value(call.args[0]))
        return None if total is None or total.call.kind == "BitXorAgg" else total

    def _sum(
        self,
        total: Total,
        name: str,
        condition: Expression | None = None,
        otherwise: Literal | None = None,
    ) -> NamedAggregate:
        """The sum of a total below, as a call of the extent; long ones have room for more."""
        value = self._item(total.column, condition, otherwise)
        type = total.call.type
        if total.call.kind == "Sum" and type == "BIGINT":
            value, type = cast(value, _LONG), _LONG_SUM
        decimal = DECIMAL.fullmatch(type)
        if decimal is not None and isinstance(value, ColumnRef):
            type = f"DECIMAL({min(int(decimal[1]) + 10, 38)},{decimal[2]})"
        found = NamedAggregate(name, AggregateCall("Sum", ("sum(", ")"), (value,), type))
        self.calls.append(found)
        return found

    def _item(
        self, value: Expression, condition: Expression | None, otherwise: Literal | None
    ) -> Expression:
        """A column of the rows that are regrouped: a total, where a condition is true of them."""
        if condition is not None:
            nothing = otherwise or Literal("NULL", value.type, nullable=True)
            parts = ("CASE WHEN ", " THEN ", " ELSE ", " END")
            value = Call("CaseWhen", parts, (condition, value, nothing), value.type)
        name = self.naming.fresh()
        self.below.append(Named(name, value))
        return ColumnRef(name, value.type, value.nullable)
