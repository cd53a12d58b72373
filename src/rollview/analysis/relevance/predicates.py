"""What is left of a formula for one table, as a predicate over the columns of its changed rows.

Sums are written so that they cannot overflow; what cannot be written so is left out, which lets
more rows pass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import ceil, floor

from rollview.algebra.expressions import (
    Call,
    ColumnRef,
    Expression,
    Literal,
    binary,
    cast,
    conjunction,
    is_known,
    is_null,
)
from rollview.algebra.printer import show
from rollview.analysis.relevance.conditions import ZERO
from rollview.analysis.relevance.domains import (
    Family,
    Number,
    decimal,
    family,
    limits,
    written_date,
)
from rollview.analysis.relevance.formulas import Conjunction, Edge, Null, Test, columns_of
from rollview.analysis.relevance.graph import left_of
from rollview.analysis.relevance.linear import Node

NEVER = Literal("FALSE", "BOOLEAN")
_WIDE = 38  # digits of the widest decimal


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way for a row to matter: edges between its columns and constants, NULLs, and tests."""

    edges: tuple[Edge, ...]
    known: frozenset[ColumnRef]
    empty: frozenset[ColumnRef]
    tests: tuple[Expression, ...]


def alternative(part: Conjunction, is_at_hand: Callable[[ColumnRef], bool]) -> Alternative | None:
    """What a conjunction says of the columns at hand; None if it cannot be satisfied."""
    edges = [atom for atom in part if isinstance(atom, Edge)]
    left = left_of(sorted(edges, key=_order), is_at_hand)
    if left is None:
        return None
    used = {c for e in edges for c in columns_of(e)}
    used |= {a.column for a in part if isinstance(a, Null) and a.known}
    empty = {a.column for a in part if isinstance(a, Null) and not a.known}
    if used & empty:
        return None
    tests = (a for a in part if isinstance(a, Test) and all(map(is_at_hand, columns_of(a))))
    return Alternative(
        tuple(left),
        frozenset(filter(is_at_hand, used)),
        frozenset(filter(is_at_hand, empty)),
        tuple(sorted((test.expression for test in tests), key=show)),
    )


def _order(edge: Edge) -> tuple[bool, list[str], bool, str]:
    """Comparisons with constants before others, by columns, from below before from above."""
    columns = columns_of(edge)
    is_upper = isinstance(edge.low, ColumnRef)
    return len(columns) > 1, [c.name for c in columns], is_upper, f"{edge.low}{edge.high}"


def predicate(alternatives: list[Alternative]) -> Expression | None:
    """True of the rows that may matter; None if all may.

    What all alternatives ask for is said once.
    """
    written = [_parts(one) for one in alternatives]
    ways = [tuple(dict.fromkeys(way)) for way in written if way is not None]
    ways = [one for one in ways if not any(set(other) < set(one) for other in ways)]
    ways = list({frozenset(way): way for way in ways}.values())
    if not ways:
        return NEVER
    shared = [part for part in ways[0] if all(part in way for way in ways)]
    rest = [conjunction(part for part in way if part not in shared) for way in ways]
    others = [one for one in rest if one is not None]
    if len(others) == len(rest):
        shared.append(reduce(lambda a, b: binary("Or", "OR", a, b, "BOOLEAN"), others))
    return conjunction(shared)


def _parts(one: Alternative) -> list[Expression] | None:
    """All that an alternative asks for; None if no value of the types satisfies it."""
    found: list[Expression] = []
    spoken: set[ColumnRef] = set()
    pairs = {(edge.low, edge.high): edge for edge in one.edges}
    for edge in sorted(one.edges, key=_order):
        back = pairs.get((edge.high, edge.low))
        equal = back is not None and back.weight == -edge.weight
        if equal and back is not None and _comes_first(back, edge):
            continue  # it says the same
        part = _comparison(edge, equal=equal)
        if part == NEVER:
            return None
        if part is not None:
            found.append(part)
            spoken.update(columns_of(edge))
    needed = (c for c in one.known if c not in spoken and c.nullable)
    found += [is_known(c) for c in sorted(needed, key=show)]
    found += [is_null(c) for c in sorted(one.empty, key=show)]
    return [*found, *one.tests]


def _comes_first(one: Edge, two: Edge) -> bool:
    """Which of two edges an equality is written by: that from a column, or the first in order."""
    columns = [isinstance(edge.low, ColumnRef) for edge in (one, two)]
    return columns[0] and (not columns[1] or _order(one) < _order(two))


