"""The commit protocol of a view's rows (docs/commit-protocol.md), the same for every format."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass, field
from typing import Generic, assert_never

from rollview.errors import Conflict, DefinitionCorrupt, UnknownCommit
from rollview.storage import faults
from rollview.storage.base import Backing, Rows, Tail
from rollview.storage.change import Append, Change, Merge, Replace, Rewrite, Unchanged
from rollview.storage.files import Files
from rollview.storage.segments import Segments
from rollview.storage.vector import LoadedVector, State, Vector, dump_vector, load_vector

_KEPT_VECTORS = 5
_FILE = re.compile(r"(\d+)(?:\.([0-9a-f]+))?\.json")


@dataclass(frozen=True, slots=True)
class Watermark:
    """The newest refresh of a view; ``vector`` is None if what it reflects cannot be told.

    ``state`` lists the segments that belong to it, and ``rows`` is how many it has, if known.
    """

    number: int
    version: str
    vector: Vector | None
    rows: int | None = None
    state: State = field(default_factory=dict)


class ViewStore(Generic[Rows]):
    """The rows of one view, with the vector they reflect."""

    def __init__(
        self,
        view: str,
        backing: Backing[Rows],
        segments: Segments[Rows],
        files: Files,
        folder: str,
    ) -> None:
        self.view = view
        self.backing = backing
        self.segments = segments
        self._files = files
        self._folder = f"{folder}/refreshes"

    def watermark(self) -> Watermark | None:
        """What the view reflects now; None if no refresh was ever committed."""
        tail = self.backing.newest()
        if tail is None:
            return None
        found = self._readable(tail)
        if found is None:
            return Watermark(tail.number, tail.version, None, self._count(tail))
        rows = found.rows if found.rows is not None else self._count(tail)
        return Watermark(tail.number, tail.version, found.vector, rows, found.state)

    def commit(
        self, change: Change[Rows], after: int, vector: Vector, state: State | None = None
    ) -> Watermark:
        """Change the rows if refresh ``after`` is still the newest one. Raises Conflict if not.

        ``state`` lists every segment that belongs to the rows then, old and new; all are written.
        """
        number, token = after + 1, uuid.uuid4().hex[:16]
        text = dump_vector(vector, number, token, state)
        candidate = f"{self._folder}/{number}.{token}.json"
        self._files.write(candidate, text)
        faults.point("commit.candidate")
        failure: Exception | None = None
        try:
            self._apply(change, number, text)
            faults.point("commit.committed")
        except Exception as error:  # whatever it is: the commit may have taken place before it
            failure = error
        tail = self._who_won(number, token, candidate, failure)
        rows = self._count(tail)
        published = dump_vector(vector, number, token, state, rows)
        self._files.write(f"{self._folder}/{number}.json", published)
        faults.point("commit.published")
        self._files.remove(candidate)
        return Watermark(number, tail.version, vector, rows, state or {})

    def tidy(self, *, alone: bool = False, after_a_crash: bool = False) -> None:
        """Remove vectors and candidates that no refresh, living or dead, can still need.

        Who is ``alone``, because of a lock, knows that what is of a later number is nobody's;
        ``after_a_crash`` the table itself may hold what its writer could not finish.
        """
        tail = self.backing.newest()
        if tail is None:
            return
        names = self._files.names(self._folder)
        published = f"{tail.number}.json" in names or (alone and self._publish(tail))
        for name in names:
            match = _FILE.fullmatch(name)
            if match is None:
                continue
            number, candidate = int(match[1]), match[2] is not None
            passed = number < tail.number or (number == tail.number and published)
            ahead = alone and number > tail.number  # a vector, too: the rows were restored
            if ahead or (candidate and passed) or number <= tail.number - _KEPT_VECTORS:
                self._files.remove(f"{self._folder}/{name}")
        self._tidy_state(tail, alone)
        if alone and after_a_crash:
            self.backing.tidy()

    def _tidy_state(self, newest: Tail, alone: bool) -> None:
        """Remove segments that neither the newest refresh names nor one shortly before it.

        A vector that cannot be read may name any of them: nothing is removed then.
        """
        numbers = range(max(1, newest.number - _KEPT_VECTORS + 1), newest.number)
        try:
            vectors = [self._loaded(newest), *[self._published(number) for number in numbers]]
        except DefinitionCorrupt:
            return
        if vectors[0] is not None:
            states = [vector.state for vector in vectors if vector is not None]
            self.segments.tidy(states, alone=alone)

    def _publish(self, tail: Tail) -> bool:
        """Publish the vector of a commit whose own process did not come to it, if it is known."""
        found = self._readable(tail)
        if found is None:
            return False
        rows = self._count(tail)
        text = dump_vector(found.vector, tail.number, found.token, found.state, rows)
        self._files.write(f"{self._folder}/{tail.number}.json", text)
        return True

    def _apply(self, change: Change[Rows], number: int, text: str) -> None:
        match change:
            case Replace(rows):
                self.backing.replace(rows, number, text)
            case Append(rows):
                self.backing.append(rows, number, text)
            case Unchanged():
                self.backing.advance(number, text)
            case Merge(delta, feed):
                self.backing.merge(delta, number, text, feed)
            case Rewrite(delta, feed, empties):
                self.backing.rewrite(delta, number, text, feed, empties)
            case _:
                assert_never(change)

    def _who_won(self, number: int, token: str, candidate: str, failure: Exception | None) -> Tail:
        """The commit with this number if it is ours; the same question after every commit."""
        try:
            tail = self.backing.find(number)
            winner = None if tail is None else self._token(tail)
        except Exception as error:  # the log cannot be read: nothing is known
            raise self._unknown(number, failure or error) from (failure or error)
        if tail is not None and winner is None:
            raise self._unknown(number, failure) from failure
        if tail is not None and winner == token:
            return tail
        self._files.remove(candidate)
        if tail is None and failure is not None:
            raise failure
        raise Conflict(
            f"refresh {number} of {self.view} was committed by somebody else first",
            hint="refresh again; usually nothing is left to do",
        ) from failure

    def _unknown(self, number: int, cause: Exception | None) -> UnknownCommit:
        because = f": {cause}" if cause else ""
        return UnknownCommit(
            f"it is not known whether refresh {number} of {self.view} was committed{because}",
            hint="refresh again: it finds out, and applies nothing twice",
        )

    def _token(self, tail: Tail) -> str | None:
        found = self._loaded(tail)
        return None if found is None else found.token

    def _count(self, tail: Tail) -> int | None:
        """How many rows a commit left: as it says, or by what the one before it published."""
        if tail.rows is not None or tail.net is None:
            return tail.rows
        if tail.number == 1:
            return tail.net
        try:
            before = self._published(tail.number - 1)
        except DefinitionCorrupt:
            return None
        return None if before is None or before.rows is None else before.rows + tail.net

    def _readable(self, tail: Tail) -> LoadedVector | None:
        try:
            return self._loaded(tail)
        except DefinitionCorrupt:
            return None

    def _loaded(self, tail: Tail) -> LoadedVector | None:
        """By what was published, unless that is of another commit than the one in the table.

        Rows that were restored from a backup have fewer commits than there are vectors beside them.
        """
        published = self._published(tail.number)
        if tail.metadata is None:
            return published or self._only_candidate(tail.number)
        carried = load_vector(tail.metadata, f"the commit of refresh {tail.number}")
        same = published is not None and published.token == carried.token
        return published if same else carried

    def _published(self, number: int) -> LoadedVector | None:
        path = f"{self._folder}/{number}.json"
        text = self._files.read(path)
        return None if text is None else load_vector(text, path)

    def _only_candidate(self, number: int) -> LoadedVector | None:
        names = self._files.names(self._folder)
        matches = [name for name in names if (m := _FILE.fullmatch(name)) and m[1] == str(number)]
        if len(matches) != 1:
            return None
        path = f"{self._folder}/{matches[0]}"
        text = self._files.read(path)
        return None if text is None else load_vector(text, path)
