"""Random join conditions: equalities, NULL-safe ones, inequalities, and what NOT IN becomes."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from rollview.algebra.expressions import ColumnRef, Expression, conjunction
from rollview.algebra.relations import JoinKind
from rollview.algebra.schema import Column
from tests.properties.scalars import (
    COMPARISONS,
    Scalars,
    equal,
    is_null,
    null_safe,
    one_of,
    operator,
    ref,
)

Pairs = list[tuple[ColumnRef, ColumnRef]]


def pairs(rng: Random, left: Sequence[Column], right: Sequence[Column]) -> Pairs:
    """One or two pairs of columns of the same type; none if there are none."""
    found = [(ref(a), ref(b)) for a in left for b in right if a.type == b.type]
    some = rng.sample(found, min(len(found), rng.choice((1, 1, 1, 2))))
    return list({two.name: (one, two) for one, two in some}.values())


def equated(rng: Random, some: Pairs) -> Expression | None:
    """All pairs equal, one way or the other."""
    return conjunction(
        equal(one, two) if rng.random() < 0.8 else null_safe(one, two) for one, two in some
    )


def condition(
    rng: Random, kind: JoinKind, left: Sequence[Column], right: Sequence[Column]
) -> Expression | None:
    """A condition for a join of a kind; None if it has none."""
    if kind is JoinKind.CROSS:
        return None
    some = pairs(rng, left, right)
    dice = rng.random()
    if kind is JoinKind.ANTI and some and dice < 0.35:
        return conjunction(_not_in(one, two) for one, two in some)
    if some and dice < 0.75:
        parts: list[Expression] = [_equality(rng, one, two, right) for one, two in some]
        if rng.random() < 0.15:
            parts.append(Scalars(rng, [*left, *right]).condition(1))
        return conjunction(parts)
    if some and dice < 0.87:
        one, two = some[0]
        other, sign = rng.choice(list(COMPARISONS.items()))
        return operator(other, sign, one, two, "BOOLEAN")
    if dice < 0.95:
        return Scalars(rng, [*left, *right]).condition(1)
    return None


def _not_in(one: ColumnRef, two: ColumnRef) -> Expression:
    return one_of(equal(one, two), is_null(equal(one, two)))


def _equality(rng: Random, one: ColumnRef, two: ColumnRef, right: Sequence[Column]) -> Expression:
    dice = rng.random()
    if dice < 0.15:
        return null_safe(one, two)
    if dice < 0.25:
        return equal(one, Scalars(rng, right).of(one.type, 1))
    return equal(one, two) if dice < 0.7 else equal(two, one)
