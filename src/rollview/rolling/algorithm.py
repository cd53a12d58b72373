"""What every algorithm of this room is: a pure step function over the control state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from rollview.rolling.compute_delta import compensation
from rollview.rolling.control import Control, Todo, Vector
from rollview.rolling.exact import correction
from rollview.rolling.query import Correction, Present, Query, Stamp, Window
from rollview.rolling.units_of_work import UnitsOfWork
from rollview.rolling.view import RolledView


class Algorithm(Protocol):
    """`ready`, run the first pending query, `advanced`, and so on for ever."""

    def begin(self, at: int) -> Control:
        """The control state of a view that is materialized at a position."""

    def ready(self, control: Control, units: UnitsOfWork) -> Control:
        """The state with a query to be run first in ``pending``; without, if there is none to run.

        It may have gone on nevertheless: what has not changed needs no query.
        """

    def advanced(self, control: Control, seen: Mapping[str, int], cost: int) -> Control:
        """The state after the first pending query was run."""


def positions_seen(view: RolledView, query: Query, seen: Mapping[str, int]) -> Vector:
    """What a query saw of every relation; of those that it reads by positions, up to where."""
    return tuple(
        seen[relation.source] if isinstance(entry, Present) else entry.until
        for relation, entry in zip(view.relations, query.entries, strict=True)
    )


def compensated(todo: Todo, seen: Vector) -> tuple[Todo, ...]:
    """What has to follow a query with targets because of what it saw."""
    exact = todo.query.stamp is Stamp.MAXIMUM
    return correction(todo, seen) if exact else compensation(todo, seen)


def without_still(control: Control, view: RolledView, units: UnitsOfWork) -> Control:
    """The state without pending queries, at its beginning, that read a window without changes.

    Neither such a query nor what would compensate for it has rows.
    """
    pending = control.pending
    while pending and _is_still(pending[0].query, view, units):
        pending = pending[1:]
    return replace(control, pending=pending)


def _is_still(query: Query, view: RolledView, units: UnitsOfWork) -> bool:
    for relation, entry in zip(view.relations, query.entries, strict=True):
        match entry:
            case Window(since=since, until=until):
                end = until
            case Correction(since=since, until=until, seen=seen):
                end = max(until, seen)
            case _:
                continue
        if not units.moved(relation.source, since, end):
            return True
    return False
