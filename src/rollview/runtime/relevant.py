"""The changes of a source that can matter to one view, out of those that were read for all views.

Without rows that cannot, and without those that cancel out in the columns of this view: an update
of columns that only others use. Where the ranges of the changed values tell that none can matter,
no row is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from rollview.algebra.definition import Source
from rollview.analysis.relevance.changes import Relevance
from rollview.runtime.source_changes import Read
from rollview.runtime.spark_engine import SparkEngine, frame_of
from rollview.sql.expressions import text
from rollview.sql.quoting import quoted
from rollview.storage.base import WEIGHT

_MANY = 50_000  # changed rows from which the driver does not hold them


@dataclass(frozen=True)
class Mattering:
    """The changes that can matter, and how many rows they are; None if there are none."""

    rows: int
    held: Any | None


def mattering(
    session: SparkSession, engine: SparkEngine, source: Source, read: Read, relevance: Relevance
) -> Mattering:
    """What of the changes that were read can matter to the view."""
    if not read.rows or not relevance.can_matter(source.id, read.range):
        return Mattering(0, None)
    wanted = relevance.of_source(source.id)
    whole = read.frame(session)
    own = [column.name for column in source.columns]
    is_narrower = len(own) < len(whole.columns) - 1
    if wanted is None and not is_narrower:
        return Mattering(read.rows, read.held)
    frame = whole.select(*[F.col(quoted(name)) for name in own], F.col(WEIGHT))
    if wanted is not None:
        frame = frame.where(text(wanted))
    engine.small = read.rows <= _MANY
    held = engine.held(frame)
    if is_narrower:
        held = _cancelled(engine, held, session, own)
    rows = int(held.rows())
    return Mattering(rows, held if rows else None)


def _cancelled(engine: SparkEngine, held: Any, session: SparkSession, names: list[str]) -> Any:
    """The rows without those that come and go alike, if that takes no job to find out."""
    net = held.net(True)
    counts = None if net is None else net.counts(None)
    if counts is None or int(counts[0]) + int(counts[1]) == int(held.rows()):
        return held
    if int(counts[0]) + int(counts[1]) == int(net.rows()):
        return net
    sign = F.signum(F.col(WEIGHT)).cast("bigint")  # some came more than once
    copies = F.array_repeat(sign, F.abs(F.col(WEIGHT)).cast("int"))
    columns = [F.col(quoted(name)) for name in names]
    return engine.held(frame_of(net, session).select(*columns, F.explode(copies).alias(WEIGHT)))
