"""A world in which nothing happens by itself, for schedules that are written down."""

from __future__ import annotations

from random import Random

from rollview.rolling.algorithm import Algorithm
from rollview.rolling.query import Query
from rollview.rolling.steps import step
from rollview.rolling.view import rolled
from tests.rolling.journal import MemoryJournal
from tests.rolling.views import chain
from tests.rolling.world import Simulated, World, WorldExecutor


class Still:
    """Live relations of one origin, empty at first, joined by their first column."""

    def __init__(self, relations: int) -> None:
        sources = tuple(Simulated(f"s{i}", "a", False) for i in range(1, relations + 1))
        self.world = World(Random(0), sources, commits=0, empty=True)
        self.relation = chain([source.name for source in sources])
        self.view = rolled(self.relation, sources)
        self.executor = WorldExecutor(self.world, self.view)

    def begin(self, algorithm: Algorithm, at: int = 0) -> MemoryJournal:
        self.algorithm, self.journal = algorithm, MemoryJournal(algorithm.begin(at))
        return self.journal

    def forward(self) -> Query | None:
        """One forward query and what compensates for it; the forward query, if one was run."""
        first = len(self.executor.ran)
        step(self.algorithm, self.executor, self.journal)
        while self.journal.control().pending:
            step(self.algorithm, self.executor, self.journal)
        return self.executor.ran[first] if len(self.executor.ran) > first else None
