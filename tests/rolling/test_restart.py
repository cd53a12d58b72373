"""A process that stops anywhere in a step: started again, it loses and doubles nothing.

What survives are the rows that were kept, and control state and unit-of-work table as texts.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from rollview.errors import Conflict
from rollview.rolling.control import Control
from rollview.rolling.query import Query
from rollview.rolling.source import Outcome
from rollview.rolling.steps import step
from tests.properties.seed import SEED
from tests.rolling.interpreter import Row
from tests.rolling.journal import MemoryJournal
from tests.rolling.schedules import STEPS, Schedule, check, random_schedule
from tests.rolling.world import WorldExecutor


class Stopped(Exception):
    """The process is gone."""


class StoppingExecutor(WorldExecutor):
    """Stops before or after the query is run."""

    stop = ""

    def execute(self, query: Query) -> Outcome[list[Row]]:
        if self.stop == "before the query":
            raise Stopped
        outcome = super().execute(query)
        if self.stop == "after the query":
            raise Stopped
        return outcome


class StoppingJournal(MemoryJournal):
    """Stops after rows and control state were kept: who asked does not know."""

    stop = ""

    def commit(self, expected: int, control: Control, rows: list[Row] | None) -> None:
        super().commit(expected, control, rows)
        if self.stop == "after the commit":
            raise Stopped


PLACES = ("before the query", "after the query", "after the commit")


def rolled_with_stops(schedule: Schedule, stops: set[int], place: str) -> int:
    """Roll to the end, stopping in these steps; how often it stopped."""
    algorithm, world, stopped = schedule.algorithm, schedule.world, 0
    journal = StoppingJournal(algorithm.begin(0))
    for number in range(STEPS):
        # Nothing is carried from step to step but texts, and the world outside.
        world.restart()
        executor = StoppingExecutor(world, schedule.view)
        executor.stop = journal.stop = place if number in stops else ""
        try:
            more = step(algorithm, executor, journal)
        except Stopped:
            stopped += 1
            continue
        if not more:
            if world.is_over() and journal.control().high_water_mark == world.units().newest:
                break
            world.wake()
    check(schedule, journal, 0, world.units().newest)
    return stopped


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("number", [3, 7, 8, 18, 11])
def test_stopped_in_any_one_step(number: int, place: str) -> None:
    """RollingPropagate: compensated, versioned, mixed; Propagate: compensated, mixed."""
    stops = [rolled_with_stops(random_schedule(11, number), {at}, place) for at in range(25)]
    assert sum(stops) > 5


@pytest.mark.parametrize("place", PLACES)
def test_stopped_every_other_step(place: str) -> None:
    odd = set(range(1, STEPS, 2))
    stops = [rolled_with_stops(random_schedule(SEED, n), odd, place) for n in range(12)]
    assert sum(stops) > 12


def test_of_two_who_take_the_same_step_one_is_told() -> None:
    schedule = random_schedule(11, 3)
    algorithm, world = schedule.algorithm, schedule.world
    journal = MemoryJournal(algorithm.begin(0))
    world.finish()
    first, second = (WorldExecutor(world, schedule.view) for _ in range(2))
    control = journal.control()
    ready = algorithm.ready(control, first.units())
    slow = second.execute(ready.pending[0].query)
    assert step(algorithm, first, journal)
    kept = list(journal.delta)
    late = algorithm.advanced(ready, slow.seen, slow.cost)
    with pytest.raises(Conflict):
        journal.commit(control.number, replace(late, number=1), slow.rows)
    assert journal.delta == kept
    while step(algorithm, first, journal):
        pass
    check(schedule, journal, 0, world.units().newest)
