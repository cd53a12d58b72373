"""When one base pays instead of many segments."""

from __future__ import annotations

import pytest

from rollview.storage.segments import MAX_SEGMENTS, is_compaction_due
from rollview.storage.vector import Segment

BASE = Segment("base", 100, signed=False)


def deltas(count: int, rows: int) -> list[Segment]:
    return [Segment(f"d{number}", rows, signed=True) for number in range(count)]


@pytest.mark.parametrize(
    ("segments", "due"),
    [
        ([], False),
        ([BASE], False),
        ([BASE, *deltas(1, 50)], False),
        ([BASE, *deltas(1, 51)], True),
        ([BASE, *deltas(3, 17)], True),
        ([BASE, *deltas(MAX_SEGMENTS - 1, 1)], False),
        ([BASE, *deltas(MAX_SEGMENTS, 1)], True),
        (deltas(1, 1), True),
    ],
)
def test_compaction_is_due(segments: list[Segment], due: bool) -> None:
    assert is_compaction_due(segments) is due
