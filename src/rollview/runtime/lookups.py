"""The rows of sources that changes lead to: found by key, once for all views of a run.

A join of a change with a table needs the few rows of the table that have a key of the change. The
steps of one view ask for them again and again, once per changed table and moment, and so do other
views of the same run. So a table is looked up by key (`jvm/Lookup.java`), what was found is
remembered until the run ends, and the rows before a change are those after it less the change.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from rollview.runtime.source_changes import Read
from rollview.runtime.spark_engine import MANY, maker
from rollview.sql.quoting import quoted


@dataclass(frozen=True)
class Pair:
    """The rows of a source after its change and, if it has changed, before; and its columns."""

    after: Any
    before: Any | None
    columns: tuple[str, ...]

    def named(self, rows: DataFrame) -> DataFrame:
        """All rows, in the columns that are looked up."""
        return rows.select(*[F.col(quoted(column)) for column in self.columns])


class Lookups:
    """What one run has looked up in its sources."""

    def __init__(self) -> None:
        self._pool: Any = None
        self._made: dict[tuple[object, ...], Pair] = {}
        self._lock = threading.Lock()

    def of(
        self, key: tuple[object, ...], rows: DataFrame, columns: Sequence[str], read: Read | None
    ) -> Pair:
        """The lookup of some columns of a source, of which these are the rows after the change.

        Sources of one key are the same table, at the same versions, read by the same settings.
        """
        whole = (*key, *columns, read is None)
        with self._lock:
            if whole not in self._made:
                self._made[whole] = self._now("\t".join(map(str, whole)), rows, columns, read)
            return self._made[whole]

    def _now(self, name: str, rows: DataFrame, columns: Sequence[str], read: Read | None) -> Pair:
        session = rows.sparkSession
        java: Any = session._jsparkSession
        if self._pool is None:
            jvm: Any = session._jvm
            self._pool = jvm.java.util.concurrent.ConcurrentHashMap()
        found = rows.select(*[F.col(quoted(column)) for column in columns])
        changes = None if read is None else read.held.of(name)
        after = maker(session).lookup(java, found._jdf, name, changes, self._pool, MANY)
        return Pair(after, None if changes is None else after.before(), tuple(columns))

    def close(self) -> None:
        """Forget what was found."""
        self._made.clear()
        self._pool = None
