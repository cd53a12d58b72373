"""Points: what a user may name, resolved once to a position and the vector of versions there.

A point is a position, a time, a commit of one origin, or the name of a mark. A time means the last
position such that every commit up to it has a commit time at or before it: with clocks that run
apart, no later commit is taken in before an earlier one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from rollview.errors import PointUnknown
from rollview.rolling.units_of_work import UnitsOfWork


@dataclass(frozen=True, slots=True)
class AtPosition:
    """A position itself."""

    position: int


@dataclass(frozen=True, slots=True)
class AtTime:
    """A moment of the wall clock, in seconds."""

    moment: float


@dataclass(frozen=True, slots=True)
class AtCommit:
    """A commit of one origin: version or LSN."""

    origin: str
    version: str


@dataclass(frozen=True, slots=True)
class AtMark:
    """A position that was given a name."""

    name: str


Point = AtPosition | AtTime | AtCommit | AtMark


@dataclass(frozen=True, slots=True)
class Resolved:
    """A point once it is resolved: it stays what it is, whatever is committed later."""

    position: int
    vector: Mapping[str, str]


def resolve(point: Point, units: UnitsOfWork, marks: Mapping[str, int]) -> Resolved:
    """The position and vector of a point. Raises PointUnknown."""
    position = _position(point, units, marks)
    if not units.first <= position <= units.newest:
        raise PointUnknown(
            f"position {position} is not known",
            hint=f"positions from {units.first} to {units.newest} are",
        )
    return Resolved(position, units.vector(position))


def _position(point: Point, units: UnitsOfWork, marks: Mapping[str, int]) -> int:
    match point:
        case AtPosition(position=position):
            return position
        case AtMark(name=name):
            if name not in marks:
                known = ", ".join(sorted(marks)) or "none"
                raise PointUnknown(f"there is no mark {name}", hint=f"marks: {known}")
            return marks[name]
        case AtCommit():
            return _of_commit(point, units)
        case AtTime(moment=moment):
            return _of_time(moment, units)
        case _:
            assert_never(point)


def _of_commit(point: AtCommit, units: UnitsOfWork) -> int:
    for unit in units.units:
        if (unit.commit.origin, unit.commit.version) == (point.origin, point.version):
            return unit.position
    if units.start.get(point.origin) == point.version:
        return units.first
    raise PointUnknown(
        f"the commit {point.version} of {point.origin} has no position",
        hint="only commits that were seen have one, as long as they are not pruned",
    )


def _of_time(moment: float, units: UnitsOfWork) -> int:
    last = units.first
    for unit in units.units:
        if unit.commit.committed > moment:
            break
        last = unit.position
    return last
