"""The commands on a real lake, as a user would type them."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import ROOT, blocks

pytestmark = pytest.mark.spark

README = ROOT / "README.md"
SUGGESTED = [
    "rollview --lake demo-lake read top_customers",
    "rollview --lake demo-lake sql \"UPDATE orders SET status = 'shipped' WHERE order_id < 1000\"",
    "rollview --lake demo-lake status",
    "rollview --lake demo-lake refresh",
    "rollview --lake demo-lake verify",
    "rollview --lake demo-lake explain revenue",
    "rollview --lake demo-lake create by_country "
    '"SELECT country, count(*) AS customers FROM customers GROUP BY country"',
]

# One process for a list of commands, because each start of Java takes seconds.
DRIVER = """
import contextlib, io, json, sys
from rollview.cli.main import run
from rollview.cli.options import State
outcomes = []
sys.argv[0] = "rollview"
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
    return [(code, json.loads(out)) for code, out in typed(folder, *lines)]


def typed(folder: Path, *lines: list[str]) -> list[tuple[int, str]]:
    """Run the command lines as they are and return exit codes and what they print."""
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
    return [(code, out) for code, out in json.loads(outcome.stdout)]


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


def test_another_schema(folder: Path) -> None:
    outcomes = rollview(
        folder,
        ["sql", "CREATE TABLE t AS SELECT 1 AS a"],
        ["sql", "CREATE SCHEMA shop"],
        ["create", "v", "SELECT a FROM t", "--schema", "shop"],
        ["views", "--schema", "shop"],
        ["views"],
        ["sql", "SELECT * FROM shop.v", "--schema", "shop"],
        ["drop", "v", "--schema", "shop", "--if-exists"],
        ["drop", "v", "--schema", "shop", "--if-exists"],
        ["views", "--schema", "no_such_schema"],
    )
    assert [code for code, _ in outcomes] == [0, 0, 0, 0, 0, 0, 0, 0, 1]
    documents = [document for _, document in outcomes]
    assert [view["name"] for view in documents[3]] == ["v"]
    assert documents[4] == []
    assert documents[5]["rows"] == [[1]]
    assert documents[6:8] == [{"dropped": "v"}, {"dropped": None}]


def test_values_that_python_or_json_has_not(folder: Path) -> None:
    query = "SELECT interval '1' month AS m, array(make_interval(1)) AS a, double('nan') AS d"
    [(code, document)] = rollview(folder, ["sql", query])
    assert code == 0
    assert document["rows"] == [["INTERVAL '1' MONTH", "[1 years]", "NaN"]]
    types = [column["type"] for column in document["columns"]]
    assert types == ["interval month", "array<interval>", "double"]


def test_demo(tmp_path: Path) -> None:
    """It prints what the README shows, goes on where it ended, and suggests what works."""
    demo = ["demo", "--lake", "demo-lake", "--rounds"]
    steps = [shlex.split(step) for step in SUGGESTED]
    outcomes = typed(tmp_path, [*demo, "1"], [*demo, "2", "--json"], *[s[1:] for s in steps])
    assert [code for code, _ in outcomes] == [0] * 9, outcomes
    text = outcomes[0][1]
    table, _, ending = text.partition("The lake stays in demo-lake. Try next:\n")
    head, _, *rows = [re.split(r"  +", line.strip()) for line in table.splitlines()]
    assert head[-3:] == ["refresh", "recomputation", "correct"]
    assert (rows[0][0], [row[-1] for row in rows]) == ("1 new orders", ["yes"] * 5)
    assert [line.strip() for line in ending.splitlines() if line] == SUGGESTED
    lines = json.loads(outcomes[1][1])["lines"]
    batches = [line["batch"] for line in lines if line["correct"]]
    assert batches == ["2 shipments, new prices"] * 5 + ["3 cancelled orders"] * 5
    printed = [*text.splitlines(), *[as_text(line) for line in lines]]
    assert shown_in_readme() <= {bare(line) for line in printed}
    assert_suggestions_show({s[3]: out for s, (_, out) in zip(steps, outcomes[2:], strict=True)})


def assert_suggestions_show(shown: dict[str, str]) -> None:
    """The steps that follow the demo: the update makes views stale, the refresh fresh again."""
    assert shown["read"].endswith("10 rows\n")
    assert re.search(r"^open_orders +stale .*orders \d+ -> \d+", shown["status"], re.MULTILINE)
    assert re.search(r"^open_orders +incremental ", shown["refresh"], re.MULTILINE)
    assert len(re.findall(r"^\w+ +yes ", shown["verify"], re.MULTILINE)) == 5
    assert "orders" in shown["explain"]
    assert shown["create"].startswith("created by_country (country")


def shown_in_readme() -> set[str]:
    """The lines that the README shows as the output of `make demo`."""
    [block] = [block for block in blocks(README) if "$ make demo" in block.text]
    shown = block.text.partition("$ make demo\n")[2].partition("$ make test")[0].splitlines()
    assert len(shown) > 8
    return {bare(line) for line in shown if line != "..."}


def as_text(line: dict[str, Any]) -> str:
    """A line of the JSON document as the first line of its batch in the table."""
    numbers = f"{line['rows']:,} {line['changes']:,}"
    return f"{line['batch']} {line['view']} {numbers} {line['mode']} 0.00 s 0.00 s yes"


def bare(line: str) -> str:
    """A line of a table without what differs from run to run: seconds and widths."""
    return re.sub(r"[\s─]+", " ", re.sub(r"\d+\.\d\d s", "0.00 s", line)).rstrip()


def test_demo_leaves_the_data_of_others_alone(folder: Path) -> None:
    (folder / "lake" / "precious.csv").touch()
    [(code, document)] = rollview(folder, ["demo"])
    assert code == 1
    assert document["error"]["message"] == "lake is not empty and was not made by the demo"
