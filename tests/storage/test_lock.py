"""Locks: one holder at a time, and a holder that can be named."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rollview.errors import LakeBusy
from rollview.storage.lock import held


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
