"""The commit protocol of a view's rows (docs/commit-protocol.md), the same for every format."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from typing import Generic

from rollview.errors import Conflict, DefinitionCorrupt, UnknownCommit
from rollview.storage import faults
from rollview.storage.base import Backing, Rows, Tail
from rollview.storage.files import Files
from rollview.storage.vector import LoadedVector, Vector, dump_vector, load_vector

_KEPT_VECTORS = 5
_FILE = re.compile(r"(\d+)(?:\.([0-9a-f]+))?\.json")


@dataclass(frozen=True, slots=True)
class Watermark:
    """The newest refresh of a view; ``vector`` is None if what it reflects cannot be told."""

    number: int
    version: str
    vector: Vector | None
    rows: int | None = None


class ViewStore(Generic[Rows]):
    """The rows of one view, with the vector they reflect."""

    def __init__(self, view: str, backing: Backing[Rows], files: Files, folder: str) -> None:
        self.view = view
        self.backing = backing
        self._files = files
        self._folder = f"{folder}/refreshes"

    def watermark(self) -> Watermark | None:
        """What the view reflects now; None if no refresh was ever committed."""
        tail = self.backing.newest()
        if tail is None:
            return None
        return Watermark(tail.number, tail.version, self._vector(tail), tail.rows)

    def commit(self, rows: Rows, after: int, vector: Vector) -> Watermark:
        """Replace the rows if refresh ``after`` is still the newest one. Raises Conflict if not."""
        number, token = after + 1, uuid.uuid4().hex[:16]
        text = dump_vector(vector, number, token)
        candidate = f"{self._folder}/{number}.{token}.json"
        self._files.write(candidate, text)
        faults.point("commit.candidate")
        failure: Exception | None = None
        try:
            self.backing.replace(rows, number, text)
            faults.point("commit.committed")
        except Exception as error:  # whatever it is: the commit may have taken place before it
            failure = error
        tail = self._who_won(number, token, candidate, failure)
        self._files.write(f"{self._folder}/{number}.json", text)
        faults.point("commit.published")
        self._files.remove(candidate)
        return Watermark(number, tail.version, vector, tail.rows)

    def tidy(self, *, alone: bool = False, after_a_crash: bool = False) -> None:
        """Remove vectors and candidates that no refresh, living or dead, can still need.

        Who is ``alone``, because of a lock, knows that candidates of the next number are nobody's;
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
            nobodys = passed or (alone and number > tail.number)
            if (candidate and nobodys) or number <= tail.number - _KEPT_VECTORS:
                self._files.remove(f"{self._folder}/{name}")
        if alone and after_a_crash:
            self.backing.tidy()

    def _publish(self, tail: Tail) -> bool:
        """Publish the vector of a commit whose own process did not come to it, if it is known."""
        try:
            found = self._loaded(tail)
        except DefinitionCorrupt:
            return False
        if found is None:
            return False
        text = dump_vector(found.vector, tail.number, found.token)
        self._files.write(f"{self._folder}/{tail.number}.json", text)
        return True

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

    def _vector(self, tail: Tail) -> Vector | None:
        try:
            found = self._loaded(tail)
        except DefinitionCorrupt:
            return None
        return None if found is None else found.vector

    def _loaded(self, tail: Tail) -> LoadedVector | None:
        published = f"{self._folder}/{tail.number}.json"
        text = self._files.read(published)
        if text is not None:
            return load_vector(text, published)
        if tail.metadata is not None:
            return load_vector(tail.metadata, f"the commit of refresh {tail.number}")
        return self._only_candidate(tail.number)

    def _only_candidate(self, number: int) -> LoadedVector | None:
        names = self._files.names(self._folder)
        matches = [name for name in names if (m := _FILE.fullmatch(name)) and m[1] == str(number)]
        if len(matches) != 1:
            return None
        path = f"{self._folder}/{matches[0]}"
        text = self._files.read(path)
        return None if text is None else load_vector(text, path)
