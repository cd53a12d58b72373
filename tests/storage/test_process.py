"""Processes: the living and the dead, and those that have another's number."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from rollview.storage.process import Process, process, this_process

SLEEP = "import time; time.sleep(60)"


def test_this_process_lives() -> None:
    me = this_process()
    assert me.number == os.getpid()
    assert me.lives
    assert not me.is_gone_within(0)


def test_another_process_of_the_same_number_is_another() -> None:
    assert not replace(this_process(), started="another time").lives
    assert not replace(this_process(), started=None).lives


def test_another_host_cannot_be_asked() -> None:
    elsewhere = replace(this_process(), host="elsewhere")
    assert not elsewhere.is_here
    assert not elsewhere.lives


def test_a_dead_process_that_nobody_waited_for_is_dead() -> None:
    child = subprocess.Popen([sys.executable, "-c", SLEEP])
    seen = process(child.pid)
    assert seen.lives
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it stays a zombie
    assert not seen.lives
    assert not process(child.pid).lives
    child.wait()
    assert not seen.lives


def test_a_process_lives_while_one_of_its_threads_does() -> None:
    """The first thread may be gone, and counts as a zombie, while another still works."""
    program = (
        "import ctypes, threading, time\n"
        "threading.Thread(target=time.sleep, args=(60,)).start()\n"
        "print('up', flush=True)\n"
        "ctypes.CDLL(None).pthread_exit(None)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"up\n"
        seen = process(child.pid)
        while state(child.pid) != "Z":
            time.sleep(0.01)
        still_lives = seen.lives
        child.kill()
        child.wait()
    assert still_lives
    assert not seen.lives


def state(number: int) -> str:
    return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]


def test_waiting_for_an_end() -> None:
    with subprocess.Popen([sys.executable, "-c", SLEEP]) as child:
        seen = process(child.pid)
        started = time.monotonic()
        assert not seen.is_gone_within(0.2)
        assert time.monotonic() - started >= 0.2
        child.kill()
        assert seen.is_gone_within(10)


def test_it_is_read_as_it_was_written() -> None:
    assert Process.from_dict(this_process().to_dict()) == this_process()
    assert Process.from_tag(this_process().tag) == this_process()
    assert Process.from_tag(replace(this_process(), host="elsewhere").tag) is None
    with pytest.raises((KeyError, TypeError, ValueError)):
        Process.from_dict({"host": "h", "process": "no number", "started": "1"})
