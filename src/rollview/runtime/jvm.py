"""Launch Spark's Java process with its output kept away from the user, in a log file."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from py4j.java_gateway import JavaGateway
from pyspark import SparkConf
from pyspark.errors import PySparkRuntimeError
from pyspark.java_gateway import launch_gateway

_KEPT_LOGS = 10

# A SPARK_HOME of another Spark would not fit this PySpark and our jars; submit arguments of
# another program would override our settings.
_FOREIGN = ("SPARK_HOME", "PYSPARK_SUBMIT_ARGS")


class LaunchFailed(Exception):
    """The Java process ended before it was ready; ``output`` is what it had said."""

    def __init__(self, output: str, log: Path) -> None:
        super().__init__(output)
        self.output = output
        self.log = log


def cache_folder() -> Path:
    """Where rollview keeps what it can fetch or make again: jars and logs."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "rollview"


def launch(settings: Mapping[str, str]) -> JavaGateway:
    """Start a Java process for PySpark under the settings; all its output goes to a log file."""
    log = _new_log()
    conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    with _own_environment(), log.open("wb") as sink:
        try:
            gateway: JavaGateway = launch_gateway(  # type: ignore[no-untyped-call]
                conf, {"stdout": sink, "stderr": sink}
            )
        except PySparkRuntimeError as error:
            raise LaunchFailed(log.read_text(errors="replace"), log) from error
    return gateway


def shut_down(gateway: JavaGateway) -> None:
    """End the Java process and wait until it is gone."""
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait(timeout=60)


def _new_log() -> Path:
    folder = cache_folder() / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    for old in sorted(folder.glob("spark-*.log"))[:-_KEPT_LOGS]:
        old.unlink(missing_ok=True)
    return folder / f"spark-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log"


@contextmanager
def _own_environment() -> Iterator[None]:
    saved = {name: os.environ.pop(name) for name in _FOREIGN if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(saved)
