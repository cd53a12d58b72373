"""The many ways in which py4j says that Java is gone, and those that say something else."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Iterator

import pytest
from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.errors import AnalysisException

from rollview.errors import BadQuery, SparkDied
from rollview.runtime import lifeline
from rollview.runtime.lifeline import guarded, while_it_lives
from rollview.storage.process import Process, process, this_process


@pytest.fixture
def dead() -> Iterator[Process]:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as child:
        found = process(child.pid)
        child.kill()
        child.wait()
        yield found


@pytest.mark.parametrize(
    "failure",
    [
        ConnectionRefusedError(111, "Connection refused"),
        ConnectionResetError(104, "Connection reset by peer"),
        Py4JNetworkError("Answer from Java side is empty"),
        Py4JError("An error occurred while calling o42.version"),
        Py4JError("java.lang.Object does not exist in the JVM"),
        TypeError("'JavaPackage' object is not callable"),
        AnalysisException("the context was stopped"),
    ],
)
def test_what_comes_of_a_dead_java_process(dead: Process, failure: Exception) -> None:
    with pytest.raises(SparkDied) as caught, guarded(dead, "refresh v"):
        raise failure
    assert caught.value.message == f"Spark's Java process {dead.number} died during: refresh v"
    assert caught.value.__cause__ is failure


def test_a_lost_connection_is_not_said_to_be_a_death(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifeline, "_LAST_MOMENT", 0.1)
    for java in (None, this_process()):
        with (
            pytest.raises(SparkDied, match=r"the connection to Spark was lost during: refresh v"),
            guarded(java, "refresh v"),
        ):
            raise ConnectionRefusedError(111, "Connection refused")


@pytest.mark.parametrize(
    "failure",
    [
        Py4JError("Method foo([]) does not exist"),
        TypeError("a bug"),
        AnalysisException("no such column"),
    ],
)
def test_what_has_another_cause_is_left(
    failure: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lifeline, "_DOUBT", 0.1)
    with pytest.raises(type(failure)), guarded(this_process(), "refresh v"):
        raise failure


def test_errors_of_ours_are_left(dead: Process) -> None:
    with pytest.raises(BadQuery), guarded(dead, "refresh v"):
        raise BadQuery("no such column")


def test_what_is_freed_in_a_dead_process_is_free(dead: Process) -> None:
    with while_it_lives(dead):
        raise Py4JError("An error occurred while calling o42.unpersist")
    with pytest.raises(TypeError), while_it_lives(this_process()):
        raise TypeError("a bug")


def test_py4j_prints_no_stack_of_its_own() -> None:
    with guarded(None, "refresh v"):
        pass
    root = logging.getLogger()
    for module, is_passed in (("java_gateway", False), ("mine", True)):
        path, text = f"/somewhere/{module}.py", "Exception while sending command."
        record = logging.LogRecord("root", logging.ERROR, path, 1, text, (), None)
        assert bool(root.filter(record)) is is_passed
