"""The rows of sources that changes lead to: found by key, once for all views of a run.

A join of a change with a table needs the few rows of the table that have a key of the change. The
steps of one view ask for them again and again, once per changed table and moment, and so do other
views of the same run. So a table is looked up by key (`jvm/Lookup.java`), what was found is
remembered until the run ends, and the rows before a change are those after it less the change.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from rollview.runtime.source_changes import Read
from rollview.runtime.spark_engine import MANY, maker
from rollview.sql.quoting import quoted


@dataclass(frozen=True)
class Moved:
    """A source in one run: its rows after, and if it has changed, those before and the changes."""

    columns: Sequence[str]
    after: DataFrame
    before: DataFrame | None = None
    read: Read | None = None


class Lookups:
    """What one run has looked up in its sources."""

    def __init__(self) -> None:
        self._pool: Any = None
        self._made: dict[tuple[object, ...], dict[str, Any]] = {}
        self._lock = threading.Lock()

    def of(self, key: tuple[object, ...], make: Callable[[], Moved]) -> dict[str, Any]:
        """The lookups of a source, ``after`` and, if it has changed, ``before``.

        Sources of one key are the same table, at the same versions, read by the same settings.
        """
        with self._lock:
            if key not in self._made:
                self._made[key] = self._now("\t".join(map(str, key)), make())
            return self._made[key]

    def _now(self, name: str, moved: Moved) -> dict[str, Any]:
        names = [F.col(quoted(column)) for column in moved.columns]
        after = moved.after.select(*names)
        session = after.sparkSession
        java: Any = session._jsparkSession
        if self._pool is None:
            jvm: Any = session._jvm
            self._pool = jvm.java.util.concurrent.ConcurrentHashMap()
        changes = None if moved.read is None else moved.read.held.of(name)
        now = maker(session).lookup(java, after._jdf, name, changes, self._pool, MANY)
        if moved.before is None:
            return {"after": now}
        return {"after": now, "before": now.before(moved.before.select(*names)._jdf)}

    def close(self) -> None:
        """Forget what was found."""
        self._made.clear()
        self._pool = None


def stored_lookup(name: str, rows: DataFrame, base: DataFrame, deltas: DataFrame | None) -> Any:
    """Rows that are stored as a base and signed deltas, by key; the deltas are read when needed."""
    session = rows.sparkSession
    java: Any = session._jsparkSession
    if deltas is None:
        jvm: Any = session._jvm
        pool = jvm.java.util.HashMap()
        return maker(session).lookup(java, base._jdf, name, None, pool, MANY)
    return maker(session).sum(java, rows._jdf, base._jdf, deltas._jdf, name, MANY)
