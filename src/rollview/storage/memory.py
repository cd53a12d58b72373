"""Tables in memory: the view store and the versioned base table of tests without Spark."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field

from rollview.errors import SourceMissing
from rollview.storage.base import Tail

Row = tuple[object, ...]


@dataclass(frozen=True)
class _Commit:
    rows: tuple[Row, ...]
    number: int | None
    metadata: str | None


@dataclass
class MemoryDisk:
    """What outlives a process: tables by location. Give the same disk to two backings."""

    tables: dict[str, list[_Commit]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def forget_metadata(self, location: str) -> None:
        """Lose what only the log keeps, as log clean-up does; refresh numbers stay."""
        commits = self.tables[location]
        commits[:] = [_Commit(commit.rows, commit.number, None) for commit in commits]

    def rewrite(self, location: str) -> None:
        """Commit the same rows again without a refresh number, as compaction does."""
        commits = self.tables[location]
        commits.append(_Commit(commits[-1].rows, None, None))

    def vacuum(self, location: str) -> None:
        """Lose the rows of every commit but the newest, as the removal of old files does."""
        commits = self.tables[location]
        commits[:-1] = [_Commit((), commit.number, commit.metadata) for commit in commits[:-1]]


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
                return Tail(number, str(version), commit.metadata, len(commit.rows))
        return None

    def replace(self, rows: Iterable[Row], number: int, metadata: str) -> None:
        written = tuple(rows)
        with self._disk.lock:
            newest = self.newest()
            if newest is None or newest.number < number:
                self._commits().append(_Commit(written, number, metadata))

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

    def _commits(self) -> list[_Commit]:
        if self._location not in self._disk.tables:
            raise SourceMissing(f"there is no table {self._location}")
        return self._disk.tables[self._location]
