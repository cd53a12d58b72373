"""A journal in memory: the view delta and the control state, which is kept as text."""

from __future__ import annotations

from collections import Counter

from rollview.errors import Conflict
from rollview.rolling.control import Control, from_text, to_text
from tests.rolling.interpreter import Row


class MemoryJournal:
    """Appends rows and replaces the control state in one act."""

    def __init__(self, control: Control) -> None:
        self.text = to_text(control)
        self.delta: list[Row] = []

    def control(self) -> Control:
        return from_text(self.text)

    def commit(self, expected: int, control: Control, rows: list[Row] | None) -> None:
        before = self.control()
        if before.number != expected:
            raise Conflict(f"the control state is number {before.number}, not {expected}")
        new = rows or []
        late = [row for row in new if row[-1] <= before.high_water_mark]  # type: ignore[operator]
        assert not late, f"rows at or before the high-water mark: {late}"
        assert control.high_water_mark >= before.high_water_mark
        self.text = to_text(control)
        self.delta += new

    def between(self, since: int, until: int) -> Counter[Row]:
        """The net effect of the delta between two positions."""
        found: Counter[Row] = Counter()
        for *row, weight, position in self.delta:
            if since < position <= until:  # type: ignore[operator]
                found[tuple(row)] += weight  # type: ignore[assignment]
        return Counter({row: weight for row, weight in found.items() if weight})
