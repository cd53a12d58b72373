"""Where a planned fault strikes."""

from __future__ import annotations

import pytest

from rollview.storage import faults
from rollview.storage.faults import Crash


def test_a_point_does_nothing_unless_planned() -> None:
    with faults.planned("one"):
        faults.point("two")
    faults.point("one")


@pytest.mark.parametrize("hit", [1, 2, 3])
def test_it_strikes_at_the_hit_that_is_planned_and_after(hit: int) -> None:
    struck = []
    with faults.planned("one", lambda: struck.append(True), hit=hit):
        for _ in range(4):
            faults.point("one")
    assert len(struck) == 4 - (hit - 1)


def test_a_crash_is_no_ordinary_error() -> None:
    assert not issubclass(Crash, Exception)
    with faults.planned("one"), pytest.raises(Crash):
        faults.point("one")
