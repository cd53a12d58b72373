"""docs/correctness.md has every number that is asked for, and they reach what was aimed at."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import DOCS
from tests.roundtrip.long_runs import RUNS, LongRun

TEXT = (DOCS / "correctness.md").read_text("utf-8")
QUERIES = {"tpch": 22, "tpcds": 99}
# Without `full`, and of these incremental.
AIMS = {"tpch": (22, 20), "tpcds": (95, 80)}
OUTCOMES = {
    "properties": r"(\d+) cases, 0 failed",
    "on_delta": r"(\d+) views, 0 wrong",
    "kills": r"python +(\d+) +\1 .*\njava +(\d+) +\2 .*\nboth +(\d+) +\3 ",
    "refreshes": r"-(\d+) .*\n0 refreshes of a view recomputed it as a whole\nright$",
}
LEAST = {"properties": 10_000, "on_delta": 200, "kills": 50, "refreshes": 200}


def rows(group: str) -> list[list[str]]:
    """The cells of the table of queries."""
    lines = [line for line in TEXT.splitlines() if line.startswith(f"| {group}.q")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


@pytest.mark.parametrize("group", QUERIES)
def test_every_query_has_its_row_with_a_mode_and_a_reason(group: str) -> None:
    found = rows(group)
    assert [row[0] for row in found] == [f"{group}.q{n:02}" for n in range(1, QUERIES[group] + 1)]
    for name, mode, why, *_ in found:
        assert mode in ("incremental", "partial", "full"), name
        assert bool(why) == (mode != "incremental"), name


@pytest.mark.parametrize("group", QUERIES)
def test_the_modes_reach_what_was_aimed_at(group: str) -> None:
    modes = [row[1] for row in rows(group)]
    without_full, incremental = AIMS[group]
    assert len(modes) - modes.count("full") >= without_full
    assert modes.count("incremental") >= incremental


@pytest.mark.parametrize("group", QUERIES)
def test_every_query_was_refreshed_three_times_at_least(group: str) -> None:
    for name, _, _, _, observed, sizes in rows(group):
        rounds = sum(int(count) for count in re.findall(r"(\d+) (?:incremental|partial)", observed))
        assert rounds >= 3, name
        assert not re.search(r"full|failed", observed), name
        assert len(sizes.split(",")) == rounds, name


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_every_long_run_was_run_to_its_end_and_is_right(run: LongRun) -> None:
    _, title, rest = TEXT.partition(f"\n{run.title}: `")
    told = r"[^\n]*`\. right, [\d.]+ minutes, [^\n]+\n\n```text\n(.*?)\n```\n"
    said = re.match(told, rest, re.DOTALL)
    assert title
    assert said is not None, rest.partition("\n")[0]
    found = re.search(OUTCOMES[run.name], said[1])
    assert found is not None, said[1]
    assert sum(map(int, found.groups())) >= LEAST[run.name]


def test_nothing_failed_and_nothing_is_missing() -> None:
    assert "## Failures\n\nNone.\n" in TEXT
    assert "Not run yet" not in TEXT
    assert "WRONG" not in TEXT
    table = TEXT.partition("| queries | hold | fail | left out | not run yet |")[2]
    lines = table.splitlines()[2:6]
    assert len(lines) == 4
    for line in lines:
        assert re.search(r"\| (\d+) \| 0 \| \d+ \| 0 \|$", line), line


def test_the_commands_that_reproduce_it_are_named() -> None:
    assert "`make proof`" in TEXT
    for run in RUNS:
        assert f"`python -m {' '.join(run.command)}`" in TEXT
    assert re.search(r"What was proved: (commit [0-9a-f]{7,}.*, )?`src/` [0-9a-f]{16}\.", TEXT)
