"""The unit-of-work table: one order of positions over the commits of all origins.

Salem et al. (2000), section 5: commit sequence numbers, which are unique and agree with the order
of serialization, serve as times; wall clocks are only recorded beside them. An *origin* is what has
an order of commits of its own: a lake table, or a database server with many tables. Its commits get
the next numbers when they are first seen, so a position that was handed out never changes its
meaning, whatever the clock of another origin says later.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from rollview.errors import DefinitionCorrupt, InternalError


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit as its origin tells it: version or LSN, clock, and rows changed by source."""

    origin: str
    version: str
    committed: float
    rows: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Unit:
    """A commit that has its position."""

    position: int
    commit: Commit


@dataclass(frozen=True)
class UnitsOfWork:
    """All commits seen so far, by position; before the first one, the origins were at ``start``."""

    start: Mapping[str, str]
    units: tuple[Unit, ...] = ()
    first: int = 0

    @property
    def newest(self) -> int:
        """The position of the last commit that was seen."""
        return self.units[-1].position if self.units else self.first

    def observed(self, commits: Iterable[Commit]) -> UnitsOfWork:
        """The table with commits that were not seen before, in the order of each origin.

        Several origins are merged by their clocks, as far as each origin's own order allows.
        """
        new = list(_merged(list(commits)))
        known = {(u.commit.origin, u.commit.version) for u in self.units}
        for commit in new:
            if commit.origin not in self.start:
                raise InternalError(f"no start is known of the origin {commit.origin}")
            if (commit.origin, commit.version) in known:
                raise InternalError(f"{commit.origin} {commit.version} has its position already")
        numbered = (Unit(self.newest + n, commit) for n, commit in enumerate(new, 1))
        return replace(self, units=(*self.units, *numbered))

    def pruned(self, upto: int) -> UnitsOfWork:
        """The table without what is at or before a position, which becomes its start."""
        rest = tuple(u for u in self.units if u.position > upto)
        return UnitsOfWork(self.vector(upto), rest, min(upto, self.newest))

    def vector(self, position: int) -> dict[str, str]:
        """The version of every origin at a position."""
        if position < self.first:
            raise InternalError(f"position {position} is older than the table, {self.first}")
        found = dict(self.start)
        for unit in self.units:
            if unit.position > position:
                break
            found[unit.commit.origin] = unit.commit.version
        return found

    def seen(self, origin: str, version: str) -> int:
        """The last position at which the origin is at this version: its execution position.

        An origin that has no commit beyond the version is seen as it is at the newest position.
        """
        found = self.start.get(origin) == version
        for unit in self.units:
            if unit.commit.origin != origin:
                continue
            if found:
                return unit.position - 1
            found = unit.commit.version == version
        if not found:
            raise InternalError(f"{origin} {version} has no position yet")
        return self.newest

    def moved(self, source: str, since: int, until: int) -> bool:
        """Whether any commit within ``(since, until]`` changed the source."""
        return self.rows(source, since, until) > 0

    def rows(self, source: str, since: int, until: int) -> int:
        """How many rows of the source changed within ``(since, until]``."""
        positions, totals = self._of_source.get(source, ((), (0,)))
        return totals[bisect_right(positions, until)] - totals[bisect_right(positions, since)]

    def last_change(self, source: str, until: int) -> int:
        """The last position up to another one at which the source changed; it stood still since."""
        positions, _ = self._of_source.get(source, ((), (0,)))
        found = bisect_right(positions, until)
        return positions[found - 1] if found else self.first

    def last_within(self, source: str, since: int, rows: int) -> int:
        """The last position up to which at most so many rows of the source changed.

        One commit at least, however large it is: a commit cannot be split.
        """
        positions, totals = self._of_source.get(source, ((), (0,)))
        start = bisect_right(positions, since)
        end = start + 1
        while end < len(positions) and totals[end + 1] - totals[start] <= rows:
            end += 1
        return positions[end] - 1 if end < len(positions) else max(since, self.newest)

    @cached_property
    def _of_source(self) -> dict[str, tuple[list[int], list[int]]]:
        """By source, the positions of its commits and the rows changed before each of them."""
        found: dict[str, tuple[list[int], list[int]]] = {}
        for unit in self.units:
            for source, rows in unit.commit.rows.items():
                if rows > 0:
                    positions, totals = found.setdefault(source, ([], [0]))
                    positions.append(unit.position)
                    totals.append(totals[-1] + rows)
        return found


# --- as text --------------------------------------------------------------------------------


def to_text(units: UnitsOfWork) -> str:
    """The table as JSON; to be stored before anything goes by the positions in it."""
    return json.dumps(
        {
            "start": dict(units.start),
            "first": units.first,
            "units": [
                [u.position, c.origin, c.version, c.committed, dict(c.rows)]
                for u in units.units
                for c in (u.commit,)
            ],
        }
    )


def from_text(text: str) -> UnitsOfWork:
    """The table that `to_text` wrote. Raises DefinitionCorrupt."""
    try:
        plain = json.loads(text)
        units = tuple(Unit(position, Commit(*rest)) for position, *rest in plain["units"])
        return UnitsOfWork(plain["start"], units, plain["first"])
    except (KeyError, TypeError, ValueError) as error:
        raise DefinitionCorrupt(f"a unit-of-work table cannot be read: {error!r}") from error


def _merged(commits: list[Commit]) -> Iterable[Commit]:
    """By clock, but every origin in the order in which it told its commits."""
    latest: dict[str, float] = {}
    keyed = []
    for order, commit in enumerate(commits):
        latest[commit.origin] = max(latest.get(commit.origin, commit.committed), commit.committed)
        keyed.append((latest[commit.origin], order, commit))
    return (commit for _, _, commit in sorted(keyed, key=lambda one: one[:2]))
