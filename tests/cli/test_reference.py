"""docs/cli.md says what --help says, and --help has what every command must have."""

from __future__ import annotations

import io
import re
import runpy
import shlex
from pathlib import Path

import pytest

from rollview.cli.main import COMMANDS, INTERRUPTED
from tests.cli.conftest import Rollview

DOCS = Path(__file__).parents[2] / "docs"
_EXAMPLES = re.compile(r"^  Examples:\n((?:    .+\n)+)", re.MULTILINE)
_LAKELESS = ("demo", "bench")


def examples(rollview: Rollview, *words: str) -> list[str]:
    """The lines that --help gives as examples; none if the heading is missing."""
    outcome = rollview(*words, "--help", lake=False)
    assert (outcome.code, outcome.err) == (0, "")
    return [line.strip() for found in _EXAMPLES.findall(outcome.out) for line in found.splitlines()]


def test_reference_is_current() -> None:
    generator = runpy.run_path(str(DOCS / "generate_cli.py"))
    assert (DOCS / "cli.md").read_text() == generator["page"](), "run make docs"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples_of_the_command(rollview: Rollview, command: str) -> None:
    given = examples(rollview, command)
    assert given
    assert all(f" {command}" in line and "rollview" in line for line in given)


def test_help_of_the_program_has_examples(rollview: Rollview) -> None:
    assert examples(rollview)


def test_help_of_the_program_has_every_exit_code(rollview: Rollview) -> None:
    text = " ".join(rollview("--help", lake=False).out.split())
    codes = text.partition("Exit codes: ")[2].partition(".")[0]
    assert re.findall(r"\d+", codes) == ["0", "1", "2", "3", str(INTERRUPTED)]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_speaks_json(rollview: Rollview, command: str) -> None:
    assert "  --json " in rollview(command, "--help", lake=False).out


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in _LAKELESS])
def test_examples_are_right_usage(
    rollview: Rollview, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lake").mkdir()
    Path("revenue.sql").write_text("SELECT 1")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"SELECT 1")))
    for line in examples(rollview, command):
        # Of a chain of commands, those that are ours.
        for part in re.split(r" \|\|? ", line):
            program, *arguments = shlex.split(part)
            if program == "rollview":
                outcome = rollview(*arguments, lake=False)
                assert outcome.code == 0, f"{part}\n{outcome.err}"
