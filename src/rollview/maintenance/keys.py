"""Keys: the rows that say which part of a relation a delta needs.

Key-scoped evaluation is what makes a rule for every operator possible: before and after are
evaluated only where a change can show. ``restrict`` is the plain form; `images` pushes it down.
"""

from __future__ import annotations

from dataclasses import dataclass

from rollview.algebra.expressions import (
    Call,
    ColumnRef,
    Expression,
    conjunction,
    conjuncts,
    is_known,
    same,
)
from rollview.algebra.relations import Filter, Join, JoinKind, Relation, Side
from rollview.algebra.traverse import column_names
from rollview.errors import InternalError


@dataclass(frozen=True, slots=True)
class Keys:
    """Distinct rows of key columns, and the expressions that are compared with each column.

    The expressions are over the columns of whatever relation the keys are applied to.
    """

    relation: Relation
    on: tuple[tuple[Expression, ColumnRef], ...]

    def over(self, on: tuple[Expression, ...]) -> Keys:
        """The same keys for another relation, in whose columns they are spelled like this."""
        pairs = zip(on, self.on, strict=True)
        return Keys(self.relation, tuple((new, key) for new, (_, key) in pairs))

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return tuple(expression for expression, _ in self.on)

    @property
    def names(self) -> frozenset[str]:
        """The columns that the expressions refer to."""
        return frozenset().union(*(column_names(e) for e in self.expressions))


def restrict(relation: Relation, keys: Keys | None) -> Relation:
    """The rows of the relation whose key is one of the keys."""
    if keys is None:
        return relation
    condition = conjunction(same(expression, key) for expression, key in keys.on)
    return Join(JoinKind.SEMI, relation, keys.relation, condition, broadcast=Side.RIGHT)


def without(relation: Relation, keys: Keys) -> Relation:
    """The rows of the relation whose key is none of the keys."""
    condition = conjunction(same(expression, key) for expression, key in keys.on)
    return Join(JoinKind.ANTI, relation, keys.relation, condition, broadcast=Side.RIGHT)


@dataclass(frozen=True, slots=True)
class Pair:
    """An equality in a join condition: an expression of the left, one of the right input.

    ``null_safe`` is that of <=>; with =, NULL matches nothing.
    """

    left: Expression
    right: Expression
    null_safe: bool = False


def equalities(
    condition: Expression | None, left: frozenset[str], right: frozenset[str]
) -> tuple[Pair, ...]:
    """The equalities of the condition between the columns of two inputs."""
    found = []
    for part in conjuncts(condition):
        if not isinstance(part, Call) or part.kind not in ("EqualTo", "EqualNullSafe"):
            continue
        first, second = part.args
        null_safe = part.kind == "EqualNullSafe"
        one, two = column_names(first), column_names(second)
        if one and two and one <= left and two <= right:
            found.append(Pair(first, second, null_safe))
        elif one and two and one <= right and two <= left:
            found.append(Pair(second, first, null_safe))
    return tuple(found)


def without_nulls(
    relation: Relation, expressions: tuple[Expression, ...], pairs: tuple[Pair, ...]
) -> Relation:
    """The rows that can match: those with NULL on one side of a plain equality cannot."""
    sure = conjunction(
        is_known(expression)
        for expression, pair in zip(expressions, pairs, strict=True)
        if expression.nullable and not pair.null_safe
    )
    return relation if sure is None else Filter(relation, sure)


def names_of(relation: Relation) -> frozenset[str]:
    """The column names of a relation."""
    return frozenset(column.name for column in relation.columns)


def column_of(relation: Relation, name: str) -> ColumnRef:
    """A column of the relation by name."""
    for column in relation.columns:
        if column.name == name:
            return ColumnRef(column.name, column.type, column.nullable)
    raise InternalError(f"the relation has no column {name}")
