"""kill -9 at random moments of a refresh; after the next refresh every view must be right.

    python -m tests.soak.kills --kills 50 --seed 1 --lake killed

Two processes have the lake open. One refreshes all views and is killed meanwhile: Python, its Java
process, or both. The other has made the changes, may go on making them while the first one works,
and refreshes next, at once, whatever the dead have left: a lock, a Java process that is still at
it. What it finds is compared with Spark's own answer. Then it is the one that is killed.

A lake that exists is taken as it is, so that a long run can be done in pieces.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from tests.soak import shop
from tests.soak.process import Process, Unexpected
from tests.soak.report import Kill, as_json, line, summary
from tests.soak.scratch import left_behind, unnamed_rows

KINDS = ("python", "java", "both")
_LIMIT = 120.0  # no single step takes this long; a lock that is waited for takes 300 s


class Run:
    """One series of kills in one lake."""

    def __init__(
        self,
        lake: Path,
        seed: int,
        tell: Callable[[str], None],
        *,
        short: bool = False,
        store: str | None = None,
    ) -> None:
        self.lake = lake
        self.store = store
        self.seed = seed
        self.short = short
        self.views = shop.FEW if short else [view.name for view in shop.VIEWS]
        self.statements = 1 if short else 3  # at most so many in a batch of changes
        self.missed = 0
        self.kills: list[Kill] = []
        self._tell = tell
        self._scratch = lake.with_name(f"{lake.name}.scratch")
        self._typical = 3.0  # seconds that a refresh takes when nobody kills it
        self._processes: list[Process] = []

    def run(self, kills: int) -> list[Kill]:
        """Kill so many times; ends early at the first problem, leaving the lake as it is."""
        with self._opened() as (first, second):
            victim, other = first, second
            for number, kind in zip(range(1, kills + 1), _kinds(self.seed), strict=False):
                kill = self._one(number, kind, victim, other, is_last=number == kills)
                self.kills.append(kill)
                self._tell(line(kill))
                if kill.problems:
                    break
                victim, other = other, self._processes[-1]
        return self.kills

    def _one(
        self, number: int, kind: str, victim: Process, other: Process, *, is_last: bool
    ) -> Kill:
        random, started = Random(f"{self.seed} kill {number}"), time.monotonic()
        delay, busy, problems = 0.0, False, list[str]()
        recovery: float | None = None
        gone: float | None = None
        said: str | None = None
        try:
            other.opened()
            delay, busy = self._catch(random, victim, other)
            victim.kill(kind)
            if not is_last:
                self._start()
            if busy:
                other.answer(_LIMIT)
            if kind == "java":
                said = _last_words(victim)
            recovery = self._recover(other)
            gone = _gone(victim)
            problems += left_behind(self.lake)
        except Unexpected as problem:
            problems.append(str(problem))
        seconds = round(time.monotonic() - started, 1)
        return Kill(number, kind, delay, busy, said, gone, recovery, seconds, tuple(problems))

    def _catch(self, random: Random, victim: Process, other: Process) -> tuple[float, bool]:
        """Have the victim refresh until the moment to kill it falls into a refresh."""
        while True:
            self._change(random, other)
            other.answer(_LIMIT)
            busy = random.random() < 0.5
            delay = round(random.uniform(0, self._typical), 3)
            victim.tell("refresh")
            victim.began()
            if busy:
                self._change(random, other)
            heard = victim.hear(delay)
            if heard is None:
                return delay, busy
            self.missed += 1
            _check_answer(heard)
            self._typical = 0.7 * self._typical + 0.3 * float(heard["seconds"])
            if busy:
                other.answer(_LIMIT)

    def _change(self, random: Random, process: Process) -> None:
        process.tell("change", statements=shop.batch(random, random.randint(1, self.statements)))

    def _recover(self, process: Process) -> float:
        """Refresh, compare, and say how long the refresh took."""
        process.tell("refresh")
        process.began()
        seconds = _check_answer(process.hear(_LIMIT))
        self._typical = 0.7 * self._typical + 0.3 * seconds
        process.tell("check")
        _check_answer(process.hear(_LIMIT))
        return seconds

    def _start(self) -> Process:
        name = f"process-{len(self._processes) + 1}"
        self._processes.append(Process(self.lake, self.views, self._scratch, name))
        return self._processes[-1]

    @contextmanager
    def _opened(self) -> Iterator[tuple[Process, Process]]:
        """Two processes that have the lake open; afterwards none is left."""
        self._scratch.mkdir(parents=True, exist_ok=True)
        is_new = not self.lake.exists()
        self.lake.mkdir(parents=True, exist_ok=True)
        try:
            first, second = self._start(), self._start()
            first.opened()
            if is_new:  # the other one may come to open the lake while its tables are being made
                first.tell("set up", store=self.store)
                first.answer(_LIMIT)
            yield first, second
        finally:
            for process in self._processes:
                process.end()
            if not any(kill.problems for kill in self.kills):
                shutil.rmtree(self._scratch, ignore_errors=True)


def _kinds(seed: int) -> Iterator[str]:
    """Every three kills are one of each kind, in any order."""
    random = Random(f"{seed} kinds")
    while True:
        yield from random.sample(KINDS, len(KINDS))


def _check_answer(heard: dict[str, object] | None) -> float:
    if heard is None:
        raise Unexpected(f"no answer within {_LIMIT:g} s")
    problems = heard.get("problems", [heard])
    if problems:
        raise Unexpected("; ".join(map(str, problems)))  # type: ignore[call-overload]
    return float(heard["seconds"])  # type: ignore[arg-type]


def _last_words(victim: Process) -> str:
    """Python whose Java process is gone ends with one clear error, soon, and says nothing else."""
    heard = victim.hear(60)
    if heard is None:
        raise Unexpected(f"{victim.name} hangs: its Java process was killed 60 s ago")
    said = "done before" if heard["event"] == "done" else str(heard.get("code"))
    if heard["event"] == "done":  # the kill came a moment too late
        victim.tell("end")
    code = victim.ended(60)
    complaints = [text for text in victim.complaints().splitlines() if "JAVA_TOOL" not in text]
    if code != (0 if heard["event"] == "done" else 1) or complaints:
        raise Unexpected(f"{victim.name} ended with {code}, {heard} and {complaints}")
    return said


def _gone(victim: Process) -> float:
    gone = victim.java_gone(60)
    if gone is None:
        raise Unexpected(f"the Java process of {victim.name} outlives its Python")
    return gone


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--lake", type=Path, help="a folder; a temporary one if not given")
    parser.add_argument("--short", action="store_true", help="fewer views, smaller batches")
    parser.add_argument("--store", help="where views are stored; where they are by default")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that no process is left
    tell = (lambda text: print(text, file=sys.stderr)) if given.json else print
    # A temporary one stays if something is wrong.
    lake = (given.lake or Path(tempfile.mkdtemp(prefix="rollview-kills-"), "lake")).resolve()
    tell(f"seed {given.seed}, lake {lake}")
    run = Run(lake, given.seed, tell, short=given.short, store=given.store)
    run.run(given.kills)
    unnamed = unnamed_rows(lake)
    if given.lake is None and not any(kill.problems for kill in run.kills):
        shutil.rmtree(lake.parent)
    print(json.dumps(as_json(run, unnamed)) if given.json else summary(run, unnamed))
    return 1 if any(kill.problems for kill in run.kills) else 0


if __name__ == "__main__":
    sys.exit(main())
