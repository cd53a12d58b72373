"""Advisory locks of a folder-lake: one file each, released by the kernel when a process dies."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from rollview.errors import LakeBusy
from rollview.storage.files import not_writable

_POLL_SECONDS = 0.05


@contextmanager
def held(path: str, purpose: str, timeout: float) -> Iterator[None]:
    """Hold the lock of this path; LakeBusy names the holder if it cannot be had in time."""
    folder = Path(path).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as failure:
        raise not_writable(folder, failure) from failure
    try:
        _acquire(descriptor, path, purpose, timeout)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, _holder(purpose), 0)
        yield
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, path: str, purpose: str, timeout: float) -> None:
    deadline = time.monotonic() + timeout
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise LakeBusy(
                    f"cannot {purpose}: after {timeout:g} s the lock {path} is still held by "
                    f"{_read_holder(descriptor)}",
                    hint="wait for it to finish, or end it; a dead process holds no lock",
                ) from None
        time.sleep(_POLL_SECONDS)


def _holder(purpose: str) -> bytes:
    since = datetime.now(UTC).isoformat(timespec="seconds")
    return json.dumps({"process": os.getpid(), "purpose": purpose, "since": since}).encode()


def _read_holder(descriptor: int) -> str:
    try:
        holder = json.loads(os.pread(descriptor, 4096, 0))
        return f"process {holder['process']} ({holder['purpose']}, since {holder['since']})"
    except (ValueError, KeyError):
        return "another process"
