"""A union of joins is rolled join by join; its delta is that of all up to the least mark."""

from __future__ import annotations

from collections import Counter
from random import Random

from rollview.algebra.expressions import ColumnRef, Literal, binary
from rollview.algebra.printer import describe
from rollview.algebra.relations import Filter, Join, JoinKind, Named, Project, Relation, Sort, Union
from rollview.algebra.schema import Column
from rollview.maintenance.signed import references
from rollview.rolling.policy import ByChanges, Fixed
from rollview.rolling.rolling_propagate import RollingPropagate
from rollview.rolling.steps import catch_up
from rollview.rolling.view import branches, obstacle, rolled
from tests.properties.seed import SEED
from tests.rolling.interpreter import evaluate
from tests.rolling.journal import MemoryJournal
from tests.rolling.views import INT, chain, scan
from tests.rolling.world import Simulated, World, WorldExecutor

SOURCES = (
    Simulated("r", "a", False),
    Simulated("s", "a", False),
    Simulated("t", "lake", True),
)


def union() -> Relation:
    """A filter over a projection over a union of a join and a table."""
    join = chain(["r", "s"])
    names = tuple(Column(name, INT) for name in ("a", "b"))
    pairs = Project(join, tuple(Named(c.name, c) for c in references(join.columns)[:2]))
    both = Union((pairs, scan("t", 3)), names)
    twice = binary("Add", "+", ColumnRef("a", INT), ColumnRef("a", INT), INT)
    shown = Project(both, (Named("a", ColumnRef("a", INT)), Named("twice", twice)))
    return Filter(shown, binary("LessThan", "<", ColumnRef("a", INT), Literal("2", INT), "BOOLEAN"))


def test_rolled_branch_by_branch() -> None:
    for number in range(20):
        world = World(Random(f"{SEED}-{number}"), SOURCES, commits=12)
        parts = [rolled(b, SOURCES) for b in branches(union())]
        assert [len(part.relations) for part in parts] == [2, 1]
        journals = []
        for view in parts:
            policies = (ByChanges(2), Fixed(3))[: len(view.relations)]
            algorithm = RollingPropagate(view, policies)
            journal = MemoryJournal(algorithm.begin(0))
            catch_up(algorithm, WorldExecutor(world, view), journal)
            journals.append(journal)
        for position in range(min(j.control().high_water_mark for j in journals) + 1):
            found = Counter(evaluate(union(), world.rows_at(0)))
            for journal in journals:
                found.update(journal.between(0, position))
            assert +found == Counter(evaluate(union(), world.rows_at(position)))


def test_what_cannot_be_rolled_is_named() -> None:
    assert obstacle(union()) is None
    assert obstacle(Sort(union(), ())) is None
    outer = Join(JoinKind.LEFT, scan("r", 1), scan("s", 2), None)
    assert obstacle(outer) == describe(outer)
    over_union = Join(JoinKind.CROSS, union(), scan("s", 5))
    assert (obstacle(over_union) or "").startswith("Union")
