"""Bags are the same if their rows are, but for the last digits of doubles."""

from __future__ import annotations

import pytest

from tests.properties.bags import Bag, Violation, assert_same, bag


def same(one: Bag, other: Bag) -> bool:
    try:
        assert_same("law", one, other)
    except Violation:
        return False
    return True


def test_doubles_on_both_sides_of_a_tenth_digit_are_the_same() -> None:
    one, other = bag([("a", 143.94943124999998)]), bag([("a", 143.94943125000002)])
    assert one != other  # rounded, they are not
    assert same(one, other)
    assert same(bag([("a", [1.0, 143.94943124999998])]), bag([("a", [1.0, 143.94943125000002])]))


@pytest.mark.parametrize(
    ("rows", "others"),
    [
        ([("a", 1.0)], [("a", 1.00000001)]),
        ([("a", 1.0)], [("b", 1.0)]),
        ([("a", 1.0)], [("a", 1.0), ("a", 1.0)]),
        ([("a", 1.0), ("a", 1.0)], [("a", 1.0)]),
        ([("a", 0.0)], [("a", 1e-12)]),
        ([(1,)], [(2,)]),
        ([(None,)], [(0,)]),
    ],
)
def test_other_rows_are_not(
    rows: list[tuple[object, ...]], others: list[tuple[object, ...]]
) -> None:
    assert not same(bag(rows), bag(others))
    assert not same(bag(others), bag(rows))


def test_each_row_counts_once() -> None:
    near, nearer = 143.94943124999998, 143.94943125000002
    assert same(bag([(near,), (near,)]), bag([(near,), (nearer,)]))
    assert not same(bag([(near,), (1.0,)]), bag([(near,), (nearer,)]))
