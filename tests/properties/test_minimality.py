"""The checker of minimal deltas says what the definitions say."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.properties.bags import Violation
from tests.properties.cases import Bag
from tests.properties.minimality import (
    Minimality,
    assert_minimal,
    assert_minimal_for_sets,
    is_minimal_for_sets,
    minimality,
    of_delta,
)


def rows(text: str) -> Bag:
    return Counter((letter,) for letter in text)


@pytest.mark.parametrize(
    ("before", "after", "inserted", "deleted", "found"),
    [
        ("aab", "abc", "c", "a", Minimality.STRONG),
        ("ab", "ab", "", "", Minimality.STRONG),
        ("aa", "aa", "a", "a", Minimality.WEAK),  # as often, so nothing has to be done
        ("ab", "ab", "ab", "ab", Minimality.WEAK),  # all anew
        ("a", "a", "", "b", Minimality.NOT),  # b is not there
        ("a", "aa", "a", "b", Minimality.NOT),
        ("a", "ab", "", "", Minimality.WRONG),
        ("aa", "", "", "a", Minimality.WRONG),
        ("a", "a", "a", "", Minimality.WRONG),
    ],
)
def test_how_minimal_a_delta_is(
    before: str, after: str, inserted: str, deleted: str, found: Minimality
) -> None:
    assert minimality(rows(before), rows(after), rows(inserted), rows(deleted)) is found


def test_of_sets_nothing_is_inserted_that_is_there() -> None:
    """Without a deletion of it, such a row is strongly minimal for bags and wrong for sets."""
    assert minimality(rows("a"), rows("aa"), rows("a"), rows("")) is Minimality.STRONG
    assert not is_minimal_for_sets(rows("a"), rows("a"), rows(""))
    assert not is_minimal_for_sets(rows("a"), rows(""), rows("b"))
    assert is_minimal_for_sets(rows("ab"), rows("c"), rows("a"))


def test_doubles_that_count_as_equal_are_no_copies_of_each_other() -> None:
    before, after = Counter([(0.3,)]), Counter([(0.3,)])
    exact, near = 0.3, 0.1 + 0.2
    assert of_delta(before, after, [(exact, -1), (near, 1)]) is Minimality.STRONG
    assert of_delta(before, after, [(exact, -1), (exact, 1)]) is Minimality.WEAK
    nan = float("nan")
    one = Counter([("NaN",)])
    assert of_delta(one, one, [(nan, -1), (float("nan"), 1)]) is Minimality.WEAK


def test_what_is_not_strongly_minimal_is_a_violation() -> None:
    assert_minimal("view", rows("a"), rows("b"), [("b", 1), ("a", -1)])
    assert_minimal_for_sets("view", rows("a"), [("b", 1), ("a", -1)])
    with pytest.raises(Violation, match="law 4: the change of the view is none of a set"):
        assert_minimal_for_sets("view", rows("a"), [("a", 1)])
    with pytest.raises(Violation, match="law 4: the change of the view is weakly minimal"):
        assert_minimal("view", rows("a"), rows("a"), [("a", 1), ("a", -1)])