def _comparison(edge: Edge, *, equal: bool) -> Expression | None:
    """The edge as a comparison; None if it is always true or cannot be written."""
    low, high = edge.low, edge.high
    if ZERO in (low, high):
        column = high if low == ZERO else low
        bound = -edge.weight if low == ZERO else edge.weight
        return _bounded(column, bound, is_lower=low == ZERO, strict=edge.strict, equal=equal)
    is_lower = not isinstance(low, ColumnRef)
    one, two, weight = (high, low, -edge.weight) if is_lower else (low, high, edge.weight)
    pair: tuple[Expression, Expression] | None = (one, two) if _is_alike(one, two) else None
    if weight != 0:
        pair = _shifted(one, two, weight)
    return None if pair is None else _compared(*pair, is_lower, edge.strict, equal)


def _is_alike(low: Node, high: Node) -> bool:
    """Whether both can be compared as they are: no digits are lost in a type for both."""
    one, two = decimal(low.type), decimal(high.type)
    if one is None or two is None:
        return family(low.type) is family(high.type)
    return max(one[0] - one[1], two[0] - two[1]) + max(one[1], two[1]) <= _WIDE


def _bounded(
    column: Node, bound: Number, *, is_lower: bool, strict: bool, equal: bool
) -> Expression | None:
    """A column compared with a number of its own type; None if it is always true."""
    if family(column.type) is Family.DATE:
        constant = written_date(bound)
        return None if constant is None else _compared(column, constant, is_lower, strict, equal)
    shape, range = decimal(column.type), limits(column.type)
    if shape is None or range is None:
        return None
    unit = 10 ** shape[1]
    number = Fraction((ceil if is_lower else floor)(bound * unit), unit)
    if number != bound:  # no value of the type lies between
        strict = False
    if not range[0] <= number <= range[1]:
        is_out_of_reach = number > range[1] if is_lower else number < range[0]
        return NEVER if is_out_of_reach or equal else None
    if equal and number != bound:
        return NEVER
    if number == (range[0] if is_lower else range[1]) and not strict and not equal:
        return None
    return _compared(column, _number(number, column.type), is_lower, strict, equal)


def _compared(
    one: Expression, two: Expression, is_lower: bool, strict: bool, equal: bool
) -> Expression:
    """``one >= two`` if that is the lower, else ``one <= two``."""
    kind, sign = ("LessThan", "<") if strict else ("LessThanOrEqual", "<=")
    if is_lower:
        kind, sign = ("GreaterThan", ">") if strict else ("GreaterThanOrEqual", ">=")
    if equal:
        kind, sign = "EqualTo", "="
    return binary(kind, sign, one, two, "BOOLEAN")


def _number(number: Number, type: str) -> Literal:
    """A number as a constant of a type."""
    if type == "BIGINT":
        return Literal(f"{number}L", type)
    found = decimal(type)
    if found is None or not type.startswith("DECIMAL"):
        return Literal(str(number), "INT")
    digits = str(abs(int(number * 10 ** found[1]))).rjust(found[1] + 1, "0")
    whole, part = digits[: len(digits) - found[1]], digits[len(digits) - found[1] :]
    text = f"{'-' if number < 0 else ''}{whole}" + (f".{part}" if part else "")
    return Literal(f"CAST({text} AS {type})", type)


def _shifted(low: Node, high: Node, weight: Number) -> tuple[Expression, Expression] | None:
    """``low`` and ``high + weight``, in a type in which the sum fits; None if there is none."""
    if family(low.type) is Family.DATE and family(high.type) is Family.DATE:
        if weight != int(weight) or not -(2**30) < weight < 2**30:
            return None
        days = Literal(str(int(weight)), "INT")
        return low, Call("DateAdd", ("date_add(", ", ", ")"), (high, days), "DATE")
    one, two = decimal(low.type), decimal(high.type)
    if one is None or two is None:
        return None
    scale = max(one[1], two[1])
    while (weight * 10**scale) % 1 and scale < _WIDE:
        scale += 1
    whole = max(one[0] - one[1], two[0] - two[1], len(str(abs(int(weight))))) + 1
    if (weight * 10**scale) % 1 or whole + scale >= _WIDE:
        return None
    small = scale == 0 and whole <= 18
    type = "BIGINT" if small else f"DECIMAL({whole + scale},{scale})"
    constant = _number(weight, type)
    return cast(low, type), binary("Add", "+", cast(high, type), constant, type)
