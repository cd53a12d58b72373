"""Selection is linear (Blakeley, Larson, Tompa 1986, section 5.1), unless the clock is asked.

A condition on the clock is another one at every refresh: rows that did not change enter and leave.
Where it compares a column with the clock, these are the rows between two values of the column.
"""

from __future__ import annotations

from rollview.algebra.definition import Reason, ReasonCode
from rollview.algebra.expressions import (
    Call,
    ColumnRef,
    Expression,
    binary,
    conjunction,
    conjuncts,
    is_null,
)
from rollview.algebra.printer import describe
from rollview.algebra.relations import Filter, Project, Relation, Scan
from rollview.algebra.traverse import column_names
from rollview.maintenance.clock import reads_clock
from rollview.maintenance.flow import Flow, Moment
from rollview.maintenance.program import Note, RuleName
from rollview.maintenance.reads import BEFORE, label
from rollview.maintenance.sides import either
from rollview.maintenance.signed import MINUS, PLUS, signed, sum_of
from rollview.maintenance.tops import delta_tops, is_top

_OPPOSITES = {
    "GreaterThan": ("LessThanOrEqual", "<="),
    "GreaterThanOrEqual": ("LessThan", "<"),
    "LessThan": ("GreaterThanOrEqual", ">="),
    "LessThanOrEqual": ("GreaterThan", ">"),
    "EqualTo": ("Not", "<>"),
}


def delta_filter(filter: Filter, flow: Flow) -> Relation | None:
    """``d(F(Q)) = F(d(Q))``; with the clock ``+ (F and not F')(Q before) - (F' and not F)(...)``.

    F is the condition now, F' the one at the last refresh. A bound on a rank keeps its rows.
    """
    kept = flow.kept(filter)
    if kept is not None and is_top(filter):
        return delta_tops(filter, kept, flow)
    below = flow.delta(filter.child)
    linear = None if below is None else Filter(below, flow.condition(filter, Moment.AFTER))
    if not flow.has_ticked(filter):
        flow.note(filter, Note(RuleName.LINEAR))
        return linear
    flow.note(filter, Note(RuleName.CLOCK))
    columns = _compared(filter)
    found = bool(columns) and all(_is_of_table(filter.child, column) for column in columns)
    under = tuple(dict.fromkeys(columns)) if found else ()
    flow.read(filter, BEFORE, filter.child, under, when="for rows that enter or leave")
    if not found and flow.reaches_tables(filter.child):
        flow.blame(filter, _all_compared(filter, label(filter.child, flow.kept)))
    rows = flow.before(filter.child)
    enter = signed(Filter(rows, _only(filter, flow, Moment.AFTER)), filter.columns, PLUS)
    leave = signed(Filter(rows, _only(filter, flow, Moment.BEFORE)), filter.columns, MINUS)
    return sum_of((linear, enter, leave), filter.columns)


def _only(filter: Filter, flow: Flow, moment: Moment) -> Expression:
    """The condition is true at one moment and not at the other; NULL is not true."""
    other = Moment.BEFORE if moment is Moment.AFTER else Moment.AFTER
    here, there = flow.condition(filter, moment), flow.condition(filter, other)
    untrue: Expression | None = Call("Not", ("(", " IS NOT TRUE)"), (there,), "BOOLEAN", False)
    if _compared(filter):
        # The columns are not NULL, or it would not be true here: said so that files are skipped.
        parts = zip(conjuncts(filter.condition), conjuncts(there), strict=True)
        untrue = either([_opposite(timed) for part, timed in parts if reads_clock(part)])
    return conjunction(part for part in (here, untrue) if part is not None) or here


def _compared(filter: Filter) -> tuple[ColumnRef, ...]:
    """The columns that are compared with the clock, if the condition does nothing else with it."""
    parts = [part for part in conjuncts(filter.condition) if reads_clock(part)]
    found = [_column(part) for part in parts]
    return tuple(column for column in found if column is not None) if None not in found else ()


def _column(part: Expression) -> ColumnRef | None:
    match part:
        case Call(kind=kind, args=(one, two)) if kind in _OPPOSITES:
            if isinstance(one, ColumnRef) and not column_names(two):
                return one
            if isinstance(two, ColumnRef) and not column_names(one):
                return two
    return None


def _opposite(part: Expression) -> Expression:
    """True where the comparison is not, for a column that is not NULL."""
    if not isinstance(part, Call):
        return part
    one, two = part.args
    opposite = binary(*_OPPOSITES[part.kind], one, two, "BOOLEAN")
    limit = two if isinstance(one, ColumnRef) else one
    unknown = [is_null(limit)] if limit.nullable else []
    return either([opposite, *unknown]) or opposite


def _is_of_table(relation: Relation, column: ColumnRef) -> bool:
    """Whether the column is one that a table has: then its files tell whether to read them."""
    match relation:
        case Scan():
            return True
        case Filter(child=child):
            return _is_of_table(child, column)
        case Project(child=child, items=items):
            return any(
                _is_of_table(child, item.expression)
                for item in items
                if item.name == column.name and isinstance(item.expression, ColumnRef)
            )
        case _:
            return False


def _all_compared(filter: Filter, what: str) -> Reason:
    return Reason(
        ReasonCode.NO_KEY,
        describe(filter),
        f"rows enter and leave by the clock: all rows of {what} are compared with it",
        "compare a column of a table with the clock, and nothing else: day >= current_date() - 7",
    )
