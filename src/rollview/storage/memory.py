"""Tables in memory, and bags of rows in plain text: the view store of tests without Spark."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from pyspark.sql.types import StructType

from rollview.errors import DeltaMismatch, InternalError, SourceMissing
from rollview.storage.base import Tail
from rollview.storage.files import Files
from rollview.storage.segments import Parts

Row = tuple[object, ...]


@dataclass(frozen=True)
class _Commit:
    rows: tuple[Row, ...]
    number: int | None
    metadata: str | None
    net: int | None = None


@dataclass
class MemoryDisk:
    """What outlives a process: tables by location. Give the same disk to two backings."""

    tables: dict[str, list[_Commit]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def forget_metadata(self, location: str) -> None:
        """Lose what only the log keeps, as log clean-up does; refresh numbers stay."""
        commits = self.tables[location]
        commits[:] = [replace(commit, metadata=None) for commit in commits]

    def rewrite(self, location: str) -> None:
        """Commit the same rows again without a refresh number, as compaction does."""
        commits = self.tables[location]
        commits.append(_Commit(commits[-1].rows, None, None))

    def vacuum(self, location: str) -> None:
        """Lose the rows of every commit but the newest, as the removal of old files does."""
        commits = self.tables[location]
        commits[:-1] = [replace(commit, rows=()) for commit in commits[:-1]]


class MemoryBacking:
    """A backing table on a `MemoryDisk`."""

    def __init__(self, disk: MemoryDisk, location: str) -> None:
        self._disk = disk
        self._location = location

    def create(self) -> None:
        self._disk.tables[self._location] = [_Commit((), None, None)]

    def newest(self) -> Tail | None:
        numbers = [c.number for c in self._commits() if c.number is not None]
        return self.find(max(numbers)) if numbers else None

    def find(self, number: int) -> Tail | None:
        for version, commit in enumerate(self._commits()):
            if commit.number == number:
                rows = len(commit.rows) if commit.net is None else None
                return Tail(number, str(version), commit.metadata, rows, commit.net)
        return None

    def replace(self, rows: Iterable[Row], number: int, metadata: str) -> None:
        written = tuple(rows)
        self._commit(lambda _: written, number, metadata)

    def append(self, rows: Iterable[Row], number: int, metadata: str) -> None:
        written = tuple(rows)
        self._commit(lambda stored: stored + written, number, metadata, tells="net")

    def advance(self, number: int, metadata: str) -> None:
        self._commit(lambda stored: stored, number, metadata, tells="net")

    def merge(self, delta: Iterable[Row], number: int, metadata: str, feed: bool = False) -> None:
        changes = tuple(delta)
        self._commit(lambda stored: _changed(stored, changes), number, metadata, tells="net")

    def rewrite(
        self,
        delta: Iterable[Row],
        number: int,
        metadata: str,
        feed: bool = False,
        empties: bool = False,
    ) -> None:
        changes = tuple(delta)
        self._commit(lambda stored: _changed(stored, changes), number, metadata)

    def current(self) -> str:
        return str(len(self._commits()) - 1)

    def read(self, version: str | None = None) -> Iterable[Row]:
        return self._commits()[-1 if version is None else int(version)].rows

    def select(self) -> str:
        return f"SELECT * FROM memory.`{self._location}`"

    def clean(self) -> None:
        """Every version is kept."""

    def tidy(self) -> None:
        """A commit leaves nothing half done."""

    def drop(self) -> None:
        self._disk.tables.pop(self._location, None)

    def _commit(
        self,
        change: Callable[[tuple[Row, ...]], tuple[Row, ...]],
        number: int,
        metadata: str,
        tells: str = "rows",
    ) -> None:
        with self._disk.lock:
            newest = self.newest()
            if newest is not None and newest.number >= number:
                return
            before = self._commits()[-1].rows
            after = change(before)
            net = len(after) - len(before) if tells == "net" else None
            self._commits().append(_Commit(after, number, metadata, net))

    def _commits(self) -> list[_Commit]:
        if self._location not in self._disk.tables:
            raise SourceMissing(f"there is no table {self._location}")
        return self._disk.tables[self._location]


class MemoryBags:
    """Bags of plain values, each as text in a folder of its own, where others look for segments."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def write(
        self,
        folder: str,
        bag: Iterable[Row],
        columns: StructType,
        signed: bool,
        net: bool = False,
    ) -> int:
        rows = tuple(bag)
        if signed:
            weights: Counter[Row] = Counter()
            for *row, weight in rows:
                weights[tuple(row)] += _checked(weight)
            rows = tuple((*row, weight) for row, weight in weights.items() if weight)
        self._files.write(f"{folder}/rows.json", json.dumps(rows))
        return len(rows)

    def read(
        self, parts: Parts, columns: StructType, change: Iterable[Row] | None = None
    ) -> Iterable[Row]:
        base = [row for folder in parts.bases for row in self._rows(folder)]
        deltas = [row for folder in parts.deltas for row in self._rows(folder)]
        return _changed(tuple(base), [*deltas, *(change or ())])

    def apart(
        self, parts: Parts, columns: StructType
    ) -> tuple[Iterable[Row], Iterable[Row] | None]:
        base = [row for folder in parts.bases for row in self._rows(folder)]
        deltas = [row for folder in parts.deltas for row in self._rows(folder)]
        return base, deltas if parts.deltas else None

    def _rows(self, folder: str) -> list[Row]:
        text = self._files.read(f"{folder}/rows.json")
        if text is None:
            raise InternalError(f"the segment {folder} is not there")
        return [tuple(row) for row in json.loads(text)]


def _changed(stored: tuple[Row, ...], delta: Iterable[Row]) -> tuple[Row, ...]:
    """The bag after a signed change, whose rows have their weight last."""
    copies = Counter(stored)
    for *row, weight in delta:
        copies[tuple(row)] += _checked(weight)
    missing = [row for row, count in copies.items() if count < 0]
    if missing:
        raise DeltaMismatch(f"the change deletes {missing[0]}, which is not stored")
    return tuple(copies.elements())


def _checked(weight: object) -> int:
    if not isinstance(weight, int):
        raise InternalError(f"a weight is {weight!r}")
    return weight
