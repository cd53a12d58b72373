"""How long the next interval is."""

from __future__ import annotations

from rollview.rolling.policy import Adaptive, ByChanges, Fixed, Policy
from rollview.rolling.units_of_work import Commit, UnitsOfWork

UNITS = UnitsOfWork({"a": "0"}).observed(
    Commit("a", str(n), float(n), {"fast": 5} if n % 10 else {"fast": 5, "slow": 1})
    for n in range(1, 101)
)


def intervals(policy: Policy, source: str, cost: int = 0) -> list[int]:
    """Where the intervals end, up to the newest position."""
    ends, at, memory = [], 0, policy.first()
    while at < UNITS.newest:
        at = policy.until(UNITS, source, at, memory)
        memory = policy.learned(memory, cost)
        ends.append(at)
    return ends


def test_fixed() -> None:
    assert intervals(Fixed(40), "fast") == [40, 80, 100]


def test_by_changes_gives_a_slow_relation_long_intervals() -> None:
    assert intervals(ByChanges(50), "fast") == list(range(10, 101, 10))
    assert intervals(ByChanges(50), "slow") == [100]
    assert intervals(ByChanges(4), "slow") == [49, 89, 100]


def test_a_commit_is_never_split() -> None:
    assert intervals(ByChanges(1), "fast") == list(range(1, 101))


def test_adaptive_grows_while_steps_are_cheap_and_shrinks_when_they_are_not() -> None:
    assert intervals(Adaptive(100, start=5), "fast", cost=1) == [1, 3, 7, 15, 31, 63, 100]
    assert intervals(Adaptive(100, start=40), "fast", cost=101)[:5] == [8, 12, 14, 15, 16]
    assert intervals(Adaptive(100, start=25), "fast", cost=80) == list(range(5, 101, 5))
    assert Adaptive(100, largest=64).learned(40, 1) == 64
    assert Adaptive(1).learned(1, 99) == 1
