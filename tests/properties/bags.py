"""Bags of rows as they are compared, and signed bags applied to them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from tests.properties.cases import Bag, Row

TOLERANCE = 1e-9


class Violation(Exception):
    """A law that does not hold: which one, and what was found."""

    def __init__(self, law: str, found: str) -> None:
        super().__init__(f"{law}\n{found}")
        self.law = law


def bag(rows: Iterable[Row]) -> Bag:
    """The rows, comparable: doubles to ten digits, NaN like NaN."""
    return Counter(comparable(row) for row in rows)


def signed_bag(delta: Iterable[Row]) -> Bag:
    """The rows of a delta with their net weights."""
    found: Bag = Counter()
    for row in delta:
        found[comparable(row[:-1])] += int(str(row[-1]))
    return Counter({row: weight for row, weight in found.items() if weight})


def comparable(row: Row) -> Row:
    """A row that equals every other one that counts as the same."""
    return tuple(_comparable(value) for value in row)


def _comparable(value: object) -> object:
    match value:
        case float():
            return "NaN" if value != value else float(f"{value:.10g}") + 0.0
        case list():
            return tuple(_comparable(one) for one in value)
        case dict():
            return tuple((name, _comparable(one)) for name, one in value.items())
        case _:
            return value


def applied(what: str, stored: Bag, delta: Bag) -> Bag:
    """The bag with a change; nothing may be removed that is not there."""
    result = Counter(stored)
    for row, weight in delta.items():
        result[row] += weight
    missing = {row: weight for row, weight in result.items() if weight < 0}
    if missing:
        raise Violation(f"law 1: the {what} loses what it does not have", str(missing))
    return +result


def assert_same(law: str, found: Bag, expected: Bag) -> None:
    """Fail unless both bags are equal; doubles that differ by a billionth are."""
    unexpected, missing = found - expected, expected - found
    if not _are_close(list(unexpected.elements()), list(missing.elements())):
        raise Violation(law, f"unexpected {dict(unexpected)}\nmissing {dict(missing)}")


def _are_close(rows: list[Row], others: list[Row]) -> bool:
    """Whether the rows of one list are those of the other, but for doubles.

    Two that differ in the last bit may be rounded to different tenth digits.
    """
    left = list(others)
    for row in rows:
        place = next((at for at, other in enumerate(left) if _is_close(row, other)), None)
        if place is None:
            return False
        del left[place]
    return not left


def _is_close(value: object, other: object) -> bool:
    match value, other:
        case float(), float():
            return math.isclose(value, other, rel_tol=TOLERANCE)
        case tuple(), tuple():
            same = len(value) == len(other)
            return same and all(_is_close(a, b) for a, b in zip(value, other, strict=True))
        case _:
            return value == other
