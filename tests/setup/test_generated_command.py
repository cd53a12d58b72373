"""The command for generated cases: as many as are asked for, or without end; what it prints."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

import pytest

from rollview.algebra.relations import Aggregate, Scan
from rollview.algebra.traverse import walk
from rollview.maintenance.choice import ANY, Choice
from tests.conftest import pytest_report_header
from tests.properties import run
from tests.properties.bags import Violation
from tests.properties.cases import Case
from tests.properties.seed import SEED

Command = Callable[..., tuple[int, str]]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    def called(*words: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["run", *words])
        return run.main(), capsys.readouterr().out

    return called


def aggregates_fail(case: Case, _: object, *, split: bool = True, way: Choice = ANY) -> None:
    """A made-up fault: every view with an aggregate is wrong."""
    if any(isinstance(node, Aggregate) for node in walk(case.relation)):
        raise Violation("law 1: the view", "made up")


def test_so_many_cases_as_are_asked_for(command: Command) -> None:
    code, said = command("--cases", "3", "--seed", "5")
    assert code == 0
    assert said.startswith("seed 5\n")
    assert re.search(r"^3 cases, 0 failed, \d+ s$", said, re.MULTILINE)


def test_without_end_until_a_case_fails_which_is_printed_small(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = next(n for n in range(1000) if has_aggregate(run.numbered_case(5, n)))
    monkeypatch.setattr(run, "check", aggregates_fail)
    code, said = command("--endless", "--cases", "0", "--seed", "5")
    assert code == 1
    assert re.search(rf"seed 5, case {first}, [\w ,]+: law 1", said)
    assert f"python -m tests.properties.run --seed 5 --only {first}" in said
    assert f"{first + 1} cases, 1 failed" in said
    (printed,) = [line for line in said.splitlines() if line.startswith("check(Case(")]
    compile(printed, "case", "eval")
    assert printed.count("Scan(") == 1
    assert re.findall(r"\b(Aggregate|Join|Window|Union|Filter|Project)\(", printed) == ["Aggregate"]


def has_aggregate(case: Case) -> bool:
    kinds = {type(node) for node in walk(case.relation)}
    return Aggregate in kinds and Scan in kinds


def test_it_goes_on_if_that_is_asked_for(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "check", aggregates_fail)
    monkeypatch.setattr(run, "shrink", lambda case, _: case)
    code, said = command("--cases", "30", "--seed", "5", "--keep-going")
    failed = sum(any(isinstance(n, Aggregate) for n in walk(c.relation)) for c in cases(5, 30))
    assert failed > 1
    assert (code, f"30 cases, {failed} failed" in said) == (1, True)


def cases(seed: int, many: int) -> list[Case]:
    return [run.numbered_case(seed, number) for number in range(many)]


def test_one_case_again(command: Command) -> None:
    code, said = command("--seed", "5", "--only", "17")
    assert (code, "1 cases, 0 failed" in said) == (0, True)


def test_the_seed_of_a_test_run_is_printed() -> None:
    assert pytest_report_header() == f"ROLLVIEW_SEED={SEED}"
