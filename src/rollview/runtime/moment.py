"""The moment of a run: its position on the clock, and what functions of the clock give then.

All views of a run see one moment. It is part of the vector of the views that depend on it.
"""

from __future__ import annotations

from datetime import UTC, datetime

from pyspark.sql import SparkSession

from rollview.maintenance.clock import CLOCK, Clock, Reading
from rollview.storage.vector import Position, Vector

_LOCAL = "SELECT CAST(CAST({0} AS DATE) AS STRING), CAST(CAST({0} AS TIMESTAMP_NTZ) AS STRING)"


def present() -> datetime:
    """Now."""
    return datetime.now(UTC)


def position(moment: datetime) -> Position:
    """A moment as what a view reflects."""
    text = moment.astimezone(UTC).isoformat(timespec="microseconds")
    return Position(CLOCK, text.replace("+00:00", "Z"), "")


def clock(session: SparkSession, old: Vector, new: Vector) -> Clock | None:
    """What the clock said at two vectors; None if one of them has no moment."""
    if CLOCK not in old or CLOCK not in new:
        return None
    return Clock(*(reading(session, vector[CLOCK]) for vector in (old, new)))


def reading(session: SparkSession, at: Position) -> Reading:
    """What the clock says at a position, in the session's time zone."""
    instant = f"TIMESTAMP'{at.version}'"
    [(date, local)] = session.sql(_LOCAL.format(instant)).collect()
    return {
        "CurrentDate": f"DATE'{date}'",
        "CurrentTimestamp": instant,
        "Now": instant,
        "LocalTimestamp": f"TIMESTAMP_NTZ'{local}'",
    }
