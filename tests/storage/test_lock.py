"""Locks: one holder at a time, and a holder that can be named."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from rollview.errors import LakeBusy, RollviewError, SparkDied
from rollview.storage.lock import held
from rollview.storage.process import Process, process


def test_a_second_holder_is_told_who_holds_it(tmp_path: Path) -> None:
    path = f"{tmp_path}/locks/lake"
    with (
        held(path, "refresh revenue", 1),
        pytest.raises(LakeBusy) as caught,
        held(path, "drop revenue", 0.1),
    ):
        pass
    assert f"process {os.getpid()} (refresh revenue" in str(caught.value)
    assert "cannot drop revenue: after 0.1 s" in str(caught.value)


def test_a_released_lock_can_be_had(tmp_path: Path) -> None:
    for _ in range(2):
        with held(f"{tmp_path}/lock", "work", 0):
            pass


def test_a_dead_process_holds_nothing(tmp_path: Path) -> None:
    path = f"{tmp_path}/lock"
    program = (
        "import os, signal\nfrom rollview.storage.lock import held\n"
        f"with held({path!r}, 'work', 1): os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], check=False)
    assert done.returncode == -9
    with held(path, "work", 0):
        pass


@pytest.fixture
def java() -> Iterator[subprocess.Popen[bytes]]:
    """A process that works for the holder of a lock, and may outlive it."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as child:
        yield child
        child.kill()


def killed_while_holding(path: str, java: Process) -> int:
    """The number of a process that was killed while it held the lock, with that Java process."""
    program = (
        "import os, signal\nfrom rollview.storage.lock import held\n"
        "from rollview.storage.process import process\n"
        f"with held({path!r}, 'refresh revenue', 1, process({java.number})):\n"
        "    print(os.getpid(), flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert done.returncode == -9
    return int(done.stdout)


def test_the_java_process_of_the_dead_is_waited_for(
    tmp_path: Path, java: subprocess.Popen[bytes]
) -> None:
    path = f"{tmp_path}/lock"
    dead = killed_while_holding(path, process(java.pid))
    with pytest.raises(LakeBusy) as caught, held(path, "drop revenue", 0.2):
        pass
    assert f"the Java process {java.pid} of process {dead}, which is dead" in str(caught.value)
    assert "(refresh revenue" in str(caught.value)
    threading.Timer(0.5, java.kill).start()
    with held(path, "drop revenue", 30) as after_a_crash:
        assert after_a_crash
    assert java.poll() is not None
    with held(path, "drop revenue", 0) as after_a_crash:
        assert not after_a_crash


def test_one_java_process_excludes_itself(tmp_path: Path, java: subprocess.Popen[bytes]) -> None:
    path = f"{tmp_path}/lock"
    killed_while_holding(path, process(java.pid))
    with held(path, "refresh", 0, process(java.pid)) as after_a_crash:
        assert after_a_crash


def test_who_loses_spark_may_leave_it_at_work(
    tmp_path: Path, java: subprocess.Popen[bytes]
) -> None:
    path = f"{tmp_path}/lock"
    with pytest.raises(SparkDied), held(path, "refresh", 0, process(java.pid)):
        raise SparkDied("the connection to Spark was lost")
    with pytest.raises(LakeBusy, match=f"the Java process {java.pid}"), held(path, "drop", 0.1):
        pass
    java.kill()
    java.wait()
    with held(path, "refresh", 0) as after_a_crash:
        assert after_a_crash


def test_spark_that_dies_after_its_work_is_done_may_have_left_something(
    tmp_path: Path, java: subprocess.Popen[bytes]
) -> None:
    path = f"{tmp_path}/lock"
    with held(path, "refresh", 0, process(java.pid)):
        java.kill()
        java.wait()
    with held(path, "refresh", 0) as after_a_crash:
        assert after_a_crash
    with held(path, "refresh", 0) as after_a_crash:
        assert not after_a_crash


def test_an_ordinary_error_is_no_crash(tmp_path: Path, java: subprocess.Popen[bytes]) -> None:
    path = f"{tmp_path}/lock"
    with pytest.raises(RollviewError), held(path, "refresh", 0, process(java.pid)):
        raise RollviewError("no such table")
    with held(path, "refresh", 0) as after_a_crash:
        assert not after_a_crash


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"process": 1}', '{"purpose": 3, "java": 4}'])
def test_a_record_that_cannot_be_read_is_that_of_a_crash(tmp_path: Path, text: str) -> None:
    (tmp_path / "lock").write_text(text)
    with held(f"{tmp_path}/lock", "refresh", 0) as after_a_crash:
        assert after_a_crash
