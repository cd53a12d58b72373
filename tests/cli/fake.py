"""A session without Spark: it remembers what it was asked and answers from a script."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pyspark.sql.types import DataType, DecimalType, StringType, StructType

from rollview.errors import DefinitionCorrupt, LakeNotFound, RollviewError, UnknownView
from rollview.runtime.report import (
    Declaration,
    Mode,
    Policy,
    RefreshReport,
    VerifyReport,
    ViewInfo,
    ViewStatus,
)

NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class FakeColumn:
    """A column of a fake frame; cast, all its values are the text `cast to ...`."""

    position: int
    kind: DataType
    text: str | None = None

    def cast(self, kind: str) -> FakeColumn:
        assert kind == "string"
        return FakeColumn(self.position, StringType(), f"cast to {kind}")


@dataclass
class FakeFrame:
    """Just enough of a DataFrame to be printed; like a real one it has no values for intervals."""

    schema: StructType
    rows: list[tuple[Any, ...]]

    @property
    def dtypes(self) -> list[tuple[str, str]]:
        return [(field.name, field.dataType.simpleString()) for field in self.schema]

    def __getitem__(self, name: str) -> FakeColumn:
        position = self.schema.names.index(name)
        return FakeColumn(position, self.schema[position].dataType)

    def toDF(self, *names: str) -> FakeFrame:  # noqa: N802
        kinds = [field.dataType for field in self.schema]
        return FakeFrame(schema_of(*zip(names, kinds, strict=True)), self.rows)

    def select(self, *columns: FakeColumn) -> FakeFrame:
        names = [self.schema.names[column.position] for column in columns]
        kinds = [column.kind for column in columns]
        rows = [tuple(c.text or row[c.position] for c in columns) for row in self.rows]
        return FakeFrame(schema_of(*zip(names, kinds, strict=True)), rows)

    def limit(self, count: int) -> FakeFrame:
        return FakeFrame(self.schema, self.rows[:count])

    def collect(self) -> list[tuple[Any, ...]]:
        assert not re.search('"interval[ "]', self.schema.json()), (
            "PySpark cannot collect intervals"
        )
        return self.rows


def schema_of(*columns: tuple[str, DataType]) -> StructType:
    """The schema with these columns."""
    schema = StructType()
    for name, kind in columns:
        schema.add(name, kind)
    return schema


REVENUE = FakeFrame(
    schema_of(("month", StringType()), ("revenue", DecimalType(10, 2))),
    [(f"2026-{month:02}", Decimal(month) / 4) for month in range(1, 31)],
)


@dataclass
class FakeSession:
    """The methods that the command line calls."""

    fresh: bool = True
    correct: bool = True
    broken: tuple[str, ...] = ()
    modes: tuple[Mode, ...] = (Mode.INCREMENTAL,)
    answer: Any = None
    failure: BaseException | None = None
    delay: float = 0.0
    calls: list[tuple[Any, ...]] = field(default_factory=list)
    closed: bool = False

    def connect(self, lake: Path, schema: str | None) -> FakeSession:
        if not lake.exists():
            raise LakeNotFound(f"{lake} does not exist", hint=f"mkdir {lake}")
        self.calls.append(("connect", lake, schema))
        return self

    def create_view(self, name: str, query: str, **options: Any) -> Any:
        self._call("create", name, query, options)
        return SimpleNamespace(name=name, policy=Policy(options["policy"]), columns=["a", "b"])

    def refresh(self, name: str | None = None, **options: Any) -> Any:
        progress = options.pop("progress")
        self._call("refresh", name, options)
        progress("reading", "revenue", "")
        reports = [_refreshed(mode) for mode in self.modes]
        return reports if name is None else reports[0]

    def read(self, name: str) -> FakeFrame:
        self._call("read", name)
        _check_known(name)
        return REVENUE

    def explain(
        self, text: str, *, policy: str, self_maintenance: bool | list[str], **options: Any
    ) -> Any:
        told = () if self_maintenance is False else (self_maintenance,)
        self._call("explain", text, policy, options, *told)
        return Explained()

    def verify(self, name: str) -> VerifyReport:
        self._call("verify", name)
        if name in self.broken:
            raise DefinitionCorrupt("its definition cannot be read", hint="drop it")
        extra = [] if self.correct else [{"month": "2026-01", "revenue": 1}]
        return VerifyReport(
            view=name,
            correct=self.correct,
            rows=30,
            missing=0,
            unexpected=len(extra),
            missing_sample=[],
            unexpected_sample=extra,
            versions={"orders": "3"},
            note=None,
            seconds=0.5,
        )

    def drop_view(self, name: str, *, if_exists: bool = False) -> None:
        self._call("drop", name)
        if not if_exists:
            _check_known(name)

    def declare_key(self, table: str, columns: list[str], rely: bool = False) -> Declaration:
        self._call("declare key", table, columns, rely)
        return Declaration("key", table, columns, None, None, rely)

    def declare_foreign_key(
        self,
        table: str,
        columns: list[str],
        parent: str,
        parent_columns: list[str],
        rely: bool = False,
    ) -> Declaration:
        self._call("declare foreign key", table, columns, parent, parent_columns, rely)
        return Declaration("foreign key", table, columns, parent, parent_columns, rely)

    def drop_key(self, table: str, columns: list[str]) -> None:
        self._call("drop key", table, columns)

    def drop_foreign_key(
        self, table: str, columns: list[str], parent: str, parent_columns: list[str]
    ) -> None:
        self._call("drop foreign key", table, columns, parent, parent_columns)

    def declarations(self) -> list[Declaration]:
        self._call("declarations")
        return [
            Declaration("key", "orders", ["id"], None, None, True),
            Declaration("foreign key", "items", ["order_id"], "orders", ["id"], False),
        ]

    def views(self) -> list[ViewInfo]:
        self._call("views")
        query = "SELECT month FROM orders"
        return [
            ViewInfo("revenue", Policy.AUTO, query, ["month", "revenue"], ["orders"], "delta", NOON)
        ]

    def status(self, name: str | None = None) -> list[ViewStatus]:
        self._call("status", name)
        current = {"orders": "3" if self.fresh else "5"}
        return [ViewStatus("revenue", self.fresh, 30, {"orders": "3"}, current, NOON)]

    def history(self, name: str | None = None, limit: int | None = None) -> list[RefreshReport]:
        self._call("history", name, limit)
        return [_refreshed(Mode.FULL)]

    def sql(self, text: str) -> Any:
        self._call("sql", text)
        return self.answer

    def close(self) -> None:
        self.closed = True

    def _call(self, *call: Any) -> None:
        self.calls.append(call)
        time.sleep(self.delay)
        if self.failure is not None:
            raise self.failure


class Explained:
    """An explanation with a tree and its data."""

    def __str__(self) -> str:
        return "Aggregate\n  Scan orders"

    def to_dict(self) -> dict[str, Any]:
        return {"mode": "incremental", "operators": []}


def _check_known(name: str) -> None:
    if name != "revenue":
        raise UnknownView(f"there is no view {name}", hint="views: revenue")


def _refreshed(mode: Mode) -> RefreshReport:
    failed = mode is Mode.FAILED
    error = RollviewError("orders is gone", hint="restore it").to_dict() if failed else None
    return RefreshReport(
        view="revenue",
        mode=mode,
        error=error,
        rows_inserted=3,
        rows_updated=2,
        rows_deleted=1,
        rows=1234,
        seconds={"read": 0.25, "apply": 0.5},
        finished_at=NOON,
    )
