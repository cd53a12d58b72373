"""The contracts between the rooms hold, and each one fails when it is broken on purpose."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

BROKEN = [
    ("algebra/schema.py", "import rollview.runtime.report", "Imports go down"),
    ("sql/__init__.py", "import rollview.frontend.statements", "Imports go down"),
    ("runtime/report.py", "import rollview.cli.output", "Imports go down"),
    ("analysis/__init__.py", "import pyspark", "needs no Spark"),
    ("rolling/query.py", "import pyspark", "needs no Spark"),
    ("maintenance/signed.py", "import rollview.rolling.query", "Imports go down"),
    ("maintenance/counting/join.py", "from . import aggregate", "never import each other"),
]


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    # The copy comes first on the path; an installed package would shadow it otherwise.
    environment = {**os.environ, "PYTHONPATH": str(folder / "src")}
    program = "from importlinter.cli import lint_imports_command as run; run()"
    return subprocess.run(
        [sys.executable, "-c", program, "--no-cache", "--no-logo"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("*.egg-info"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_contracts_hold(copy: Path) -> None:
    outcome = lint(copy)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


@pytest.mark.parametrize(("file", "line", "contract"), BROKEN)
def test_broken_contract_is_found(copy: Path, file: str, line: str, contract: str) -> None:
    room = copy / "src" / "rollview" / file
    room.parent.mkdir(parents=True, exist_ok=True)
    for name in ("__init__.py", "aggregate.py", "join.py"):
        if "counting" in file:
            (room.parent / name).touch()
    with room.open("a") as text:
        text.write(f"\n{line}\n")
    outcome = lint(copy)
    assert outcome.returncode == 1
    broken = [text for text in outcome.stdout.splitlines() if "BROKEN" in text]
    assert any(contract in text for text in broken), outcome.stdout + outcome.stderr
