"""Why a change table cannot be made, or cannot pass an operator: which condition fails.

The conditions are those of Barbier (2007), sections 5.2 and 5.5 with table 5.2, made exact in
docs/strategies.md.
"""

from __future__ import annotations

from collections.abc import Iterable

from rollview.algebra.definition import Reason, ReasonCode
from rollview.algebra.expressions import AggregateCall
from rollview.algebra.printer import describe, show
from rollview.algebra.relations import Filter, Join, JoinKind, Relation

_COUNTING = "use the strategy counting, which keeps the values of every operator"


def _violated(relation: Relation, message: str, hint: str = _COUNTING) -> Reason:
    return Reason(ReasonCode.NOT_APPLICABLE, describe(relation), message, hint)


def not_a_key(relation: Relation, row: str, columns: Iterable[str]) -> Reason:
    """A column that is not constant among the causes of a row, where one must be."""
    named = ", ".join(columns)
    return _violated(
        relation,
        f"a change table passes a {row} only if it refers to group-by attributes alone (table 5.2),"
        f" and {named} depends on totals",
    )


def by_clock(filter: Filter) -> Reason:
    """A condition that is another one at every refresh."""
    return _violated(
        filter,
        "a change table passes a selection only if its condition stays the same (table 5.2), and"
        " this one asks the clock",
    )


def no_cancel(relation: Relation, calls: Iterable[AggregateCall]) -> Reason:
    """A function of which removed rows cannot be taken away."""
    named = ", ".join(dict.fromkeys(show(call) for call in calls))
    return _violated(
        relation,
        f"cancel is not defined for {named} (definition 5.5): what a removed row had contributed"
        " cannot be taken from the stored value",
    )


def floating(relation: Relation, calls: Iterable[AggregateCall]) -> Reason:
    """A sum that is not the same after something was added and taken away."""
    named = ", ".join(dict.fromkeys(show(call) for call in calls))
    return _violated(
        relation,
        f"cancel is not exact for {named} (definition 5.5): floating numbers lose digits when one"
        " is added and taken away again",
        "sum decimals, or use the strategy counting",
    )


def not_exact(relation: Relation, calls: Iterable[AggregateCall]) -> Reason:
    """A sum of so many digits that adding two of them may overflow."""
    named = ", ".join(dict.fromkeys(show(call) for call in calls))
    return _violated(
        relation,
        f"combine is not defined everywhere for {named} (definition 5.4): sums of so many digits"
        " may overflow",
        "cast to fewer digits, or use the strategy counting",
    )


def not_combined(relation: Relation, what: str, call: AggregateCall | None = None) -> Reason:
    """A function over a change table that is not the one by which its totals are combined."""
    if call is None:
        return _violated(
            relation,
            f"an aggregate above a change table sums totals of it (table 5.2), and {what} are shown"
            " or not, which no sum tells",
        )
    return _violated(
        relation,
        f"an aggregate above a change table must combine one total of it by its own update"
        f" function (table 5.2), and {show(call)} does not",
    )


def two_extents(relation: Relation) -> Reason:
    """Totals of one operand, as often as the other one has rows, which is no sum of its causes."""
    return _violated(
        relation,
        "an aggregate above a product needs all operands but one to be plain rows: how many rows of"
        " an aggregate there are is no sum of their causes (table 5.2, projection over product)",
    )


def without_cause(relation: Relation) -> Reason:
    """The row of an aggregate without groups below another aggregate."""
    return _violated(
        relation,
        "the row of an aggregate without GROUP BY is there without any cause, so that it cannot be"
        " counted by its causes (definition 5.2)",
    )


def not_told_apart(relation: Relation, columns: Iterable[str]) -> Reason:
    """Rows that equality does not tell apart, where each is a row of an extent."""
    named = ", ".join(columns)
    return _violated(
        relation,
        f"rows with {named} cannot be group-by attributes (definition 5.3): values of that type"
        " may be equal without being the same, or cannot be compared",
    )


def no_row(relation: Relation) -> Reason:
    """An operator that no change table passes."""
    word = f"{relation.kind} join" if isinstance(relation, Join) else type(relation).__name__
    outer = isinstance(relation, Join) and relation.kind in (
        JoinKind.LEFT,
        JoinKind.RIGHT,
        JoinKind.FULL,
    )
    why = (
        "table 5.2 has no row for it, since padding depends on which rows are there at all"
        if outer
        else "table 5.2 has no row for it"
    )
    return _violated(relation, f"a change table does not pass a {word}: {why}")


def nothing_to_convert(relation: Relation) -> Reason:
    """A view of deltas alone."""
    return _violated(
        relation,
        "there is neither an aggregate nor an outer join: no operator converts deltas to a change"
        " table (definition 5.1)",
    )
