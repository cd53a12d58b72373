"""Random schedules: a world, a view, an algorithm, and the law that the delta has to keep.

The law: the view at the position where it was materialized, with the delta applied up to any
position, is the query at that position, for every position up to the high-water mark.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from rollview.algebra.relations import Relation
from rollview.rolling.algorithm import Algorithm
from rollview.rolling.policy import Adaptive, ByChanges, Fixed, Policy
from rollview.rolling.propagate import Propagate
from rollview.rolling.rolling_propagate import RollingPropagate
from rollview.rolling.steps import step
from rollview.rolling.view import RolledView, rolled
from tests.rolling.interpreter import Row, evaluate
from tests.rolling.journal import MemoryJournal
from tests.rolling.views import random_view
from tests.rolling.world import Evaluate, Simulated, World, WorldExecutor

KINDS = ("compensated", "versioned", "mixed")
STEPS = 20_000
COMMITS = {2: (8, 14, 20), 3: (8, 14, 20), 4: (6, 9, 12), 5: (4, 6, 8)}
"""By the number of relations: compensations of many of them are many."""


class Wrong(Exception):
    """A position at which the delta is not the query."""


@dataclass(frozen=True)
class Schedule:
    """Everything that a run needs; the same for the same seed and number."""

    kind: str
    relation: Relation
    view: RolledView
    world: World
    algorithm: Algorithm
    rng: Random

    def __str__(self) -> str:
        name = type(self.algorithm).__name__
        return f"{self.kind}, {name}, {len(self.view.relations)} relations"


def random_schedule(seed: int, number: int) -> Schedule:
    """Kinds and algorithms take turns; all else is chance."""
    rng = Random(f"{seed}-{number}")
    kind = KINDS[number % 3]
    size = rng.choice((2, 2, 3, 3, 4, 5))
    sources = _sources(rng, kind, size)
    world = World(rng, sources, rng.choice(COMMITS[size]))
    names = [source.name for source in sources]
    read = [rng.choice(names) if rng.random() < 0.15 else name for name in names]
    relation = random_view(rng, read)
    view = rolled(relation, sources)
    algorithm: Algorithm
    if number // 3 % 3 == 0:
        algorithm = Propagate(view, _policy(rng))
    else:
        algorithm = RollingPropagate(view, tuple(_policy(rng) for _ in view.relations))
    return Schedule(kind, relation, view, world, algorithm, rng)


def _sources(rng: Random, kind: str, size: int) -> tuple[Simulated, ...]:
    """Versioned sources are origins of their own; live ones belong to one server or two."""
    servers = rng.choice((("a",), ("a",), ("a", "b")))
    keeps = [{"compensated": False, "versioned": True}.get(kind, rng.random() < 0.5)] * size
    if kind == "mixed":
        keeps = [rng.random() < 0.5 for _ in range(size)]
        one, other = rng.sample(range(size), 2)
        keeps[one], keeps[other] = True, False
    return tuple(
        Simulated(f"s{i}", f"lake {i}" if keeps[i] else rng.choice(servers), keeps[i])
        for i in range(size)
    )


def _policy(rng: Random) -> Policy:
    choices: tuple[Policy, ...] = (
        Fixed(rng.randint(1, 5)),
        ByChanges(rng.randint(1, 4)),
        Adaptive(rng.randint(1, 6), rng.randint(1, 3)),
    )
    return rng.choice(choices)


def run(schedule: Schedule, evaluated: Evaluate = evaluate) -> MemoryJournal:
    """Roll until everything is propagated, and check the law on the way. Raises `Wrong`."""
    world, algorithm = schedule.world, schedule.algorithm
    executor = WorldExecutor(world, schedule.view, evaluated)
    journal = MemoryJournal(algorithm.begin(0))
    checked = 0
    for _ in range(STEPS):
        if not step(algorithm, executor, journal):
            if world.is_over() and journal.control().high_water_mark == world.units().newest:
                break
            world.wake()
        mark = journal.control().high_water_mark
        check(schedule, journal, checked, mark)
        checked = mark
    else:
        raise Wrong(f"not done after {STEPS} steps: {journal.text}")
    check(schedule, journal, 0, world.units().newest)
    return journal


def check(schedule: Schedule, journal: MemoryJournal, since: int, until: int) -> None:
    """The law, for all positions after ``since`` up to ``until``."""
    relation, world = schedule.relation, schedule.world
    stored = Counter(evaluate(relation, world.rows_at(0)))
    for position in range(since + 1, until + 1):
        found = Counter(stored)
        found.update(journal.between(0, position))
        wanted = Counter(evaluate(relation, world.rows_at(position)))
        if {row: n for row, n in found.items() if n} != dict(wanted):
            raise Wrong(f"at position {position} of {until}\n{_difference(found, wanted)}")


def _difference(found: Mapping[Row, int], wanted: Mapping[Row, int]) -> str:
    rows = {*found, *wanted}
    wrong = {r: (found.get(r, 0), wanted.get(r, 0)) for r in rows}
    return f"found and wanted: { {r: pair for r, pair in wrong.items() if pair[0] != pair[1]} }"
