"""Who wrote something: a process that can be told from any later one, and whether it still runs."""

from __future__ import annotations

import hashlib
import os
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_POLL_SECONDS = 0.05
_ENDED = ("Z", "X")


@dataclass(frozen=True, slots=True)
class Process:
    """One process of one host; ``started`` tells it from others that had or get its number."""

    host: str
    number: int
    started: str | None

    @property
    def is_here(self) -> bool:
        """Whether this host can tell if it runs."""
        return self.host == socket.gethostname()

    @property
    def lives(self) -> bool:
        """Whether it runs on this host."""
        return self.is_here and self.started is not None and _start(self.number) == self.started

    def is_gone_within(self, seconds: float) -> bool:
        """Wait for it to end."""
        deadline = time.monotonic() + seconds
        while self.lives:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_SECONDS)
        return True

    def to_dict(self) -> dict[str, object]:
        return {"host": self.host, "process": self.number, "started": self.started}

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> Process:
        """Raises KeyError, TypeError or ValueError if the data describe no process."""
        started = data["started"]
        when = None if started is None else str(started)
        return cls(str(data["host"]), int(str(data["process"])), when)

    @property
    def tag(self) -> str:
        """The process in a few characters that a file name can hold."""
        return f"{_short(self.host)}-{self.number}-{self.started}"

    @classmethod
    def from_tag(cls, tag: str) -> Process | None:
        """The process of this host that has the tag; None for one of another host."""
        host, number, started = tag.split("-")
        here = socket.gethostname()
        return cls(here, int(number), started) if host == _short(here) else None


def process(number: int) -> Process:
    """The process of this host that has the number now."""
    return Process(socket.gethostname(), number, _start(number))


def this_process() -> Process:
    """The process that asks."""
    return process(os.getpid())


def _short(host: str) -> str:
    return hashlib.sha256(host.encode()).hexdigest()[:8]


def _start(number: int) -> str | None:
    """When a process of this host started; None if there is none.

    A process that nobody has waited for yet is dead all the same, but one whose first thread alone
    has ended is not.
    """
    try:
        fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        state, threads, started = fields[0], int(fields[17]), fields[19]
        return None if state in _ENDED and threads <= 1 else started
    except (FileNotFoundError, ProcessLookupError):
        if Path("/proc/self/stat").exists():
            return None
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass
    return "unknown"
