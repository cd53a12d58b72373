"""Progress goes to stderr: at once on a terminal, after a second elsewhere."""

from __future__ import annotations

import io
import logging
import time

import pytest
from rich.console import Console

from rollview.cli import progress
from rollview.cli.progress import Activity


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_SLOW", 0.05)


def test_in_a_pipe_only_what_is_slow_is_mentioned() -> None:
    sink = io.StringIO()
    with Activity(Console(file=sink)) as activity:
        activity.say("quick")
        activity.say("slow")
        time.sleep(0.3)
        activity.say("quick again")
    time.sleep(0.1)
    assert sink.getvalue() == "slow ...\n"


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
