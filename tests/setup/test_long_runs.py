"""The long runs of the proof are as long as is asked for, and their commands can be called."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

from tests.properties import test_laws, test_on_delta
from tests.roundtrip import proof
from tests.roundtrip.long_runs import RUNS, LongRun
from tests.roundtrip.proved import ROOT

LENGTHS = {
    "properties": ("tests.properties.run", "--cases", 10_000),
    "on_delta": ("tests.properties.on_delta", "--views", 200),
    "kills": ("tests.soak.kills", "--kills", 50),
    "refreshes": ("tests.soak.refreshes", "--refreshes", 200),
}


def test_every_run_is_as_long_as_is_asked_for() -> None:
    for run in RUNS:
        module, option, length = LENGTHS[run.name]
        assert run.command[:2] == (module, option)
        assert int(run.command[2]) >= length
    assert {run.name for run in RUNS} == set(LENGTHS)
    assert proof.ROUNDS >= 3


def test_an_ordinary_run_takes_its_part() -> None:
    assert (test_laws.CASES, test_laws.PROOF) == (1000, 10_000)
    assert test_on_delta.VIEWS == 40


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_the_commands_know_their_options(run: LongRun) -> None:
    """Without Spark: only the command line is read."""
    assert importlib.util.find_spec(run.command[0]) is not None
    done = subprocess.run(
        [sys.executable, "-m", run.command[0], "--help"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert run.command[1] in done.stdout
    assert "--seed" in done.stdout
