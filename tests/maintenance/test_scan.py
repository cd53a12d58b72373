"""``d(S) = Changes(S)``."""

from __future__ import annotations

from tests.algebra.examples import PEOPLE
from tests.maintenance.people import ANN, FAY, hired, left, refresh


def test_changes_of_a_source_are_its_delta() -> None:
    assert refresh(PEOPLE, hired(FAY), left(ANN)).delta == {FAY: 1, ANN: -1}


def test_a_row_that_comes_and_goes_is_no_change() -> None:
    done = refresh(PEOPLE, hired(FAY), left(FAY))
    assert not done.delta


def test_copies_of_a_row_count() -> None:
    assert refresh(PEOPLE, hired(ANN, ANN)).delta == {ANN: 2}
