"""The engine that runs programs on Spark: every step is computed once, and its plan is forgotten.

Steps build on steps. If each kept the plans of those before it, as cached frames do, planning would
grow with every step; and what Spark does not know to be small it shuffles. So a step becomes a
plain relation of rows with a known size: few rows as constants of the plan, more as an RDD.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from rollview.algebra.expressions import Literal
from rollview.algebra.schema import Column
from rollview.analysis.range import Range
from rollview.frontend.jvm_bridge import load
from rollview.runtime.at_hand import AtHand
from rollview.runtime.lifeline import while_it_lives
from rollview.runtime.propagate import Computed
from rollview.sql.quoting import quoted
from rollview.storage.base import WEIGHT
from rollview.storage.net import net
from rollview.storage.process import Process
from rollview.storage.tables import active

_CLASSES = ("AtHand", "Held")
_FEW = 10_000  # rows up to which a step becomes constants
_MANY = 200_000  # rows from which the driver does not hold them


@dataclass(frozen=True, slots=True)
class Delta:
    """Weighted rows: how many they add and remove, and how many of both have an equal key."""

    rows: DataFrame
    added: int
    removed: int
    updated: int


class SparkEngine:
    """Temporary views over computed rows, until the block it is used in ends.

    ``small`` says that results are expected to fit in the driver's memory with ease.
    """

    def __init__(
        self, session: SparkSession, small: bool = True, java: Process | None = None
    ) -> None:
        self._session = session
        self._java = java
        self.small = small
        self._mark = f"rollview_{uuid.uuid4().hex[:8]}"
        self._views: list[str] = []
        self._held: list[Any] = []
        self._by_view: dict[str, Any] = {}

    def __enter__(self) -> SparkEngine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Forget all rows."""
        with while_it_lives(self._java):
            for view in self._views:
                self._session.catalog.dropTempView(view)
            for held in self._held:
                held.forget()

    def name(self, frame: DataFrame, label: str) -> str:
        """A name to select the rows of a frame by."""
        view = f"{self._mark}_{len(self._views)}_{label}"
        frame.createOrReplaceTempView(view)
        self._views.append(view)
        return view

    def compute(self, name: str, statement: str) -> Computed:
        """Run the statement now and keep its rows under a name."""
        return self.hold(self._session.sql(statement), name)

    def evaluate(self, name: str, wanted: AtHand) -> Computed | None:
        """Do the same without a statement; None if the driver does not have the rows."""
        tables = [self._by_view.get(table) for table in wanted.tables]
        if any(table is None for table in tables):
            return None
        maker = load(self._session, __package__, _CLASSES)
        session: Any = self._session._jsparkSession
        held = maker.evaluated(session, json.dumps(wanted.form), tables, _FEW)
        return None if held is None else self.keep(held, name)

    def hold(self, frame: DataFrame, label: str) -> Computed:
        """Compute a frame now and keep its rows."""
        return self.keep(self.held(frame), label)

    def keep(self, held: Any, label: str) -> Computed:
        """A name to select held rows by."""
        view = self.name(frame_of(held, self._session), label)
        self._by_view[view] = held
        return Computed(view, int(held.rows()))

    def range(self, computed: Computed, column: Column) -> Range | None:
        """The least and the greatest value of a column, if the driver has the rows."""
        return range_of(self._by_view[computed.table], column.name, column.type)

    def net(self, delta: Computed, names: Sequence[str], key: tuple[str, ...] | None) -> Delta:
        """The net effect of a computed delta, with what it does to the key."""
        held = self._net(self._by_view[delta.table], names, exact=False)
        rows = frame_of(held, self._session)
        counts = held.counts(None if key is None else list(key))
        if counts is None:
            return Delta(rows, *_counted(rows, key))
        return Delta(rows, *map(int, counts))

    def net_of(self, computed: Computed, names: Sequence[str]) -> Computed:
        """The net effect of a computed delta, in which values are told apart that are equal."""
        held = self._net(self._by_view[computed.table], names, exact=True)
        view = self.name(frame_of(held, self._session), "net")
        return Computed(view, int(held.rows()))

    def _net(self, held: Any, names: Sequence[str], exact: bool) -> Any:
        """In the driver if it has the rows, and they are of simple types; else by a job."""
        found = held.net(exact)
        return found or self.held(net(frame_of(held, self._session), names, exact=exact))

    def held(self, frame: DataFrame) -> Any:
        """The rows of a frame, computed now, for any session."""
        session = frame.sparkSession
        java: Any = session._jsparkSession
        maker = load(session, __package__, _CLASSES)
        with active(session):
            if self.small:
                held = maker.collected(java, frame._jdf, _FEW, _MANY)
            else:
                held = maker.kept(java, frame._jdf)
        self._held.append(held)
        return held


def _counted(net: DataFrame, key: tuple[str, ...] | None) -> tuple[int, int, int]:
    """What a delta adds, removes and updates, by a job."""
    weight = F.col(WEIGHT)
    plus = F.sum(F.when(weight > 0, weight).otherwise(0)).alias("plus")
    minus = F.sum(F.when(weight < 0, -weight).otherwise(0)).alias("minus")
    if key is None:
        groups, both = net.agg(plus, minus), F.lit(0)
    else:
        groups = net.groupBy(*[F.col(quoted(name)) for name in key]).agg(plus, minus)
        both = F.sum(F.least("plus", "minus"))
    row = groups.agg(F.sum("plus"), F.sum("minus"), both).collect()[0]
    added, removed, updated = (int(value or 0) for value in row)
    return added, removed, updated


def frame_of(held: Any, session: SparkSession) -> DataFrame:
    """Held rows as a frame of a session."""
    return DataFrame(held.frame(session._jsparkSession), session)


def range_of(held: Any, column: str, type: str) -> Range | None:
    """The least and the greatest value of a column of held rows, if the driver has them."""
    found = held.range(column)
    if found is None:
        return None
    low, high = (Literal(str(text), type) for text in (found[0], found[1]))
    return Range(low, high, found[2] is not None)
