"""The state of a view's inner operators: segments that are written once and never changed.

The rows of an operator are the sum of its segments: one base, then deltas. A segment counts only
because the vector of a committed refresh names it (docs/commit-protocol.md), so writing one is
never wrong, and what no vector names is nobody's.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Generic, Protocol

from pyspark.sql.types import StructType

from rollview.storage import faults
from rollview.storage.base import Rows
from rollview.storage.files import Files, name_to_file
from rollview.storage.vector import Segment, State

MAX_SEGMENTS = 8
_LARGE_SHARE = 0.5
_WHEN = "%Y%m%dT%H%M%S"
# How long a segment that no vector names may belong to a refresh of a host that cannot be asked.
_FOREIGN = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Parts:
    """The folders of bags that are not signed, and of bags that are."""

    bases: tuple[str, ...]
    deltas: tuple[str, ...]


class Bags(Protocol[Rows]):
    """How one bag of rows is kept in a folder of its own."""

    def write(
        self, folder: str, bag: Rows, columns: StructType, signed: bool, net: bool = False
    ) -> int:
        """Store a bag in a folder that does not exist yet; returns how many rows were stored.

        The rows of a signed bag have their weight last, and are stored net, which they may be.
        """

    def read(self, parts: Parts, columns: StructType, change: Rows | None = None) -> Rows:
        """The sum of bags: as many rows of a value as it has copies, in these columns.

        ``change`` is one more signed bag, which is not stored.
        """

    def apart(self, parts: Parts, columns: StructType) -> tuple[Rows, Rows | None]:
        """The bags that are not signed, as one, and those that are, if any, their weights last."""


class Segments(Generic[Rows]):
    """The segments of one view, in a folder for each operator."""

    def __init__(self, bags: Bags[Rows], files: Files, folder: str) -> None:
        self._bags = bags
        self._files = files
        self._folder = f"{folder}/state"

    def base(self, node: str, rows: Rows, columns: StructType) -> Segment:
        """Write all rows of an operator as one segment."""
        return self._write(node, rows, columns, signed=False)

    def delta(self, node: str, delta: Rows, columns: StructType) -> Segment:
        """Write a signed change of an operator as one segment."""
        return self._write(node, delta, columns, signed=True)

    def read(self, node: str, segments: Sequence[Segment], columns: StructType) -> Rows:
        """The rows of an operator, as many of each as it has copies."""
        return self._bags.read(self._parts(node, segments), columns)

    def apart(
        self, node: str, segments: Sequence[Segment], columns: StructType
    ) -> tuple[Rows, Rows | None]:
        """The same rows as what they are stored as: a base, and signed deltas if there are any."""
        return self._bags.apart(self._parts(node, segments), columns)

    def advance(
        self,
        node: str,
        segments: Sequence[Segment],
        delta: Rows,
        size: int,
        columns: StructType,
        *,
        net: bool = False,
    ) -> tuple[Segment, ...]:
        """The segments after a signed change of so many rows, for which at most one is written.

        The change is net already, or is made so.
        """
        if size == 0:
            return tuple(segments)
        if is_compaction_due((*segments, Segment("", size, signed=True))):
            rows = self._bags.read(self._parts(node, segments), columns, delta)
            return (self.base(node, rows, columns),)
        written = self._write(node, delta, columns, signed=True, net=net)
        return (*segments, written) if written.rows else tuple(segments)

    def missing(self, state: State) -> list[str]:
        """The operators whose state cannot be read, since a segment of it is not there."""
        return [
            node
            for node, segments in state.items()
            if any(self._is_missing(node, segment) for segment in segments)
        ]

    def _is_missing(self, node: str, segment: Segment) -> bool:
        """Whether files of a segment are gone: Spark would read the others as if they were all."""
        found = self._files.size(f"{self._node_folder(node)}/{segment.token}")
        return found is None or (segment.bytes > 0 and found != segment.bytes)

    def tidy(self, states: Collection[State], *, alone: bool) -> None:
        """Remove the segments that none of the states names.

        Who is not ``alone`` removes only what is too old to belong to a refresh that still runs.
        """
        named = {
            (name_to_file(node), segment.token)
            for state in states
            for node, segments in state.items()
            for segment in segments
        }
        for node in self._files.names(self._folder):
            tokens = self._files.names(f"{self._folder}/{node}")
            unnamed = [token for token in tokens if (node, token) not in named]
            gone = [token for token in unnamed if alone or _is_old(token)]
            for token in gone:
                self._files.remove(f"{self._folder}/{node}/{token}")
            if alone and len(gone) == len(tokens):
                self._files.remove(f"{self._folder}/{node}")

    def _write(
        self, node: str, bag: Rows, columns: StructType, signed: bool, net: bool = False
    ) -> Segment:
        token = f"{datetime.now(UTC).strftime(_WHEN)}-{uuid.uuid4().hex[:12]}"
        rows = self._bags.write(f"{self._node_folder(node)}/{token}", bag, columns, signed, net)
        faults.point("state.written")
        size = self._files.size(f"{self._node_folder(node)}/{token}")
        return Segment(token, rows, signed, size or 0)

    def _parts(self, node: str, segments: Sequence[Segment]) -> Parts:
        folder = self._node_folder(node)
        return Parts(
            bases=tuple(f"{folder}/{s.token}" for s in segments if not s.signed),
            deltas=tuple(f"{folder}/{s.token}" for s in segments if s.signed),
        )

    def _node_folder(self, node: str) -> str:
        return f"{self._folder}/{name_to_file(node)}"


def is_compaction_due(segments: Sequence[Segment]) -> bool:
    """Whether one base in place of these segments would pay: there are many, or large deltas."""
    base = sum(segment.rows for segment in segments if not segment.signed)
    deltas = sum(segment.rows for segment in segments if segment.signed)
    return len(segments) > MAX_SEGMENTS or deltas > _LARGE_SHARE * base


def _is_old(token: str) -> bool:
    try:
        written = datetime.strptime(token.partition("-")[0], _WHEN).replace(tzinfo=UTC)
    except ValueError:
        return False
    return datetime.now(UTC) - written > _FOREIGN
