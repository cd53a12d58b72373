"""Several pieces of work at once, each after those that it builds on.

A refresh of little spends most of its time on planning and on commits, in one thread. So views that
do not read each other are refreshed side by side, as many at a time as there are cores, up to four.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter
from types import TracebackType
from typing import Generic, TypeVar

from pyspark.sql import SparkSession
from pyspark.util import InheritableThread

Result = TypeVar("Result")
_MOST = 4
_WAIT_SECONDS = 0.2


def hands_of(spark: SparkSession) -> int:
    """How many pieces of work are done at once in a session."""
    return max(1, min(int(spark.sparkContext.defaultParallelism), _MOST))


@dataclass
class Piece(Generic[Result]):
    """One piece of work, and when it is finished its result, or what it raised."""

    key: str
    result: Result | None = None
    failure: BaseException | None = None
    share: float = 0.0
    """Its seconds, each divided by the number of pieces that were being done."""


class _Thread(InheritableThread, Generic[Result]):
    """A thread that says that it is finished even if its own beginning fails, as without Java."""

    def __init__(
        self,
        body: Callable[[], None],
        spark: SparkSession,
        piece: Piece[Result],
        finished: queue.SimpleQueue[Piece[Result]],
    ) -> None:
        super().__init__(target=body, session=spark)
        self._piece = piece
        self._finished = finished

    def run(self) -> None:
        _carry_out(super().run, self._piece, self._finished)


def _carry_out(
    body: Callable[[], None], piece: Piece[Result], finished: queue.SimpleQueue[Piece[Result]]
) -> None:
    try:
        body()
    except BaseException as failure:  # it is raised again where all are waited for
        piece.failure = failure
    finished.put(piece)


class SideBySide(Generic[Result]):
    """Threads that do work; leaving the block waits for what they have begun.

    Who leaves it by Ctrl-C has the work told, by its event, to stop.
    """

    def __init__(
        self, spark: SparkSession, work: Callable[[str, threading.Event], Result], hands: int
    ) -> None:
        self._spark = spark
        self._work = work
        self._hands = hands
        self._give_up = threading.Event()
        self._finished: queue.SimpleQueue[Piece[Result]] = queue.SimpleQueue()
        self._running: dict[str, Piece[Result]] = {}
        self._ticked = time.monotonic()

    def __enter__(self) -> SideBySide[Result]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        interrupted = isinstance(value, KeyboardInterrupt)
        if interrupted:
            self._give_up.set()
        rest = [self._finish() for _ in list(self._running)]
        failures = [piece.failure for piece in rest if piece.failure is not None]
        if interrupted and failures:
            raise failures[0] from None

    def each(self, graph: Mapping[str, Collection[str]]) -> Iterator[Piece[Result]]:
        """Do the work of every key after that of the keys it names; each when it is finished.

        Raises what a piece raises; none is begun after that.
        """
        sorter = TopologicalSorter(graph)
        sorter.prepare()
        ready: deque[str] = deque()
        while sorter.is_active():
            ready.extend(sorter.get_ready())
            while ready and len(self._running) < self._hands:
                self._begin(ready.popleft())
            piece = self._finish()
            if piece.failure is not None:
                raise piece.failure
            yield piece
            sorter.done(piece.key)

    def _begin(self, key: str) -> None:
        piece: Piece[Result] = Piece(key)

        def body() -> None:
            piece.result = self._work(key, self._give_up)

        self._tick()
        if self._hands == 1:
            self._running[key] = piece
            _carry_out(body, piece, self._finished)
            return
        thread = _Thread(body, self._spark, piece, self._finished)
        self._running[key] = piece
        try:
            thread.start()
        except BaseException:  # it will never be finished
            del self._running[key]
            raise

    def _finish(self) -> Piece[Result]:
        while True:
            try:
                piece = self._finished.get(timeout=_WAIT_SECONDS)
            except queue.Empty:  # Ctrl-C is noticed between two looks
                continue
            self._tick()
            del self._running[piece.key]
            return piece

    def _tick(self) -> None:
        """Divide the time since the last tick among the pieces that were being done."""
        now = time.monotonic()
        for piece in self._running.values():
            piece.share += (now - self._ticked) / len(self._running)
        self._ticked = now
