"""Run the command line in this process, against a fake session."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest
from rich.console import Console

from rollview.cli.main import run
from rollview.cli.options import State
from rollview.cli.progress import Activity
from tests.cli.fake import FakeSession


@dataclass(frozen=True)
class Outcome:
    """What one run of the program left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on stdout; NaN and its like are no JSON, whatever Python says."""
        return json.loads(self.out, parse_constant=no_json)


def no_json(constant: str) -> None:
    """Fail for what `json.loads` would take for a number."""
    pytest.fail(f"{constant} is not JSON")


Rollview = Callable[..., Outcome]


@pytest.fixture
def session() -> FakeSession:
    """The session that the program will open."""
    return FakeSession()


@pytest.fixture
def rollview(
    session: FakeSession,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Rollview:
    """Run `rollview --lake <tmp_path> ...` and return its outcome."""
    monkeypatch.delenv("ROLLVIEW_LAKE", raising=False)

    def call(*arguments: str, lake: bool = True, terminal: bool = False) -> Outcome:
        console = Console(stderr=True, force_terminal=terminal, width=80)
        state = State(connect=cast(Any, session.connect), activity=Activity(console))
        code = run(["--lake", str(tmp_path), *arguments] if lake else arguments, state)
        out, err = capsys.readouterr()
        return Outcome(code, out, err)

    return call
