"""What is known of all values of a column: the least, the greatest, and whether any is NULL."""

from __future__ import annotations

from dataclasses import dataclass

from rollview.algebra.expressions import Literal


@dataclass(frozen=True, slots=True)
class Range:
    """The least and the greatest value of a column, as constants, and whether it has NULLs too."""

    low: Literal
    high: Literal
    nulls: bool
