"""Advisory locks of a folder-lake: one file each, released by the kernel when a process dies.

The Java process of a holder that died goes on for a moment, and a commit that it has begun takes
place after the lock was released. Delta's log store for local folders does not exclude the commits
of two Java processes, so whoever comes next waits until that one is gone. It is known from the
record that a holder leaves in the file, and takes back when it releases the lock in order.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from rollview.errors import LakeBusy, SparkDied
from rollview.storage.files import not_writable
from rollview.storage.process import Process

_POLL_SECONDS = 0.05
_LONGEST_RECORD = 4096


@dataclass(frozen=True, slots=True)
class _Holder:
    """What a holder says of itself; ``java`` is the process that works for it."""

    process: int
    purpose: str
    since: str
    java: Process | None

    def __str__(self) -> str:
        return f"process {self.process} ({self.purpose}, since {self.since})"


@contextmanager
def held(path: str, purpose: str, timeout: float, java: Process | None = None) -> Iterator[bool]:
    """Hold the lock of this path; LakeBusy names the holder if it cannot be had in time.

    Gives whether the holder before died, or lost Spark, while it held the lock.
    """
    folder = Path(path).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as failure:
        raise not_writable(folder, failure) from failure
    try:
        deadline = time.monotonic() + timeout
        _acquire(descriptor, path, purpose, timeout, deadline)
        after_a_crash = os.fstat(descriptor).st_size > 0
        _wait_for_the_dead(descriptor, purpose, java, timeout, deadline)
        _write(descriptor, purpose, java)
        try:
            yield after_a_crash
        except SparkDied:  # what it was doing may go on: the record stays
            raise
        except BaseException:
            _take_back(descriptor, java)
            raise
        _take_back(descriptor, java)
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, path: str, purpose: str, timeout: float, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise LakeBusy(
                    f"cannot {purpose}: after {timeout:g} s the lock {path} is still held by "
                    f"{_read(descriptor) or 'another process'}",
                    hint="wait for it to finish, or end it; a dead process holds no lock",
                ) from None
        time.sleep(_POLL_SECONDS)


def _wait_for_the_dead(
    descriptor: int, purpose: str, java: Process | None, timeout: float, deadline: float
) -> None:
    """Within one Java process Delta itself excludes two writers, so nobody waits for their own."""
    before = _read(descriptor)
    if before is None or before.java is None or before.java == java:
        return
    if not before.java.is_gone_within(deadline - time.monotonic()):
        raise LakeBusy(
            f"cannot {purpose}: after {timeout:g} s the Java process {before.java.number} of "
            f"process {before.process}, which is dead or has lost it, still runs "
            f"({before.purpose}, since {before.since})",
            hint=f"it should end by itself; if it does not, end it: kill {before.java.number}",
        )


def _write(descriptor: int, purpose: str, java: Process | None) -> None:
    """The new record goes over the old one, so that no crash between leaves none."""
    data = {
        "process": os.getpid(),
        "purpose": purpose,
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
        "java": None if java is None else java.to_dict(),
    }
    record = json.dumps(data).encode()
    os.pwrite(descriptor, record, 0)
    os.ftruncate(descriptor, len(record))


def _take_back(descriptor: int, java: Process | None) -> None:
    """Remove the record, unless Spark died after its work was done: it may not have tidied up."""
    if java is None or java.lives:
        os.ftruncate(descriptor, 0)


def _read(descriptor: int) -> _Holder | None:
    try:
        data = json.loads(os.pread(descriptor, _LONGEST_RECORD, 0))
        java = None if data["java"] is None else Process.from_dict(data["java"])
        return _Holder(int(data["process"]), str(data["purpose"]), str(data["since"]), java)
    except (ValueError, KeyError, TypeError):
        return None
