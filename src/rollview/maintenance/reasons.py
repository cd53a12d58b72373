"""Reasons that more than one rule gives for reading more than the keys of a change."""

from __future__ import annotations

from rollview.algebra.definition import Reason, ReasonCode
from rollview.algebra.printer import describe
from rollview.algebra.relations import Filter, Generate, Join, JoinKind, Relation, TopK, Window

_NOT_IN = "use NOT EXISTS, which compares by equality alone; NOT IN has to look for NULLs as well"
_EQUALITY = "compare columns of both inputs by =, if the question allows it"


def no_equality(join: Join, what: str) -> Reason:
    """Nothing but all rows of an input can say which of them match."""
    return Reason(
        ReasonCode.NO_KEY,
        describe(join),
        f"no equality leads to {what}, which is read whole",
        _NOT_IN if join.kind is JoinKind.ANTI else _EQUALITY,
    )


def value_moved(join: Join, what: str) -> Reason:
    """A single row is compared with all rows of an input."""
    return Reason(
        ReasonCode.NO_KEY,
        describe(join),
        f"where a value changes that all rows depend on, {what} is compared with it whole",
        "leave the comparison to what reads the view: let it have the column, and another view the"
        " value",
    )


def refilled(top: Filter | TopK) -> Reason:
    """A kept row of the first ones is removed, and no key leads to the one that comes in for it."""
    return Reason(
        ReasonCode.NO_KEY,
        describe(top),
        "where a kept row is removed, its successor is looked for among all rows below",
        "let one view have the first rows of every group, and this one the first of those: then"
        " only the group of that row is looked through",
    )


def not_at_hand(relation: Relation) -> Reason:
    """What the operator above asks for by keys cannot be had by these keys."""
    word = f"{relation.kind} join" if isinstance(relation, Join) else type(relation).__name__
    return Reason(
        ReasonCode.KEY_NOT_AT_HAND,
        describe(relation),
        f"the keys of the change do not reach below this {word}: it is evaluated as a whole",
        _reach(relation),
    )


def all_alike(relation: Relation) -> Reason:
    """The keys are constants here, so that all rows belong to the same one."""
    return Reason(
        ReasonCode.KEY_NOT_AT_HAND,
        describe(relation),
        "a key that is a constant here, as in a grand total, is that of all rows below",
        "leave the grand total to a view of its own, above the groups",
    )


def _reach(relation: Relation) -> str:
    match relation:
        case Window():
            return "join and group by columns of its PARTITION BY, not by what the window computes"
        case Generate():
            return "join and group by columns of the table as well, not by generated ones alone"
        case _:
            return "join and group by columns that come from one of its inputs unchanged"
