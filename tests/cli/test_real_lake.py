"""The commands on a real lake, as a user would type them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.spark

# One process for a list of commands, because each start of Java takes seconds.
DRIVER = """
import contextlib, io, json, sys
from rollview.cli.main import run
from rollview.cli.options import State
outcomes = []
for arguments in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = run(arguments, State())
    outcomes.append([code, out.getvalue()])
print(json.dumps(outcomes))
"""


def rollview(folder: Path, *commands: list[str]) -> list[tuple[int, Any]]:
    """Run the commands with --json and return exit codes and documents."""
    lines = [["--lake", "lake", *command, "--json"] for command in commands]
    outcome = subprocess.run(
        [sys.executable, "-c", DRIVER],
        input=json.dumps(lines),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=550,
    )
    assert outcome.returncode == 0, outcome.stderr
    return [(code, json.loads(out)) for code, out in json.loads(outcome.stdout)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lake").mkdir()
    return tmp_path


def test_a_view_from_creation_to_removal(folder: Path) -> None:
    query = "SELECT k, sum(v) AS total FROM t GROUP BY k"
    first = rollview(
        folder,
        ["sql", "CREATE TABLE t AS SELECT id % 3 AS k, id AS v FROM range(10)"],
        ["create", "totals", query],
        ["create", "totals", query],
        ["status", "--check"],
        ["sql", "INSERT INTO t VALUES (7, 100)"],
        ["status", "--check"],
    )
    assert [code for code, _ in first] == [0, 0, 1, 0, 0, 3]
    assert first[2][1]["error"]["code"] == "VIEW.EXISTS"
    # Another process sees the same tables and views.
    second = rollview(
        folder,
        ["views"],
        ["refresh"],
        ["refresh", "totals"],
        ["sql", "SELECT * FROM totals ORDER BY k"],
        ["read", "totals", "--limit", "2"],
        ["verify"],
        ["explain", "totals"],
        ["history"],
        ["drop", "totals"],
        ["read", "totals"],
        ["views"],
    )
    assert [code for code, _ in second] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0]
    documents = [document for _, document in second]
    assert [view["name"] for view in documents[0]] == ["totals"]
    assert documents[2][0]["mode"] == "noop"
    assert documents[3]["rows"] == [[0, 18], [1, 12], [2, 15], [7, 100]]
    assert (len(documents[4]["rows"]), documents[4]["more"]) == (2, True)
    assert documents[5][0]["correct"] is True
    assert "mode" in documents[6]
    assert {report["view"] for report in documents[7]} == {"totals"}
    assert documents[9]["error"]["code"] == "VIEW.UNKNOWN"
    assert documents[10] == []


def test_sql_statements(folder: Path) -> None:
    outcomes = rollview(
        folder,
        ["sql", "CREATE TABLE t AS SELECT 1 AS a"],
        ["sql", "CREATE MATERIALIZED VIEW v REFRESH POLICY FULL AS SELECT a FROM t"],
        ["sql", "EXPLAIN CREATE MATERIALIZED VIEW w AS SELECT a FROM t"],
        ["sql", "REFRESH MATERIALIZED VIEW v FULL"],
        ["sql", "SHOW MATERIALIZED VIEWS"],
        ["sql", "DESCRIBE MATERIALIZED VIEW v"],
        ["sql", "DROP MATERIALIZED VIEW v"],
        ["sql", "DROP MATERIALIZED VIEW IF EXISTS v"],
        ["sql", "CREATE MATERIALIZED VIEW v"],
        ["sql", "SELEC 1"],
    )
    assert [code for code, _ in outcomes] == [0, 0, 0, 0, 0, 0, 0, 0, 1, 1]
    assert outcomes[8][1]["error"]["code"] == "QUERY.STATEMENT"
    assert outcomes[9][1]["error"]["code"] == "QUERY.INVALID"


def test_demo_twice(folder: Path) -> None:
    (folder / "lake").rmdir()
    outcomes = rollview(folder, ["demo", "--rounds", "1"], ["demo", "--rounds", "2"])
    assert [code for code, _ in outcomes] == [0, 0]
    lines = [line for _, document in outcomes for line in document["lines"]]
    assert len(lines) == 15
    assert all(line["correct"] for line in lines)
    batches = list(dict.fromkeys(line["batch"] for line in lines))
    assert batches == ["1 new orders", "2 shipments, new prices", "3 cancelled orders"]


def test_demo_leaves_the_data_of_others_alone(folder: Path) -> None:
    (folder / "lake" / "precious.csv").touch()
    [(code, document)] = rollview(folder, ["demo"])
    assert code == 1
    assert document["error"]["message"] == "lake is not empty and was not made by the demo"
