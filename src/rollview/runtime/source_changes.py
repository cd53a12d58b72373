"""The changes of each source, read once per run and shared by all views of the run."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from rollview.analysis.range import Range
from rollview.runtime.spark_engine import SparkEngine, frame_of, range_of
from rollview.sql.quoting import quoted
from rollview.storage.base import WEIGHT, Changing
from rollview.storage.process import Process


@dataclass(frozen=True)
class Read:
    """Changes that were read, and how many rows they are."""

    held: Any
    rows: int

    def range(self, column: str, type: str) -> Range | None:
        """The least and the greatest value of a column, if the driver has the rows."""
        return range_of(self.held, column, type)

    def frame(self, session: SparkSession) -> DataFrame:
        """The changes, each row with a weight of +1 or -1, for use in a session."""
        return frame_of(self.held, session)


class SourceChanges:
    """What one run has read of the changes of its sources."""

    def __init__(self, session: SparkSession, java: Process | None) -> None:
        self._engine = SparkEngine(session, java=java)
        self._read: dict[tuple[object, ...], Read] = {}
        self._lock = threading.Lock()
        self._locks: dict[tuple[object, ...], threading.Lock] = {}

    def between(
        self,
        key: tuple[object, ...],
        source: Changing,
        before: str,
        after: str,
        columns: Sequence[str],
    ) -> Read:
        """The changes of some columns of a source from one version to another.

        Read net, and then spread out: a row that came three times stands there three times.
        """
        whole = (*key, before, after, *columns)
        with self._lock:
            own = self._locks.setdefault(whole, threading.Lock())
        with own:  # whoever comes second waits for the rows of the first
            if whole not in self._read:
                self._read[whole] = self._now(source.changes(before, after, columns), columns)
            return self._read[whole]

    def _now(self, net: DataFrame, columns: Sequence[str]) -> Read:
        sign = F.signum(F.col(WEIGHT)).cast("bigint")
        copies = F.array_repeat(sign, F.abs(F.col(WEIGHT)).cast("int"))
        names = [F.col(quoted(name)) for name in columns]
        held = self._engine.held(net.select(*names, F.explode(copies).alias(WEIGHT)))
        return Read(held, int(held.rows()))

    def close(self) -> None:
        """Forget what was read."""
        self._engine.close()
        self._read.clear()
