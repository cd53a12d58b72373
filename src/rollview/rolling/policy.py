"""Policies: how long the interval of the next forward query of a relation is.

Salem et al. (2000), sections 3.3 and 3.4: "choose a propagation interval length". Small intervals
give many small queries, large ones fewer and larger; whatever is chosen, the delta is the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from rollview.rolling.units_of_work import UnitsOfWork


class Policy(Protocol):
    """Chooses intervals; what it has learned is a number in the control state."""

    def first(self) -> int:
        """What it knows at the beginning."""

    def until(self, units: UnitsOfWork, source: str, since: int, memory: int) -> int:
        """Where the next interval of a source ends: after ``since``, not after the newest."""

    def learned(self, memory: int, cost: int) -> int:
        """What it knows after a forward query and its compensation that cost so much."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """So many positions at a time."""

    length: int

    def first(self) -> int:
        return 0

    def until(self, units: UnitsOfWork, source: str, since: int, memory: int) -> int:
        return min(since + self.length, units.newest)

    def learned(self, memory: int, cost: int) -> int:
        return memory


@dataclass(frozen=True, slots=True)
class ByChanges:
    """So many changed rows of the relation at a time; one commit at least."""

    rows: int

    def first(self) -> int:
        return 0

    def until(self, units: UnitsOfWork, source: str, since: int, memory: int) -> int:
        return units.last_within(source, since, self.rows)

    def learned(self, memory: int, cost: int) -> int:
        return memory


@dataclass(frozen=True, slots=True)
class Adaptive:
    """As many changed rows as keep the cost of a step near a target.

    Halved after a step that cost more, doubled after one that cost less than half of it.
    """

    target: int
    start: int = 64
    largest: int = 1 << 30

    def first(self) -> int:
        return self.start

    def until(self, units: UnitsOfWork, source: str, since: int, memory: int) -> int:
        return units.last_within(source, since, memory)

    def learned(self, memory: int, cost: int) -> int:
        if cost > self.target:
            return max(1, memory // 2)
        if 2 * cost < self.target:
            return min(2 * memory, self.largest)
        return memory
