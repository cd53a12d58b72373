"""What a lake gathers from refresh to refresh, counted, and whether any of it grows without end.

Delta keeps the files of old versions for seven days and its log for thirty, tables in Iceberg have
snapshots of seven days, and rollview keeps the newest thousand reports of a view: these are counted
by nobody here but ``kept``. Everything else has to stay as it is however often a view is refreshed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from rollview.runtime.refresh_view import _CLEANING
from rollview.storage.delta_commits import _FEW_FILES
from rollview.storage.segments import MAX_SEGMENTS
from rollview.storage.view_store import _KEPT_VECTORS

MORE_FILES = 1.5  # of the most in the second quarter of a run, that the last quarter may have
MORE_SECONDS = 1.3  # of the median of the second quarter
# Those that a compaction leaves as they are, and one of each refresh until there is the next. How
# many of them one view has is left to chance; whether they grow, all views together tell.
MOST_LIVE = _FEW_FILES + _CLEANING
# Those that the newest vector names, one more for each vector kept, and the one just written.
MOST_SEGMENTS = MAX_SEGMENTS + _KEPT_VECTORS + 1


FilesOf = Callable[[str], tuple[set[str], set[str], list[Path]]]


@dataclass(frozen=True)
class Counts:
    """The files of a lake after a refresh.

    ``live`` are the data files of each view's newest version, ``unnamed`` those that no commit of
    any view names, ``segments`` the parts of each operator's state, ``control`` all files of the
    control folder besides rows and history, ``kept`` those that retention times are for.
    """

    live: dict[str, int]
    unnamed: int
    segments: dict[str, int]
    control: int
    kept: int


@dataclass(frozen=True)
class Round:
    """One refresh of all views: what it took, what it did, and what there was afterwards."""

    number: int
    seconds: float
    modes: dict[str, int]
    counts: Counts


class Census:
    """Counts the files below the control folder; of each log only what is new is read.

    Tables in Iceberg do not lie there. ``files_of`` tells, of the table of a view id, the live data
    files, all that any snapshot names, and all that lie in its folder.
    """

    def __init__(self, root: Path, files_of: FilesOf | None = None) -> None:
        self._root = root
        self._tables: dict[str, _Table] = {}
        self._files_of = files_of

    def count(self) -> Counts:
        names = self._names()
        for view_id, name in names.items():
            folder = self._root / "views" / view_id
            table = _Table(name, folder / "data")
            if (folder / "store.json").exists():
                assert self._files_of is not None
                table = _ElsewhereTable(name, view_id, self._files_of)
            self._tables.setdefault(view_id, table)
        tables = [self._tables[view_id] for view_id in names]
        unnamed = sum(table.look() for table in tables)
        elsewhere = sum(table.files for table in tables)
        files = [p.relative_to(self._root) for p in self._root.rglob("*") if p.is_file()]
        rows_and_history = sum(_is_row_or_history(p) for p in files)
        live = {table.name: len(table.live) for table in tables}
        return Counts(
            live=live,
            unnamed=unnamed,
            segments=self._segments(names),
            control=len(files) - rows_and_history,
            kept=rows_and_history + elsewhere - unnamed - sum(live.values()),
        )

    def _names(self) -> dict[str, str]:
        """The name of each view, by its id."""
        definitions = sorted((self._root / "definitions").glob("*.json"))
        return {json.loads(path.read_text())["view_id"]: path.stem for path in definitions}

    def _segments(self, names: dict[str, str]) -> dict[str, int]:
        folders = [p for view_id in names for p in self._root.glob(f"views/{view_id}/state/*")]
        return {f"{names[p.parts[-3]]}/{p.name}": len(list(p.iterdir())) for p in folders}


class _Table:
    """A backing table, as far as its log has been read."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.live: set[str] = set()
        self.files = 0  # outside of the control folder
        self._folder = folder
        self._named: set[str] = set()
        self._next = 0

    def look(self) -> int:
        """Read what is new in the log; says how many files it does not name."""
        while (record := self._folder / f"_delta_log/{self._next:020}.json").exists():
            actions = [json.loads(line) for line in record.read_text().splitlines()]
            self.live -= {action["remove"]["path"] for action in actions if "remove" in action}
            added = {action["add"]["path"] for action in actions if "add" in action}
            self.live |= added
            self._named |= added
            self._next += 1
        return sum(path.name not in self._named for path in self._folder.glob("part-*"))


class _ElsewhereTable(_Table):
    """A backing table in a catalog."""

    def __init__(self, name: str, view_id: str, files_of: FilesOf) -> None:
        super().__init__(name, Path())
        self._view_id = view_id
        self._files_of = files_of

    def look(self) -> int:
        live, named, there = self._files_of(self._view_id)
        self.live, self.files = live, len(there)
        return sum(1 for path in there if path.suffix == ".parquet" and path.name not in named)


def _is_row_or_history(path: Path) -> bool:
    """Whether a file is history, or belongs to a backing table: views/<view id>/data/..."""
    return path.parts[0] == "history" or path.parts[2:3] == ("data",)


def growing(rounds: Sequence[Round], *, settled: bool) -> list[str]:
    """What grows without end in a run; a run that has ``settled`` has seen every compaction."""
    if len(rounds) < 4:  # too few to tell
        return []
    found = _too_many("live files", [r.counts.live for r in rounds], MOST_LIVE)
    if settled and not found:
        found += _more_files("live files", [sum(r.counts.live.values()) for r in rounds])
    found += _more_files("files that no commit names", [r.counts.unnamed for r in rounds])
    found += _too_many("segments", [r.counts.segments for r in rounds], MOST_SEGMENTS)
    if settled:
        found += _more_files("control files", [r.counts.control for r in rounds])
        found += _slower([r.seconds for r in rounds])
    return found


def _quarters(values: Sequence[float]) -> tuple[Sequence[float], Sequence[float]]:
    quarter = len(values) // 4
    return values[quarter : 2 * quarter], values[-quarter:]


def _too_many(what: str, counts: Sequence[dict[str, int]], enough: int) -> list[str]:
    """Those of the newest count that had more, in any round, than are enough."""
    most = {name: max(count.get(name, 0) for count in counts) for name in counts[-1]}
    return [
        f"{what} of {name}: {seen}, where {enough} are enough"
        for name, seen in most.items()
        if seen > enough
    ]


def _more_files(what: str, counts: Sequence[int]) -> list[str]:
    second, last = (max(some) for some in _quarters(counts))
    if last <= MORE_FILES * second:
        return []
    return [f"{what}: at most {second:g} in the second quarter, {last:g} in the last"]


def _slower(seconds: Sequence[float]) -> list[str]:
    second, last = (median(some) for some in _quarters(seconds))
    if last <= MORE_SECONDS * second:
        return []
    return [f"a refresh took {second:.2f} s in the second quarter, {last:.2f} s in the last"]
