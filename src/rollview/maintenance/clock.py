"""Conditions on the clock: at a moment its functions are constants, and moments are two.

The clock is a source that changes by itself. A filter on it lets other rows through when the clock
has gone on, though nothing else changed; what it let through before is had by the old constants.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from rollview.algebra.expressions import Call, Expression, Literal
from rollview.algebra.relations import Filter, Relation, TableFunction
from rollview.algebra.traverse import (
    AnyExpression,
    expressions,
    rewrite,
    transform_up,
    walk,
    walk_expression,
)

CLOCK = "the clock"
FUNCTIONS = {
    "CurrentDate": "current_date()",
    "CurrentTimestamp": "current_timestamp()",
    "Now": "now()",
    "LocalTimestamp": "localtimestamp()",
}
Reading = Mapping[str, str]
"""What each function gives at a moment, as SQL text, by its kind."""


@dataclass(frozen=True, slots=True)
class Clock:
    """What the clock said at the last refresh, and what it says at this one."""

    before: Reading
    after: Reading


SYMBOLIC = Clock({kind: f"{text} then" for kind, text in FUNCTIONS.items()}, FUNCTIONS)
"""For people to read; no statement is run with it."""


def functions_in(relation: Relation) -> frozenset[str]:
    """The functions of the clock that filters use, at any depth."""
    filters = (node for node in walk(relation) if isinstance(node, Filter))
    return frozenset(kind for node in filters for kind in _kinds(node.condition))


def reads_clock(expression: AnyExpression) -> bool:
    """Whether an expression gives something else at another time."""
    return any(True for _ in _kinds(expression))


def is_only_filtered_by(relation: Relation) -> bool:
    """Whether nothing but conditions of filters depends on the clock."""
    for node in walk(relation):
        if isinstance(node, TableFunction) and any(f in node.text for f in FUNCTIONS.values()):
            return False
        if not isinstance(node, Filter) and any(reads_clock(e) for e in expressions(node)):
            return False
    return True


def at(expression: Expression, reading: Reading) -> Expression:
    """The expression at a moment."""

    def constant(part: Expression) -> Expression:
        if isinstance(part, Call) and part.kind in FUNCTIONS:
            return Literal(reading[part.kind], part.type)
        return part

    return rewrite(expression, constant)


def at_moment(relation: Relation, reading: Reading) -> Relation:
    """The relation with all its filters at a moment."""

    def timed(node: Relation) -> Relation:
        if isinstance(node, Filter) and reads_clock(node.condition):
            return replace(node, condition=at(node.condition, reading))
        return node

    return transform_up(relation, timed)


def _kinds(expression: AnyExpression) -> Iterator[str]:
    for part in walk_expression(expression):
        if isinstance(part, Call) and part.kind in FUNCTIONS:
            yield part.kind
