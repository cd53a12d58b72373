"""The worked example of docs/rolling.md is what the code does."""

from __future__ import annotations

from rollview.rolling.policy import Fixed
from rollview.rolling.rolling_propagate import RollingPropagate
from rollview.rolling.steps import step
from tests.docs.pages import DOCS, blocks
from tests.rolling.still import Still


def story() -> list[str]:
    """Commits, queries with the rows that they add, and the marks after each step."""
    still = Still(2)
    algorithm = RollingPropagate(still.view, (Fixed(2), Fixed(9)))
    journal = still.begin(algorithm)
    lines = []

    def commit(source: str, key: int, value: int) -> None:
        position = still.world.put((source, (key, value)))
        lines.append(f"commit {position}: {source} gets ({key}, {value})")

    def run() -> None:
        known = len(journal.delta)
        step(algorithm, still.executor, journal)
        control = journal.control()
        marks = f"t_fwd {control.forward}, t_comp {control.compensated}"
        lines.append(f"  {still.executor.ran[-1]}  ->  {marks}, mark {control.high_water_mark}")
        for *row, weight, position in journal.delta[known:]:
            lines.append(f"      {weight:+d} {tuple(row)} at {position}")

    commit("s1", 0, 7)
    commit("s2", 0, 8)
    run()
    commit("s1", 0, 9)
    for _ in range(3):
        run()
    assert not step(algorithm, still.executor, journal)
    for position in range(1, 4):
        net = dict(journal.between(0, position))
        lines.append(f"view at {position}: {net or 'empty'}")
    return lines


def test_the_page_tells_what_happens() -> None:
    told = [block.text.splitlines() for block in blocks(DOCS / "rolling.md")]
    assert story() in told
