"""Rows whose exact values are equal, paired by floats that may differ a little."""

from __future__ import annotations

import math
from collections.abc import Sequence

RELATIVE_TOLERANCE = 1e-9

Floats = Sequence[float]


def unpaired(expected: Sequence[Floats], actual: Sequence[Floats]) -> tuple[list[int], list[int]]:
    """The indexes that a largest pairing of close rows leaves over, on both sides.

    Closeness is not transitive, so taking the first close row may leave another without any;
    augmenting paths (Kuhn's algorithm) repair that.
    """
    owner: dict[int, int] = {}

    def place(index: int, seen: set[int]) -> bool:
        for other, floats in enumerate(actual):
            if other in seen or not _close(expected[index], floats):
                continue
            seen.add(other)
            if other not in owner or place(owner[other], seen):
                owner[other] = index
                return True
        return False

    lost = [index for index in range(len(expected)) if not place(index, set())]
    return lost, [other for other in range(len(actual)) if other not in owner]


def _close(left: Floats, right: Floats) -> bool:
    return all(
        (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=RELATIVE_TOLERANCE)
        for a, b in zip(left, right, strict=True)
    )
