"""The text of expressions: as few parentheses as the meaning needs where there are many."""

from __future__ import annotations

from functools import reduce

import pytest

from rollview.algebra.expressions import ColumnRef, Expression, binary
from rollview.sql.expressions import text

A, B, C, D = (ColumnRef(name, "BOOLEAN", nullable=True) for name in "abcd")


def both(one: Expression, two: Expression) -> Expression:
    return binary("And", "AND", one, two, "BOOLEAN")


def either(one: Expression, two: Expression) -> Expression:
    return binary("Or", "OR", one, two, "BOOLEAN")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (both(both(both(A, B), C), D), "(a AND b AND c AND d)"),
        (either(either(A, B), C), "(a OR b OR c)"),
        (both(A, both(B, C)), "(a AND (b AND c))"),
        (either(both(A, B), both(C, D)), "((a AND b) OR (c AND d))"),
        (both(either(A, B), C), "((a OR b) AND c)"),
        (either(either(both(A, B), C), either(D, A)), "((a AND b) OR c OR (d OR a))"),
        (binary("Subtract", "-", binary("Subtract", "-", A, B, "INT"), C, "INT"), "((a - b) - c)"),
    ],
)
def test_chains_of_one_connective_are_one_pair_of_parentheses(
    expression: Expression, expected: str
) -> None:
    assert text(expression) == expected


def test_a_thousand_conditions_are_no_deeper_than_two() -> None:
    written = text(reduce(either, [A] * 1000))
    assert written.count("(") == 1
