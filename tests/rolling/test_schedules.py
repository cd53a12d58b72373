"""Random schedules: the delta applied up to every position is the query at that position."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from rollview.rolling.query import AsOf, Correction, Present, Stamp, Window
from tests.properties.seed import SEED
from tests.rolling.run import failures
from tests.rolling.schedules import KINDS, random_schedule, run
from tests.rolling.world import WorldExecutor

SCHEDULES = 200
PARTS = 10
PROOF = 3000


@pytest.mark.parametrize("part", range(PARTS))
def test_law_holds(part: int) -> None:
    _assert_all_hold(range(part, SCHEDULES, PARTS))


@pytest.mark.proof
@pytest.mark.timeout(0)
def test_law_holds_in_every_schedule_that_is_asked_for() -> None:
    _assert_all_hold(range(PROOF))


def _assert_all_hold(numbers: range) -> None:
    for number, name, why in failures(SEED, numbers):
        if why is not None:
            again = f"python -m tests.rolling.run --seed {SEED} --only {number}"
            pytest.fail(f"ROLLVIEW_SEED={SEED}\n{name}: {why}\n{again}", pytrace=False)


def test_every_kind_size_and_algorithm_is_generated() -> None:
    found = Counter(str(random_schedule(SEED, number)) for number in range(900))
    algorithms = ("Propagate", "RollingPropagate")
    assert set(found) == {
        f"{kind}, {name}, {size} relations"
        for kind in KINDS
        for name in algorithms
        for size in (2, 3, 4, 5)
    }


@pytest.fixture
def executors(monkeypatch: pytest.MonkeyPatch) -> list[WorldExecutor]:
    """Those that are made from now on, with the queries that they ran."""
    made: list[WorldExecutor] = []

    class Remembered(WorldExecutor):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            made.append(self)

    monkeypatch.setattr("tests.rolling.schedules.WorldExecutor", Remembered)
    return made


def test_commits_are_made_while_queries_run(executors: list[WorldExecutor]) -> None:
    """Schedules have something to compensate for, and deltas have rows."""
    rows = sum(len(run(random_schedule(7, number)).delta) for number in range(30))
    queries = [query for executor in executors for query in executor.ran]
    entries = [entry for query in queries for entry in query.entries]
    assert rows > 300
    assert any(query.sign < 0 for query in queries if query.stamp is Stamp.MINIMUM)
    assert {type(entry) for entry in entries} == {Present, Window, AsOf, Correction}


def test_versioned_relations_are_never_compensated_for(executors: list[WorldExecutor]) -> None:
    for number in range(1, 60, 3):
        schedule = random_schedule(7, number)
        assert schedule.kind == "versioned"
        run(schedule)
    entries = [entry for one in executors for query in one.ran for entry in query.entries]
    assert {type(entry) for entry in entries} == {Window, AsOf}
    assert all(query.sign > 0 for one in executors for query in one.ran)
