"""When the whole view is taken to be cheaper than its change."""

from __future__ import annotations

import pytest

from rollview.runtime.costs import why_whole
from rollview.runtime.report import Mode, RefreshReport


def took(mode: Mode, seconds: float) -> RefreshReport:
    return RefreshReport(view="v", mode=mode, seconds={"total": seconds})


def test_nothing_is_known_of_a_view_that_was_never_computed() -> None:
    assert why_whole([], operators=1) is None
    assert why_whole([took(Mode.NOOP, 0.1), took(Mode.INCREMENTAL, 9)], operators=1) is None


@pytest.mark.parametrize(
    ("operators", "seconds", "whole"), [(4, 1.9, True), (4, 2.1, False), (40, 10.9, True)]
)
def test_a_first_change_is_guessed(operators: int, seconds: float, whole: bool) -> None:
    found = why_whole([took(Mode.FULL, seconds)], operators)
    assert (found is not None) == whole


def test_what_it_took_before_counts() -> None:
    full = took(Mode.FULL, 5)
    assert why_whole([took(Mode.INCREMENTAL, 4), full], operators=100) is None
    assert why_whole([took(Mode.PARTIAL, 6), full], operators=1) == (
        "recomputing the view took 5.0 s, and deriving a change took 6.0 s"
    )


def test_one_slow_start_does_not_count() -> None:
    past = [took(Mode.INCREMENTAL, 9), took(Mode.INCREMENTAL, 3), took(Mode.FULL, 5)]
    assert why_whole(past, operators=1) is None
