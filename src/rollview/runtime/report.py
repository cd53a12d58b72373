"""What the operations answer: frozen reports with ``to_dict()``."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from rollview.errors import RollviewError


class Mode(StrEnum):
    """What a refresh did."""

    NOOP = "noop"
    INCREMENTAL = "incremental"
    PARTIAL = "partial"
    FULL = "full"
    FAILED = "failed"
    SKIPPED = "skipped"


class Policy(StrEnum):
    """How much a refresh may recompute."""

    AUTO = "auto"
    INCREMENTAL = "incremental"
    STRICT = "strict"
    FULL = "full"


class _Data:
    def to_dict(self) -> dict[str, Any]:
        """The report as plain data that JSON can hold."""
        return {key: _plain(value) for key, value in asdict(self).items()}  # type: ignore[call-overload]


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


@dataclass(frozen=True)
class RefreshReport(_Data):
    """One refresh of one view. Versions and changed rows are per source name."""

    view: str
    mode: Mode
    strategy: str | None = None
    reason: str | None = None
    error: dict[str, str | None] | None = None
    from_versions: dict[str, str | None] = field(default_factory=dict)
    to_versions: dict[str, str | None] = field(default_factory=dict)
    rows_changed: dict[str, int] = field(default_factory=dict)
    rows_irrelevant: int | None = None
    rows_inserted: int | None = None
    rows_updated: int | None = None
    rows_deleted: int | None = None
    rows: int | None = None
    bytes_read: int = 0
    jobs: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    number: int | None = None
    finished_at: datetime | None = None


@dataclass(frozen=True)
class ViewInfo(_Data):
    """One materialized view, as ``views()`` lists it."""

    name: str
    policy: Policy
    query: str
    columns: list[str]
    sources: list[str]
    store: str
    created_at: datetime


@dataclass(frozen=True)
class ViewStatus(_Data):
    """How far a view is behind its sources: versions it reflects and versions there are."""

    name: str
    fresh: bool
    rows: int | None
    reflects: dict[str, str | None]
    current: dict[str, str | None]
    last_refresh: datetime | None
    problem: dict[str, str | None] | None = None


@dataclass(frozen=True)
class VerifyReport(_Data):
    """Stored contents against recomputation at the same source versions, as bags.

    ``missing`` and ``unexpected`` count rows with multiplicity; the samples hold a few of them.
    """

    view: str
    correct: bool
    rows: int
    missing: int
    unexpected: int
    missing_sample: list[dict[str, Any]]
    unexpected_sample: list[dict[str, Any]]
    versions: dict[str, str | None]
    note: str | None
    seconds: float
    problem: dict[str, Any] | None = None


def not_compared(view: str, problem: RollviewError) -> VerifyReport:
    """What is reported of a view that could not be compared."""
    return VerifyReport(view, False, 0, 0, 0, [], [], {}, None, 0.0, problem.to_dict())


@dataclass(frozen=True)
class Declaration:
    """A declared key, or a foreign key with its parent; checked, or trusted (``rely``)."""

    kind: str
    table: str
    columns: list[str]
    parent: str | None
    parent_columns: list[str] | None
    rely: bool

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)
