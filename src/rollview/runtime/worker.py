"""Spark work in a thread of its own: it can be interrupted, counted, and ends before we go on.

A thread of its own has job settings of its own, so the caller's job group stays as it is. An
interrupted caller cancels the jobs and waits for the work to stop, so that afterwards it is known
whether a commit took place.
"""

from __future__ import annotations

import logging
import re
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.util import InheritableThread

from rollview.errors import EvaluationFailed, Interrupted
from rollview.frontend.translate import first_line
from rollview.runtime.lifeline import guarded
from rollview.storage.process import Process

Result = TypeVar("Result")
_WAIT_SECONDS = 0.2
_ERROR_CLASS = re.compile(r"\[[A-Z][A-Z0-9_.]+\]")
_LOST = (Py4JError, ConnectionError)
_QUERY_LOGGER = logging.getLogger("SQLQueryContextLogger")


class _Silence:
    """Silence of a logger, as long as anybody wants it."""

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger
        self._lock = threading.Lock()
        self._wanted = 0
        self._before = logger.disabled

    def begin(self) -> None:
        with self._lock:
            if self._wanted == 0:
                self._before = self._logger.disabled
            self._wanted += 1
            self._logger.disabled = True

    def end(self) -> None:
        with self._lock:
            self._wanted -= 1
            if self._wanted == 0:
                self._logger.disabled = self._before


_silence = _Silence(_QUERY_LOGGER)


class _Thread(InheritableThread):
    """A thread that keeps what its work raises, and what its own beginning raises, for others."""

    def __init__(
        self, body: Callable[[], None], spark: SparkSession, failures: list[BaseException]
    ) -> None:
        super().__init__(target=body, session=spark)
        self._failures = failures

    def run(self) -> None:
        try:
            super().run()
        except BaseException as failure:  # it is raised again in the caller's thread
            self._failures.append(failure)


@dataclass(frozen=True)
class Done(Generic[Result]):
    """What the work gave, and what it cost."""

    result: Result
    jobs: int
    bytes_read: int
    rows_read: int


def run(
    spark: SparkSession,
    what: str,
    work: Callable[[], Result],
    *,
    left: str,
    too_late: str | None = None,
    give_up: threading.Event | None = None,
) -> Done[Result]:
    """Do the work and wait for it; raises what it raises, Interrupted if the user gave up.

    ``left`` says how things are if the work is interrupted, ``too_late`` if it was done by then.
    Ctrl-C reaches the main thread only; others are told by ``give_up``.
    """
    group = f"rollview-{uuid.uuid4().hex[:12]}"
    results: list[Result] = []
    failures: list[BaseException] = []

    def body() -> None:
        spark.sparkContext.setJobGroup(group, f"rollview: {what}", interruptOnCancel=True)
        results.append(work())

    thread = _Thread(body, spark, failures)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(_WAIT_SECONDS)
            if give_up is not None and give_up.is_set():
                raise KeyboardInterrupt
    except KeyboardInterrupt:
        _stop(spark, group, thread)
        if results and too_late is not None:
            raise Interrupted(f"interrupted, but {too_late}") from None
        raise Interrupted(f"interrupted during: {what}; {left}") from None
    if failures:
        raise failures[0]
    return Done(results[0], *_cost(spark, group))


@contextmanager
def quiet() -> Iterator[None]:
    """Within the block, PySpark does not print the query errors that it raises as well."""
    _silence.begin()
    try:
        yield
    finally:
        _silence.end()


@contextmanager
def evaluation(view: str, java: Process | None) -> Iterator[None]:
    """Within the block, an error of Spark's becomes EvaluationFailed, without a stack trace."""
    with guarded(java, f"compute {view}"):
        try:
            with guarded(java, f"compute {view}"), quiet():
                yield
        except (PySparkException, Py4JJavaError) as failure:
            # To find its cause asks Java again, which may be gone by now: hence the outer guard.
            raise EvaluationFailed(
                f"Spark could not compute the view {view}: {cause(failure)}",
                hint="run the query by itself to see the rows that cause it",
            ) from failure


def cause(failure: PySparkException | Py4JJavaError) -> str:
    """The first line of the innermost error that has a class of Spark's.

    What fails in a task arrives wrapped: the job was aborted, since writing failed, since ...
    """
    lines = [str(failure).strip().split("\n", 1)[0]]
    java: Any = getattr(failure, "_origin", None) or getattr(failure, "java_exception", None)
    while java is not None:
        lines.append(str(java.toString()).strip().split("\n", 1)[0])
        java = java.getCause()
    named = [line for line in lines if _ERROR_CLASS.search(line)]
    text = named[-1] if named else lines[-1]
    return re.sub(r"\s*SQLSTATE: \w+\.?", "", text[text.index("[") if named else 0 :]).strip()


def in_a_line(failure: Exception) -> str:
    """What an error says, in a line."""
    if isinstance(failure, PySparkException | Py4JJavaError):
        return cause(failure)
    return first_line(failure)


def _stop(spark: SparkSession, group: str, thread: threading.Thread) -> None:
    """Cancel again and again: the work may start another job after each."""
    while thread.is_alive():
        with suppress(*_LOST):
            spark.sparkContext.cancelJobGroup(group)
        thread.join(_WAIT_SECONDS)


def _cost(spark: SparkSession, group: str) -> tuple[int, int, int]:
    """Jobs of the group, and bytes and rows that their stages read, by Spark's own bookkeeping.

    The work is done: if Spark is gone by now, that is for whoever needs it next to say.
    """
    try:
        return _asked_cost(spark.sparkContext, group)
    except _LOST:
        return 0, 0, 0


def _asked_cost(context: Any, group: str) -> tuple[int, int, int]:
    jobs = list(context.statusTracker().getJobIdsForGroup(group))
    if not jobs:
        return 0, 0, 0
    scala_context = context._jsc.sc()
    scala_context.listenerBus().waitUntilEmpty()
    store = scala_context.statusStore()
    stages: set[int] = set()
    for job in jobs:
        with suppress(Py4JJavaError):  # Spark forgets old jobs when there are very many
            ids = store.job(job).stageIds()
            stages |= {int(ids.apply(position)) for position in range(ids.size())}
    read = [_read(store, stage) for stage in stages]
    return len(jobs), sum(bytes for bytes, _ in read), sum(rows for _, rows in read)


def _read(store: Any, stage: int) -> tuple[int, int]:
    """Bytes and rows; of a stage that was skipped, which is forgotten before others, nothing."""
    with suppress(Py4JJavaError):
        found = store.lastStageAttempt(stage)
        return int(found.inputBytes()), int(found.inputRecords())
    return 0, 0
