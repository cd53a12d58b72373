"""How many queries are asked for: what stands still costs nothing."""

from __future__ import annotations

from rollview.rolling.policy import ByChanges
from rollview.rolling.rolling_propagate import RollingPropagate
from rollview.rolling.steps import step
from tests.rolling.still import Still


def queries_of(still: Still, changes: int) -> list[str]:
    """The queries for so many commits of R1, with one of R2 at the end; R3 does not change."""
    journal = still.begin(RollingPropagate(still.view, (ByChanges(1), ByChanges(9), ByChanges(9))))
    newest = 0
    for value in range(changes):
        newest = still.world.put(("s1", (0, value)))
        step(still.algorithm, still.executor, journal)
    newest = still.world.put(("s2", (0, 0)))
    while journal.control().high_water_mark < newest:
        assert step(still.algorithm, still.executor, journal)
    return [str(query) for query in still.executor.ran]


def test_listed_queries_are_compensated_for_together_if_what_they_saw_is_the_same() -> None:
    """Each saw another position, but R3 as it always was."""
    asked = queries_of(Still(3), 8)
    compensations = [query for query in asked if query.startswith("-")]
    assert len(asked) - len(compensations) == 9
    assert len(compensations) <= 2, compensations


def test_a_relation_that_does_not_change_is_never_asked_for_its_changes() -> None:
    assert all(query.endswith(" R3") for query in queries_of(Still(3), 8))
