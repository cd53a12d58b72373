"""Constants are found again from what they made; what nothing tells of stays as it was."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

import pytest
from benchmarks.fit_costs import (
    NAMES,
    Equation,
    equations,
    error,
    fit,
    history_files,
    result,
    table,
)

from rollview.planning.cost import DEFAULTS
from rollview.planning.overrides import overrides

START = {name: value for name, value in asdict(DEFAULTS).items() if name in NAMES}
TRUE = {**START, "statement": 0.4, "row": 1e-6, "merge": 0.7}


def made(rng: Random, names: tuple[str, ...]) -> Equation:
    """Work of some kinds, about a second of each, and what it would take."""
    work = {name: rng.uniform(0.1, 2.0) / START[name] for name in names}
    return work, sum(amount * TRUE[name] for name, amount in work.items())


def test_constants_are_found_again() -> None:
    rng = Random(3)
    observed = [made(rng, ("statement", "row", "merge")) for _ in range(60)]
    found = fit(observed, START, ridge=1e-6)
    for name in ("statement", "row", "merge"):
        assert found[name] == pytest.approx(TRUE[name], rel=0.01)
    before, after = error(observed, START), error(observed, found)
    assert before is not None
    assert after is not None
    assert before > 1.2
    assert after == pytest.approx(1.0, abs=0.01)


def test_what_nothing_tells_of_stays() -> None:
    rng = Random(4)
    found = fit([made(rng, ("statement",)) for _ in range(9)], START, ridge=0.05)
    assert {n: found[n] for n in NAMES if n != "statement"} == {
        n: START[n] for n in NAMES if n != "statement"
    }
    assert found["statement"] == pytest.approx(TRUE["statement"], rel=0.1)


def test_no_constant_becomes_negative() -> None:
    # More work that takes less time: the best line would fall.
    observed: list[Equation] = [({"statement": 1.0, "held": n * 1e6}, 9.0 / n) for n in (1, 3, 9)]
    found = fit(observed, START, ridge=1e-6)
    assert min(found.values()) >= 0


def test_without_equations_nothing_changes() -> None:
    assert fit([], START, ridge=0.05) == START
    assert error([], START) is None


def report(**more: Any) -> dict[str, Any]:
    piece = {"piece": "changes", "work": {"change": 1.0}, "model": 0.2, "took": 0.5, "first": False}
    return {"seconds": {"total": 1.0}, "costs": {"pieces": [piece | more.pop("piece", {})]}, **more}


def test_only_pieces_that_tell_something_count() -> None:
    assert equations([report()]) == [({"change": 1.0}, 0.5)]
    assert equations([report(piece={"first": True})]) == []
    assert equations([report(piece={"work": {}})]) == []
    assert equations([report(costs=None), {"mode": "noop"}]) == []
    # Refreshed side by side with others.
    assert equations([report(seconds={"total": 1.0, "share": 0.4})]) == []
    assert len(equations([report(seconds={"total": 1.0, "share": 0.95})])) == 1


def test_history_files_of_a_lake_are_found(tmp_path: Path) -> None:
    history = tmp_path / "default.db" / "_rollview" / "history" / "view"
    history.mkdir(parents=True)
    (history / "1.json").write_text(json.dumps(report()))
    (history.parents[1] / "format.json").write_text("{}")
    assert list(history_files([tmp_path])) == [history / "1.json"]


def test_what_is_printed_can_be_set() -> None:
    found = result([made(Random(5), ("statement", "merge")) for _ in range(5)], 0.05)
    in_force = overrides(found["settings"]).constants
    assert in_force.merge == pytest.approx(found["fitted"]["merge"], rel=0.001)
    assert "5 pieces" in table(found)
