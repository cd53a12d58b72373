"""The scripts under examples/ run as they are, in any folder, and print what they promise."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
# For each script, lines that it prints.
PRINTED = {
    "revenue.py": [
        "DE: 10 from 1 orders",
        "FR: 25 from 2 orders",
        "DE: 17 from 2 orders",
        "FR: 20 from 1 orders",
    ],
    "view_on_view.py": [
        "per_day is stale",
        "per_month is stale",
        "per_day: 59 rows, correct",
        "per_month: 3 rows, correct",
        "month 1: 1450 on 30 days",
    ],
    "dataframe_view.py": [
        "refreshed: incremental",
        "attic: 2 readings, 23.0 degrees",
        "cellar: 1 readings, 23.0 degrees",
    ],
}


@pytest.mark.spark
@pytest.mark.parametrize("name", PRINTED)
def test_example_runs(name: str, tmp_path: Path) -> None:
    outcome = subprocess.run(
        [sys.executable, str(EXAMPLES / name)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert outcome.returncode == 0, outcome.stderr
    lines = outcome.stdout.splitlines()
    assert [line for line in PRINTED[name] if line not in lines] == [], outcome.stdout


def test_every_example_is_run() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(PRINTED)
