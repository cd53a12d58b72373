"""Propagation queries: the view with relations replaced by windows of their changes.

Salem et al. (2000), section 2. The paper writes a query as a row of relations, ``Q[i]``:

    R^i           Present      a live relation, seen when the query runs
    R^i_{x,y}     Window       its changes with positions in ``(x, y]``, each with its position
    -             AsOf         a relation that keeps versions: its rows at a position, which have no
                               position of their own, and its changes after that, which have one
    -             Correction   what makes `AsOf` of a live relation that was seen later

The weight of a joined row is the product of the weights, times the sign of the query; its position
is the minimum or the maximum of the positions that its parts have.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Present:
    """All rows of a live relation, as they are when the query runs; without positions."""


@dataclass(frozen=True, slots=True)
class Window:
    """The changes of a relation with positions in ``(since, until]``."""

    since: int
    until: int


@dataclass(frozen=True, slots=True)
class AsOf:
    """The rows at ``since``, without positions, and the changes in ``(since, until]`` with theirs.

    Together they are the rows at ``until``: After as Before plus stamped Changes.
    """

    since: int
    until: int


@dataclass(frozen=True, slots=True)
class Correction:
    """``AsOf(since, until)`` less the rows at ``seen``, of changes alone.

    The changes in ``(since, seen]`` are taken back without their positions, since the rows that
    they are taken from have none; those in ``(since, until]`` come in with theirs.
    """

    since: int
    until: int
    seen: int


Entry = Present | Window | AsOf | Correction


class Stamp(StrEnum):
    """Which of the positions of its parts a joined row gets."""

    MINIMUM = "minimum"
    MAXIMUM = "maximum"


@dataclass(frozen=True, slots=True)
class Query:
    """One propagation query ``Q``: an entry for every relation of the view, and a sign."""

    entries: tuple[Entry, ...]
    sign: int = 1
    stamp: Stamp = Stamp.MINIMUM

    def negated(self) -> Query:
        """``-Q``."""
        return replace(self, sign=-self.sign)

    def with_entry(self, relation: int, entry: Entry) -> Query:
        """The query with another entry for one relation."""
        entries = (*self.entries[:relation], entry, *self.entries[relation + 1 :])
        return replace(self, entries=entries)

    def is_present(self, relation: int) -> bool:
        """Whether the query reads the relation as it is when it runs: ``Q[i] = R^i``."""
        return isinstance(self.entries[relation], Present)

    def __str__(self) -> str:
        parts = (_text(number, entry) for number, entry in enumerate(self.entries, 1))
        return f"{'+' if self.sign > 0 else '-'} {' '.join(parts)}"


def _text(number: int, entry: Entry) -> str:
    match entry:
        case Present():
            return f"R{number}"
        case Window(since=since, until=until):
            return f"R{number}({since},{until}]"
        case AsOf(since=since, until=until):
            return f"R{number}@{since}" + (f"+({since},{until}]" if until > since else "")
        case Correction(since=since, until=until, seen=seen):
            return f"R{number}[+({since},{until}] -({since},{seen}]]"
