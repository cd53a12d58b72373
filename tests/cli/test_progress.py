"""Progress goes to stderr: at once on a terminal, after a second elsewhere, never with --json."""

from __future__ import annotations

import io
import logging
import time
from pathlib import Path

import pytest
from rich.console import Console

from rollview.cli import progress
from rollview.cli.main import COMMANDS
from rollview.cli.progress import Activity
from tests.cli.conftest import Rollview
from tests.cli.fake import REVENUE, FakeSession

ESCAPE = "\x1b"
# Each command on the fake session, and what it says it is doing.
SAID = {
    "create": (["create", "v", "SELECT 1"], "creating v"),
    "refresh": (["refresh"], "refreshing all views"),
    "read": (["read", "revenue"], "reading revenue"),
    "explain": (["explain", "revenue"], "planning"),
    "verify": (["verify", "revenue"], "verifying revenue"),
    "status": (["status"], "comparing versions"),
    "history": (["history"], "reading the history"),
    "drop": (["drop", "revenue"], "dropping revenue"),
    "views": (["views"], "reading the definitions"),
    "declare": (["declare", "list"], "reading what is declared"),
    "sql": (["sql", "SELECT 1"], "running"),
}
BENCH = """
import pathlib, sys, time
time.sleep(0.5)
pathlib.Path(sys.argv[sys.argv.index("--json") + 1]).write_text('{"measured": 1}')
print("a table")
"""


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes a tenth of a second is slow."""
    monkeypatch.setattr(progress, "_SLOW", 0.1)


@pytest.mark.usefixtures("impatient")
def test_in_a_pipe_only_what_is_slow_is_mentioned() -> None:
    sink = io.StringIO()
    with Activity(Console(file=sink)) as activity:
        activity.say("quick")
        activity.say("slow")
        time.sleep(0.3)
        activity.say("quick again")
    time.sleep(0.2)
    assert sink.getvalue() == "slow ...\n"


@pytest.mark.usefixtures("impatient")
def test_what_the_library_logs_is_shown() -> None:
    sink = io.StringIO()
    with Activity(Console(file=sink)):
        logging.getLogger("rollview.runtime.jars").info("fetching the jars")
        time.sleep(0.3)
        logging.getLogger("rollview.runtime").warning("recomputed")
    assert sink.getvalue() == "fetching the jars ...\nwarning: recomputed\n"


def test_on_a_terminal_it_counts_and_wipes_itself() -> None:
    sink = io.StringIO()
    with Activity(Console(file=sink, force_terminal=True, width=80)) as activity:
        activity.say("verifying a", done=0, total=2)
        activity.say("verifying b", done=1, total=2)
    assert "verifying b" in sink.getvalue()
    assert "1/2" in sink.getvalue()
    assert sink.getvalue().endswith("\x1b[2K")


def test_a_silent_one_lets_only_warnings_through() -> None:
    sink = io.StringIO()
    with Activity(Console(file=sink, force_terminal=True, width=80)) as activity:
        activity.silent = True
        activity.say("working")
        activity.note("worked")
        logging.getLogger("rollview.runtime").info("fetching the jars")
        logging.getLogger("rollview.runtime").warning("recomputed")
    assert sink.getvalue() == "warning: recomputed\n"


def test_a_command_of_more_than_a_second_shows_progress_on_a_terminal(
    rollview: Rollview, session: FakeSession
) -> None:
    session.delay = 1.2
    outcome = rollview("refresh", "revenue", terminal=True)
    assert outcome.code == 0
    assert "refreshing revenue" in outcome.err
    assert "0:00:01" in outcome.err, "the time goes on"
    assert outcome.err.endswith(f"{ESCAPE}[2K"), "nothing of it stays"
    assert ESCAPE not in outcome.out


def test_in_a_pipe_the_same_command_draws_nothing_and_writes_one_line(
    rollview: Rollview, session: FakeSession
) -> None:
    session.delay = 1.2
    assert rollview("refresh", "revenue").err == "refreshing revenue ...\n"


@pytest.mark.parametrize("terminal", [True, False])
def test_programs_are_not_told(rollview: Rollview, session: FakeSession, terminal: bool) -> None:
    session.delay = 1.2
    outcome = rollview("refresh", "revenue", "--json", terminal=terminal)
    assert outcome.json[0]["view"] == "revenue"
    assert outcome.err == ""


def test_a_quick_command_writes_nothing_in_a_pipe(rollview: Rollview) -> None:
    assert rollview("refresh", "revenue").err == ""


def test_every_command_is_here() -> None:
    """The demo runs in test_real_lake.py."""
    assert {*SAID, "bench", "demo"} == set(COMMANDS)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("command", SAID)
def test_every_command_says_what_it_does(
    rollview: Rollview, session: FakeSession, command: str
) -> None:
    arguments, words = SAID[command]
    session.delay, session.answer = 0.3, REVENUE
    assert words in rollview(*arguments, terminal=True).err
    assert rollview(*arguments).err == f"{words} ...\n"
    assert rollview(*arguments, "--json", terminal=True).err == ""


@pytest.mark.usefixtures("impatient")
def test_a_benchmark_says_that_it_runs(
    rollview: Rollview, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollview.cli.bench._TREE", tmp_path)
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "planning.py").write_text(BENCH)
    assert "running the benchmark plan" in rollview("bench", "plan", terminal=True).err
    outcome = rollview("bench", "plan")
    assert (outcome.out, outcome.err) == ("a table\n", "running the benchmark plan ...\n")
    silent = rollview("bench", "plan", "--json", terminal=True)
    assert (silent.json, silent.err) == ({"measured": 1}, "")
