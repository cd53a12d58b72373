"""The files in which two versions of a Delta table differ, found in its log alone.

Every commit says which files it added and removed, so its change is the rows of the former minus
those of the latter, and the change of a range is the sum over its commits. In that sum a file that
was added and removed again cancels before anything is read. A file is meant together with its
deletion vector: the same file with another vector is another bag of rows.

There is more than one exact way to write the sum, and they differ in what must be read:

- A commit that only rewrites (OPTIMIZE: its actions say ``dataChange: false``) changes nothing and
  can be left out, so that compaction alone costs nothing. Or it can be taken in, so that files
  written and compacted within the range cancel, and only the compacted ones are read. It is taken
  in only if row counts prove that its files hold as many rows as those they replace: statistics
  and row tracking re-add files that were there already.
- Where the change data feed was on, a commit that had to rewrite files left change files beside
  them: its changed rows, before and after, instead of all rows of the files it touched. By
  Delta's protocol these are then its whole change.

`diffs` gives them all, the one with the fewest bytes first. With a few changed rows in large files
the feed wins by far; after a bulk change that touched most rows of its files, the files do.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from rollview.storage.delta_log import Action

Moves = list[tuple[Action, int]]


class Way(StrEnum):
    """Where changed rows are read from."""

    FEED = "feed"
    FILES = "files"


@dataclass(frozen=True, slots=True)
class Commit:
    """What one commit did to the files of a table."""

    version: int
    adds: tuple[Action, ...]
    removes: tuple[Action, ...]
    feed: tuple[Action, ...]
    metadata: Action | None


@dataclass(frozen=True, slots=True)
class Diff:
    """One way to read a change: data files, each with a weight, and change files."""

    way: Way
    files: tuple[tuple[Action, int], ...] = ()
    feed: tuple[Action, ...] = ()
    bytes: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "bytes", _bytes(self.files, self.feed))

    @property
    def named(self) -> tuple[Action, ...]:
        """All files to read."""
        return (*(file for file, _ in self.files), *self.feed)

    def layers(self) -> list[tuple[list[Action], list[Action]]]:
        """Files to add and files to take away, each path at most once a layer on either side."""
        found: list[tuple[list[Action], list[Action]]] = []
        used: Counter[tuple[str, bool]] = Counter()
        for file, weight in self.files:
            place = (file["path"], weight > 0)
            for _ in range(abs(weight)):
                if used[place] == len(found):
                    found.append(([], []))
                found[used[place]][0 if weight > 0 else 1].append(file)
                used[place] += 1
        return found


def to_commit(version: int, actions: Iterable[Action]) -> Commit:
    """What the record of a commit says about files and metadata."""
    found: dict[str, list[Action]] = {"add": [], "remove": [], "cdc": [], "metaData": []}
    for action in actions:
        for kind in action.keys() & found.keys():
            found[kind].append(action[kind])
    metadata = found["metaData"][-1] if found["metaData"] else None
    return Commit(
        version, tuple(found["add"]), tuple(found["remove"]), tuple(found["cdc"]), metadata
    )


def diffs(commits: Sequence[Commit]) -> list[Diff]:
    """Every way to read what these successive commits changed, the fewest bytes first."""
    changed = [_moves(commit, data=True) for commit in commits]
    rewritten = [_balanced(_moves(commit, data=False)) for commit in commits]
    found = [Diff(Way.FILES, _sum(changed))]
    if any(rewritten):
        found.append(Diff(Way.FILES, _sum([*changed, *rewritten])))
    if any(commit.feed for commit in commits):
        rest = [moves for commit, moves in zip(commits, changed, strict=True) if not commit.feed]
        feed = tuple(file for commit in commits for file in commit.feed)
        found.append(Diff(Way.FEED, _sum(rest), feed))
    return sorted(found, key=lambda diff: diff.bytes)


def row_count(file: Action) -> int | None:
    """How many rows a file has, without those that its deletion vector marks; None if unknown."""
    stats = json.loads(file.get("stats") or "{}")
    if "numRecords" not in stats:
        return None
    return int(stats["numRecords"]) - int((file.get("deletionVector") or {}).get("cardinality", 0))


def file_key(file: Action) -> tuple[str, str]:
    """What a file is recognised by: its path and its deletion vector."""
    vector = file.get("deletionVector")
    if vector is None:
        return file["path"], ""
    parts = (vector["storageType"], vector["pathOrInlineDv"], vector.get("offset"))
    return file["path"], json.dumps(parts)


def _moves(commit: Commit, data: bool) -> Moves:
    """The files that a commit added (1) and removed (-1), to change data or only to rewrite it."""
    moves = [(file, 1) for file in commit.adds] + [(file, -1) for file in commit.removes]
    return [(file, sign) for file, sign in moves if bool(file.get("dataChange", True)) is data]


def _balanced(moves: Moves) -> Moves:
    """The moves, if they are known to add as many rows as they remove; otherwise none."""
    counts = [(row_count(file), sign) for file, sign in moves]
    known = [count * sign for count, sign in counts if count is not None]
    return moves if len(known) == len(moves) and sum(known) == 0 else []


def _sum(commits: Iterable[Moves]) -> tuple[tuple[Action, int], ...]:
    weights: Counter[tuple[str, str]] = Counter()
    files: dict[tuple[str, str], Action] = {}
    for moves in commits:
        for file, sign in moves:
            key = file_key(file)
            weights[key] += sign
            if sign > 0 or key not in files:  # what was added is described in full
                files[key] = file
    return tuple((files[key], weight) for key, weight in weights.items() if weight)


def _bytes(files: Iterable[tuple[Action, int]], feed: Iterable[Action]) -> int:
    """A file of which only the deletion vector changed is read once, not twice."""
    read: dict[str, int] = {}
    for file, weight in files:
        size = int(file.get("size") or 0) * abs(weight)
        read[file["path"]] = max(size, read.get(file["path"], 0))
    return sum(read.values()) + sum(int(file.get("size") or 0) for file in feed)
