"""How far off the model was the last times counts, and less the longer ago."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rollview.planning.cost import DEFAULTS
from rollview.planning.past import Observation, past_of

CONSTANTS = replace(DEFAULTS, memory=0.5, first=2.0)


def seen(
    seconds: float, age: int = 0, piece: str = "recompute", first: bool = False
) -> Observation:
    return Observation(piece, 2.0, seconds, age, first)


def test_without_a_past_the_model_stands() -> None:
    assert past_of([]).factor("recompute", CONSTANTS) == 1.0
    assert past_of([seen(9, piece="changes")]).factor("recompute", CONSTANTS) == 1.0


def test_what_it_took_corrects_what_was_expected() -> None:
    assert past_of([seen(6)]).factor("recompute", CONSTANTS) == 3.0
    assert past_of([seen(1)]).factor("recompute", CONSTANTS) == 0.5


def test_of_the_last_two_the_faster_one_counts() -> None:
    past = past_of([seen(1, age=2), seen(8, age=0), seen(6, age=1)])
    assert past.factor("recompute", CONSTANTS) == 3.0


def test_what_lies_long_back_counts_less() -> None:
    near, far = (past_of([seen(8, age=age)]).factor("recompute", CONSTANTS) for age in (1, 9))
    assert near == pytest.approx(2.0)
    assert 1.0 < far < 1.01


def test_the_first_time_in_a_process_is_slower() -> None:
    assert past_of([seen(8, first=True)]).factor("recompute", CONSTANTS) == 2.0


def test_what_cannot_be_compared_is_passed_over() -> None:
    strange = [Observation("recompute", 0.0, 3.0, 0), Observation("recompute", 2.0, 0.0, 0)]
    assert past_of(strange).factor("recompute", CONSTANTS) == 1.0
