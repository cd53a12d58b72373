"""What every benchmark needs: time, the numbers that sum it up, and a journal that outlives a stop.

Nothing here knows Spark; tests/benchmarks checks it.
"""

from __future__ import annotations

import json
import math
import os
import platform
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.roundtrip.proved import proved

Entry = dict[str, Any]


def timed(work: Callable[[], object]) -> float:
    """The seconds that the work takes."""
    started = time.monotonic()
    work()
    return round(time.monotonic() - started, 3)


def say(text: str) -> None:
    """Tell whoever waits how far it is; results go to standard output."""
    print(text, file=sys.stderr, flush=True)


def median(values: Iterable[float]) -> float | None:
    """The median; None of nothing."""
    found = list(values)
    return statistics.median(found) if found else None


def geometric_mean(values: Iterable[float]) -> float | None:
    """The geometric mean of positive numbers; None of nothing."""
    found = list(values)
    return math.exp(statistics.mean(math.log(value) for value in found)) if found else None


def ratio(one: float | None, other: float | None) -> float | None:
    """How many times the other is contained; None where one is not known or the other is 0."""
    return None if one is None or not other else one / other


def regret(chosen: str, seconds: Mapping[str, Sequence[float]]) -> float | None:
    """The time of the chosen way against that of the best, by the medians of each way's times.

    1 is the best that can be had; None if the chosen way or all others were not measured.
    """
    medians = {way: statistics.median(times) for way, times in seconds.items() if times}
    if chosen not in medians or len(medians) < 2:
        return None
    return medians[chosen] / min(medians.values())


def within(values: Iterable[float | None], limit: float) -> float | None:
    """The share of the known values that are no larger than a limit."""
    known = [value for value in values if value is not None]
    return sum(value <= limit for value in known) / len(known) if known else None


class Journal:
    """What was measured, one line of JSON each, in a file that outlives a stopped run.

    A line that was cut off when the run was stopped is measured again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries: dict[str, Entry] = {}
        for line in path.read_text().splitlines() if path.exists() else ():
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            self.entries[entry["step"]] = entry

    def once(self, step: str, work: Callable[[], Entry]) -> Entry:
        """The entry of a step, which is taken now unless it was before."""
        if step not in self.entries:
            entry = {"step": step, **work()}
            with self.path.open("a") as file:
                file.write("\n" * self._is_cut_off() + json.dumps(entry) + "\n")
            self.entries[step] = entry
        return self.entries[step]

    def _is_cut_off(self) -> bool:
        text = self.path.read_bytes() if self.path.exists() else b""
        return bool(text) and not text.endswith(b"\n")


@contextmanager
def folder_of(kept: Path | None, name: str) -> Iterator[Path]:
    """The folder to work in: the given one, which stays, or one that goes."""
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept
        return
    made = Path(tempfile.mkdtemp(prefix=f"rollview-{name}-"))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def circumstances() -> dict[str, Any]:
    """What a result depends on besides its own settings."""
    return {
        "sources": str(proved()),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }


def write_json(path: Path | None, result: Mapping[str, Any]) -> None:
    """Write a result, if a file was asked for."""
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(result, indent=2) + "\n")
