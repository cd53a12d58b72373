"""A simulated world: origins that commit at random moments, also while a query runs.

A live source shows its present alone. All sources of one origin are seen at one moment, those of
different origins at different ones. Commits get their positions when they are captured, which is
later than they are made, and not in the order of their clocks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

from rollview.algebra.relations import Relation
from rollview.maintenance.signed import WEIGHT
from rollview.rolling.query import Present, Query
from rollview.rolling.source import Outcome
from rollview.rolling.stamped import POSITION, Reading, delta, readings
from rollview.rolling.units_of_work import Commit, UnitsOfWork, from_text, to_text
from rollview.rolling.view import RolledView
from tests.rolling.interpreter import Row, Table, evaluate

FIELDS = ("k", "v")
Evaluate = Callable[[Relation, Mapping[str, Table]], list[Row]]


@dataclass(frozen=True)
class Simulated:
    """A source of the world."""

    name: str
    origin: str
    versioned: bool


@dataclass
class Origin:
    """Its commits, and the rows of its sources after each; version 0 is the beginning."""

    commits: list[Commit] = field(default_factory=list)
    changes: list[dict[str, list[tuple[Row, int]]]] = field(default_factory=list)
    rows: list[dict[str, list[Row]]] = field(default_factory=list)

    @property
    def newest(self) -> int:
        return len(self.commits)


class World:
    """Everything that commits, and what has been captured of it."""

    def __init__(
        self, rng: Random, sources: tuple[Simulated, ...], commits: int, empty: bool = False
    ) -> None:
        self._rng = rng
        self.sources = {source.name: source for source in sources}
        self.left = commits
        self._often = rng.choice((0.05, 0.1, 0.2, 0.4))
        self._clock = 0.0
        self.origins: dict[str, Origin] = {}
        for source in sources:
            origin = self.origins.setdefault(source.origin, Origin(rows=[{}]))
            first = 0 if empty else rng.choice((0, 1, 2, 3))
            origin.rows[0][source.name] = [self._row() for _ in range(first)]
        self._units = UnitsOfWork(dict.fromkeys(self.origins, "0"))

    def _row(self) -> Row:
        return (self._rng.choice((0, 0, 0, 1)), self._rng.choice((0, 0, 0, 1, None)))

    # --- what others do ------------------------------------------------------------------------

    def disturb(self) -> None:
        """Some commits, if any are left."""
        while self.left and self._rng.random() < self._often:
            self.left -= 1
            self._commit(self._rng.choice(sorted(self.origins)))

    def _commit(self, name: str) -> None:
        origin = self.origins[name]
        rows = {source: list(found) for source, found in origin.rows[-1].items()}
        touched = self._rng.sample(
            sorted(rows), self._rng.choice((1, 1, min(2, len(rows)), len(rows)))
        )
        changes: dict[str, list[tuple[Row, int]]] = {}
        for source in touched:
            for _ in range(self._rng.choice((1, 1, 2))):
                changes.setdefault(source, []).extend(self._statement(rows[source]))
        self._made(name, rows, changes)

    def _made(
        self, name: str, rows: dict[str, list[Row]], changes: dict[str, list[tuple[Row, int]]]
    ) -> None:
        origin = self.origins[name]
        self._clock += self._rng.random()
        counts = {source: len(made) for source, made in changes.items()}
        clock = self._clock + (self._rng.random() if name < "b" else 0)
        origin.commits.append(Commit(name, str(origin.newest + 1), clock, counts))
        origin.changes.append(changes)
        origin.rows.append(rows)

    def put(self, *rows: tuple[str, Row]) -> int:
        """One commit that adds rows to sources of one origin, captured at once; its position."""
        (name,) = {self.sources[source].origin for source, _ in rows}
        after = {source: list(found) for source, found in self.origins[name].rows[-1].items()}
        changes: dict[str, list[tuple[Row, int]]] = {}
        for source, row in rows:
            after[source].append(row)
            changes.setdefault(source, []).append((row, 1))
        self._made(name, after, changes)
        self.finish()
        return self._units.newest

    def _statement(self, rows: list[Row]) -> list[tuple[Row, int]]:
        dice = self._rng.random()
        if not rows or dice < 0.5:
            rows.append(self._row())
            return [(rows[-1], 1)]
        old = rows.pop(self._rng.randrange(len(rows)))
        if dice < 0.75:
            return [(old, -1)]
        rows.append(self._row())
        return [(old, -1), (rows[-1], 1)]

    # --- what is known -------------------------------------------------------------------------

    def units(self) -> UnitsOfWork:
        """What has been captured, now and then a little more."""
        if self._rng.random() < 0.7:
            self.disturb()
            self._capture({})
        return self._units

    def restart(self) -> None:
        """Who captures commits starts again, from the text of its table."""
        self._units = from_text(to_text(self._units))

    def _capture(self, least: Mapping[str, int]) -> None:
        """Give positions to commits: up to these versions at least, of each origin."""
        new = []
        known = self._units.vector(self._units.newest)
        for name, origin in self.origins.items():
            old = int(known[name])
            until = max(old, least.get(name, 0), self._rng.randint(old, origin.newest))
            new += origin.commits[old:until]
        self._units = self._units.observed(new)

    def wake(self) -> None:
        """Something happens: one commit more, or the last ones are captured."""
        if self.left:
            self.left -= 1
            self._commit(self._rng.choice(sorted(self.origins)))
            self._capture({})
        else:
            self._capture({name: origin.newest for name, origin in self.origins.items()})

    def finish(self) -> None:
        """All that is left is committed and captured."""
        while self.left:
            self.wake()
        self.wake()

    def is_over(self) -> bool:
        """Whether everything is committed and captured."""
        known = self._units.vector(self._units.newest)
        return not self.left and all(int(known[n]) == o.newest for n, o in self.origins.items())

    def rows_at(self, position: int) -> dict[str, Table]:
        """The rows of every source at a position, as the leaves of a query."""
        vector = self._units.vector(position)
        return {
            name: (FIELDS, self.origins[source.origin].rows[int(vector[source.origin])][name])
            for name, source in self.sources.items()
        }

    def changes(self, source: str, since: int, until: int) -> list[Row]:
        """The changes of a source in a window, with weight and position."""
        assert until <= self._units.newest, "a window that is not captured yet"
        found: list[Row] = []
        for unit in self._units.units:
            if since < unit.position <= until and source in unit.commit.rows:
                origin = self.origins[unit.commit.origin]
                made = origin.changes[int(unit.commit.version) - 1][source]
                found += [(*row, weight, unit.position) for row, weight in made]
        return found


class WorldExecutor:
    """Runs queries over a world that does not stand still."""

    def __init__(self, world: World, view: RolledView, run: Evaluate = evaluate) -> None:
        self._world = world
        self._view = view
        self._run = run
        self.ran: list[Query] = []

    def units(self) -> UnitsOfWork:
        return self._world.units()

    def execute(self, query: Query) -> Outcome[list[Row]]:
        world = self._world
        self.ran.append(query)
        seen: dict[str, int] = {}
        world.disturb()
        for relation, entry in zip(self._view.relations, query.entries, strict=True):
            origin = world.sources[relation.source].origin
            if isinstance(entry, Present) and origin not in seen:
                seen[origin] = world.origins[origin].newest
                world.disturb()
        asked = delta(self._view, query)
        leaves = {name: self._leaf(one, seen) for name, one in readings(asked).items()}
        rows = self._run(asked, leaves)
        world.disturb()
        world._capture(seen)
        units = world._units
        positions = {
            name: units.seen(source.origin, str(seen[source.origin]))
            for name, source in world.sources.items()
            if source.origin in seen
        }
        return Outcome(rows, positions, len(rows))

    def _leaf(self, reading: Reading, seen: Mapping[str, int]) -> Table:
        source = self._world.sources[reading.source]
        if reading.since is None:
            assert not source.versioned
            versions = self._world.origins[source.origin].rows
            return FIELDS, versions[seen[source.origin]][source.name]
        if reading.until is None:
            assert source.versioned, "a live source has no past"
            return self._world.rows_at(reading.since)[source.name]
        changes = self._world.changes(source.name, reading.since, reading.until)
        return (*FIELDS, WEIGHT, POSITION), changes
