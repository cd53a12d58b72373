"""How many queries are asked for: what stands still costs nothing."""

from __future__ import annotations

import pytest

from rollview.rolling.policy import ByChanges
from rollview.rolling.rolling_propagate import RollingPropagate
from rollview.rolling.steps import step
from rollview.rolling.units_of_work import UnitsOfWork
from tests.rolling.still import Still

CHANGES = 8


def asked_for() -> list[str]:
    """R1 follows in small steps, while R2 goes on changing; R3 does not change at all."""
    still = Still(3)
    policies = (ByChanges(1), ByChanges(99), ByChanges(99))
    journal = still.begin(RollingPropagate(still.view, policies))
    for value in range(CHANGES):
        newest = still.world.put(("s1", (0, value)))
    for value in range(CHANGES):
        step(still.algorithm, still.executor, journal)
        newest = still.world.put(("s2", (0, value)))
    while journal.control().high_water_mark < newest:
        assert step(still.algorithm, still.executor, journal)
    return [str(query) for query in still.executor.ran]


def compensations() -> int:
    return sum(query.startswith("-") for query in asked_for())


def test_listed_queries_are_compensated_for_together_if_what_they_saw_is_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each saw another position, but R3 as it always was: one rectangle, as with two relations."""
    assert 0 < compensations() <= CHANGES + 1
    monkeypatch.setattr(UnitsOfWork, "last_change", lambda units, source, until: until)
    assert compensations() > 2 * CHANGES


def test_a_relation_that_does_not_change_is_never_asked_for_its_changes() -> None:
    assert all(query.endswith(" R3") for query in asked_for())
