"""Points resolve once, to a position and a vector."""

from __future__ import annotations

import pytest

from rollview.errors import PointUnknown
from rollview.rolling.positions import AtCommit, AtMark, AtPosition, AtTime, Point, resolve
from tests.rolling.test_units_of_work import UNITS, commit

MARKS = {"closing": 3}


@pytest.mark.parametrize(
    ("point", "position"),
    [
        (AtPosition(2), 2),
        (AtMark("closing"), 3),
        (AtCommit("lake", "5"), 3),
        (AtCommit("lake", "v0"), 0),
        (AtTime(9.0), 0),
        (AtTime(10.0), 1),
        (AtTime(11.5), 1),  # the commit of the lake, at 11, comes after one at 12
        (AtTime(12.0), 3),
        (AtTime(99.0), 4),
    ],
)
def test_resolve(point: Point, position: int) -> None:
    found = resolve(point, UNITS, MARKS)
    assert (found.position, found.vector) == (position, UNITS.vector(position))


@pytest.mark.parametrize(
    ("point", "hint"),
    [
        (AtPosition(5), "positions from 0 to 4 are"),
        (AtMark("dawn"), "marks: closing"),
        (AtCommit("lake", "7"), "only commits that were seen"),
    ],
)
def test_what_is_not_known_is_refused(point: Point, hint: str) -> None:
    with pytest.raises(PointUnknown, match=hint):
        resolve(point, UNITS, MARKS)


def test_a_point_that_was_pruned_is_refused() -> None:
    with pytest.raises(PointUnknown, match="positions from 2 to 4 are"):
        resolve(AtPosition(1), UNITS.pruned(2), MARKS)


def test_a_late_commit_with_an_early_clock_does_not_move_a_resolved_point() -> None:
    found = resolve(AtTime(99.0), UNITS, MARKS)
    later = UNITS.observed([commit("lake", 6, 1.0, people=1)])
    assert resolve(AtPosition(found.position), later, MARKS) == found
