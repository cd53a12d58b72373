"""The ports of this room: what is read, who runs queries, and who keeps what came out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from rollview.rolling.control import Control
from rollview.rolling.query import Query
from rollview.rolling.units_of_work import UnitsOfWork

Rows = TypeVar("Rows")
RowsIn = TypeVar("RowsIn", contravariant=True)
RowsOut = TypeVar("RowsOut", covariant=True)


class Source(Protocol):
    """One source of a view, as far as rolling cares."""

    @property
    def name(self) -> str:
        """The name under which scans of the view know it."""

    @property
    def versioned(self) -> bool:
        """Whether its rows can be read as of a past version, or only as they are now."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[RowsOut]):
    """What came out of one query.

    ``seen`` is the execution position (the paper's ``t_exec``) of every live source that the query
    read, as `UnitsOfWork.seen` tells it; ``cost`` is in whatever unit the policy counts.
    """

    rows: RowsOut
    seen: Mapping[str, int]
    cost: int


class Executor(Protocol[RowsOut]):
    """Runs propagation queries: the paper's ``Execute``."""

    def units(self) -> UnitsOfWork:
        """The commits that have positions; whatever is in there, a query would see."""

    def execute(self, query: Query) -> Outcome[RowsOut]:
        """Run one query in one transaction; what it saw of live sources has positions afterwards.

        All live sources of one origin are seen at one moment. The rows are not durable yet.
        """


class Journal(Protocol[RowsIn]):
    """Keeps the view delta and the control state of one view, which change together or not."""

    def control(self) -> Control:
        """The control state of the last commit."""

    def commit(self, expected: int, control: Control, rows: RowsIn | None) -> None:
        """Append the rows and put the control state in the place of number ``expected``.

        One atomic act. Raises Conflict if the state is not that number any more.
        """
