"""What one side of a comparison adds up to: columns and constants, each once, and a number.

``x + 1``, ``date_add(d, 3)``, ``x - y``: whatever is a sum of nodes with factors 1 or -1. A node is
a column, or a constant whose value is not known here. A sum that may wrap around, as those of
integers do where Spark's ANSI mode is off, is none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from rollview.algebra.expressions import Call, ColumnRef, Expression, Literal
from rollview.analysis.relevance.domains import (
    Family,
    Number,
    decimal,
    family,
    has_sums,
    is_constant,
    limits,
    value,
)

Node = ColumnRef | Literal | Call
"""A column of some place in the view, or a constant; never anything else."""
_SUMS = {"Add": 1, "Subtract": -1, "DateAdd": 1, "DateSub": -1, "DateDiff": -1}


@dataclass(frozen=True, slots=True)
class Linear:
    """Nodes with their factors, plus a number; ``low`` and ``high`` are what it lies between."""

    family: Family
    factors: Mapping[Node, int]
    number: Number
    low: Number
    high: Number

    def __sub__(self, other: Linear) -> Linear:
        return self._plus(other, -1)

    def _plus(self, other: Linear, sign: int) -> Linear:
        factors = Counter(dict(self.factors))
        for node, factor in other.factors.items():
            factors[node] += sign * factor
        low, high = (other.low, other.high) if sign > 0 else (-other.high, -other.low)
        return Linear(
            self.family,
            {node: factor for node, factor in factors.items() if factor},
            self.number + sign * other.number,
            self.low + low,
            self.high + high,
        )


def linear(expression: Expression, *, wraps: bool) -> Linear | None:
    """The sum that an expression is; None if it is none.

    With ``wraps``, integers that leave their type come back at its other end.
    """
    own = family(expression.type)
    if own is None:
        return None
    number = value(expression) if has_sums(own) else None
    if number is not None:
        return Linear(own, {}, number, number, number)
    match expression:
        case ColumnRef():
            return _node(expression, own)
        case Call(kind="Cast", args=(inner,)) if has_sums(own) and _is_wider(expression, inner):
            return linear(inner, wraps=wraps)
        case Call(kind=kind, args=(one, two)) if kind in _SUMS and has_sums(own):
            found = _sum(expression, one, two, _SUMS[kind], wraps)
            if found is not None and not (found.factors and is_constant(expression)):
                return found
        case _:
            pass
    return _node(expression, own) if is_constant(expression) else None


def _node(node: Node, own: Family) -> Linear:
    low, high = limits(node.type) or (-(2**31), 2**31 - 1)  # the days of a date
    return Linear(own, {node: 1}, 0, low, high)


def _sum(whole: Call, one: Expression, two: Expression, sign: int, wraps: bool) -> Linear | None:
    first, second = linear(one, wraps=wraps), linear(two, wraps=wraps)
    if first is None or second is None:
        return None
    families = (first.family, second.family)
    if whole.kind == "DateDiff":
        if families != (Family.DATE, Family.DATE):
            return None
        found = first - second
        return Linear(Family.NUMBER, found.factors, found.number, found.low, found.high)
    wanted = (family(whole.type), Family.NUMBER)
    if families != wanted:
        return None
    found = first._plus(second, sign)
    return found if _is_exact(found, whole.type, (one.type, two.type), wraps) else None


def _is_exact(found: Linear, type: str, parts: tuple[str, str], wraps: bool) -> bool:
    """Whether the sum is what it is mathematically, or NULL, or an error."""
    if found.family is Family.DATE:
        return True
    shape, shapes = decimal(type), [decimal(part) for part in parts]
    if shape is None or any(one is None or one[1] > shape[1] for one in shapes):
        return False  # digits would be rounded away
    bounds = limits(type)
    if bounds is None or not wraps or type.startswith("DECIMAL"):
        return bounds is not None
    return bounds[0] <= found.low and found.high <= bounds[1]


def _is_wider(cast: Call, inner: Expression) -> bool:
    """Whether the cast changes no value."""
    outer, own = decimal(cast.type), decimal(inner.type)
    if outer is None or own is None:
        return cast.type == inner.type
    ours, theirs = limits(cast.type), limits(inner.type)
    if ours is None or theirs is None:
        return False
    return ours[0] <= theirs[0] and theirs[1] <= ours[1] and own[1] <= outer[1]
