"""A worker process as its parent sees it: told what to do, listened to, killed."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[2]


class Unexpected(Exception):
    """A process did not do what it was told, in time or at all."""


class Process:
    """One `tests.soak.worker`; what it says beside its answers goes to a file."""

    def __init__(self, lake: Path, views: Sequence[str], scratch: Path, name: str) -> None:
        self.name = name
        self.java = 0
        self._errors = scratch / f"{name}.stderr"
        self._lines: queue.Queue[str | None] = queue.Queue()
        with self._errors.open("w") as errors:
            self._popen = subprocess.Popen(
                [sys.executable, "-m", "tests.soak.worker", str(lake), *views],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                cwd=REPOSITORY,
                env=_environment(scratch),
            )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def opened(self) -> None:
        """Wait until the lake is open."""
        if self.java == 0:
            self.java = self._expect("open", 180)["java"]

    def tell(self, do: str, **more: Any) -> None:
        assert self._popen.stdin is not None
        self._popen.stdin.write(json.dumps({"do": do, **more}) + "\n")
        self._popen.stdin.flush()

    def answer(self, limit: float) -> dict[str, Any]:
        """The answer to what was told."""
        return self._expect("done", limit)

    def began(self) -> None:
        """Wait until the refresh that was told begins."""
        self._expect("began", 60)

    def hear(self, limit: float) -> dict[str, Any] | None:
        """The next line; None if there is none in time. Raises Unexpected at the end."""
        try:
            line = self._lines.get(timeout=limit)
        except queue.Empty:
            return None
        if line is None:
            raise Unexpected(f"{self.name} ended ({self.ended(10)}): {self.complaints()}")
        found: dict[str, Any] = json.loads(line)
        return found

    def ended(self, limit: float) -> int | None:
        """Its exit code; None if it is still there after the limit."""
        try:
            return self._popen.wait(limit)
        except subprocess.TimeoutExpired:
            return None

    def complaints(self) -> str:
        """What it wrote to stderr."""
        return self._errors.read_text()

    def kill(self, kind: str) -> None:
        """kill -9 of Python, of its Java process, or of both."""
        if kind in ("java", "both"):
            os.kill(self.java, signal.SIGKILL)
        if kind in ("python", "both"):
            os.kill(self._popen.pid, signal.SIGKILL)
            self._popen.wait()

    def end(self) -> None:
        """Let it end in peace, or make it."""
        with suppress(OSError):
            self.tell("end")
        if self.ended(60) is None:
            self.kill("both")
        self._listener.join(10)
        for pipe in (self._popen.stdin, self._popen.stdout):
            assert pipe is not None
            with suppress(OSError):  # there is nobody to read what was not sent
                pipe.close()

    def java_gone(self, limit: float) -> float | None:
        """Seconds until the Java process is gone; None if it is still there after the limit."""
        started = time.monotonic()
        while time.monotonic() - started < limit:
            if not _lives(self.java):
                return round(time.monotonic() - started, 2)
            time.sleep(0.05)
        return None

    def _expect(self, event: str, limit: float) -> dict[str, Any]:
        found = self.hear(limit)
        if found is None:
            raise Unexpected(f"{self.name} is silent: no {event!r} in {limit:g} s")
        if found["event"] != event:
            raise Unexpected(f"{self.name} says {found}, not {event!r}")
        return found

    def _listen(self) -> None:
        assert self._popen.stdout is not None
        for line in self._popen.stdout:
            self._lines.put(line)
        self._lines.put(None)


def _lives(process: int) -> bool:
    """By Linux's word: a zombie is dead, unless other threads than its first one still run."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    fields = status.rpartition(")")[2].split()
    return fields[0] not in ("Z", "X") or int(fields[17]) > 1


def _environment(scratch: Path) -> dict[str, str]:
    """A killed Java process cannot remove its own temporary folders: they go with ours."""
    return {
        **os.environ,
        "ROLLVIEW_DRIVER_MEMORY": "1g",
        "SPARK_LOCAL_DIRS": str(scratch),
        # Short lives: what the compiler would gain it costs first.
        "JAVA_TOOL_OPTIONS": f"-Djava.io.tmpdir={scratch} -XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
