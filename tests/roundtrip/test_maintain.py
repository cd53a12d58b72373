"""The judge of carried changes: ties are judged by the canonical definition, all else is exact."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from rollview.algebra.definition import Definition
from rollview.algebra.schema import Column
from tests.roundtrip.check import Case
from tests.roundtrip.maintain import assert_follows

CASE = Case("ranked", "SELECT ...", "corpus")
COLUMNS = (Column("id", "INT", True), Column("place", "INT", True))
EXACT = Definition("SELECT ...", None, COLUMNS, None, (), (), (), ())
TIED = replace(EXACT, canonical=True, tied=("place",))
STORED = Counter([(1, 1), (2, 2)])
OTHER_CHOICE = [(1, 2), (2, 1)]


def canonical() -> list[tuple[int, int]]:
    return [(2, 2), (1, 1)]


def test_the_original_decides() -> None:
    assert_follows(CASE, EXACT, STORED, [(2, 2), (1, 1)], list)
    with pytest.raises(AssertionError, match="rows differ"):
        assert_follows(CASE, EXACT, STORED, OTHER_CHOICE, canonical)


def test_the_choice_among_ties_is_that_of_the_canonical_definition() -> None:
    assert_follows(CASE, TIED, STORED, OTHER_CHOICE, canonical)
    with pytest.raises(AssertionError, match="rows differ"):
        assert_follows(CASE, TIED, Counter([(1, 1), (2, 3)]), OTHER_CHOICE, canonical)


def test_what_no_tie_touches_is_that_of_the_original() -> None:
    with pytest.raises(AssertionError, match="rows differ"):
        assert_follows(CASE, TIED, STORED, [(1, 2), (3, 1)], canonical)


def test_what_is_left_open_is_not_compared() -> None:
    opened = replace(TIED, left_open=("place",))
    assert_follows(CASE, opened, Counter([(1, 7), (2, 8)]), OTHER_CHOICE, canonical)
    with pytest.raises(AssertionError, match="rows differ"):
        assert_follows(CASE, opened, Counter([(1, 7), (3, 8)]), OTHER_CHOICE, canonical)
