"""The Java process that a session lives in: telling that it is gone, and doing without it.

py4j says in a dozen ways that there is nobody at the other end: connections that are refused, reset
or empty, and objects that "do not exist". All of them become one error here.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
from pyspark import SparkContext
from pyspark.sql import SparkSession, SQLContext

from rollview.errors import RollviewError, SparkDied
from rollview.storage.process import Process, process

# The kernel closes the connections of a process a moment before it is dead, and on a busy machine
# that moment is long. Only errors that may mean something else are not given so much time.
_LAST_MOMENT, _DOUBT = 20.0, 2.0


def java_of(spark: SparkSession) -> Process:
    """The Java process of a session; py4j works on one host only."""
    jvm: Any = spark._jvm
    return process(int(jvm.java.lang.ProcessHandle.current().pid()))


@contextmanager
def guarded(java: Process | None, doing: str) -> Iterator[None]:
    """Within the block, whatever comes of the end of the Java process is SparkDied."""
    logging.getLogger().addFilter(_is_not_the_lost_connection)
    try:
        yield
    except RollviewError:
        raise
    except Exception as failure:
        if is_lost(java, failure):
            raise spark_died(java, doing) from failure
        raise


@contextmanager
def while_it_lives(java: Process | None) -> Iterator[None]:
    """Within the block, the end of the Java process is no error: what is freed went with it."""
    try:
        yield
    except Exception as failure:
        if not is_lost(java, failure):
            raise


def is_lost(java: Process | None, failure: Exception) -> bool:
    """Whether a failure comes of the end of the Java process, or of the connection to it."""
    if isinstance(failure, ConnectionError | Py4JNetworkError):
        return True
    if java is None:
        return False
    is_vague = isinstance(failure, Py4JError) and not isinstance(failure, Py4JJavaError)
    return java.is_gone_within(_DOUBT if is_vague else 0)


def spark_died(java: Process | None, doing: str) -> SparkDied:
    """The error for a Java process that is gone."""
    if java is not None and java.is_gone_within(_LAST_MOMENT):
        what = f"Spark's Java process {java.number} died"
    else:
        what = "the connection to Spark was lost"
    return SparkDied(
        f"{what} during: {doing}",
        hint="connect again and refresh: nothing is applied twice, nothing is lost; if the system "
        "killed it for want of memory, give it less or more (ROLLVIEW_DRIVER_MEMORY)",
    )


def forget_dead() -> None:
    """Make PySpark forget a Java process that it started and that is gone, so it starts another.

    By itself it keeps one for the life of the Python process, dead or alive.
    """
    gateway: Any = SparkContext._gateway
    launched = getattr(gateway, "proc", None)
    if launched is None or launched.poll() is None:
        return
    context: Any = SparkContext._active_spark_context
    if context is not None:
        context._jsc = None
        if context._accumulatorServer is not None:
            context._accumulatorServer.shutdown()
            context._accumulatorServer = None
    with suppress(Exception):  # there are sockets to close, and there is nobody to say it to
        launched.stdin.close()
        gateway.shutdown()
    SparkContext._active_spark_context = None
    SparkContext._gateway = None
    SparkContext._jvm = None
    SparkSession._instantiatedSession = None
    SparkSession._activeSession = None
    SQLContext._instantiatedContext = None


def _is_not_the_lost_connection(record: logging.LogRecord) -> bool:
    """py4j writes to the root logger, with its stack, what it raises as well."""
    return record.module != "java_gateway" or "sending command" not in str(record.msg)
