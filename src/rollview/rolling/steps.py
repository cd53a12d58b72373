"""One step: a query is run, and its rows and the next control state are kept in one act.

What is lost when a process stops is a query that was run and not kept; its step is taken again
from the control state, and sees what is there then.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from rollview.rolling.algorithm import Algorithm
from rollview.rolling.source import Executor, Journal

Rows = TypeVar("Rows")


def step(algorithm: Algorithm, executor: Executor[Rows], journal: Journal[Rows]) -> bool:
    """Take the next step; False if there is nothing to do up to the newest position."""
    control = journal.control()
    ready = algorithm.ready(control, executor.units())
    number = control.number + 1
    if not ready.pending:
        if ready != control:
            journal.commit(control.number, replace(ready, number=number), None)
        return ready != control
    outcome = executor.execute(ready.pending[0].query)
    units = executor.units()
    # Where a source stood still, all positions are one: the fewer there are, the fewer queries.
    seen = {source: units.last_change(source, at) for source, at in outcome.seen.items()}
    after = algorithm.advanced(ready, seen, outcome.cost)
    journal.commit(control.number, replace(after, number=number), outcome.rows)
    return True


def catch_up(algorithm: Algorithm, executor: Executor[Rows], journal: Journal[Rows]) -> int:
    """Take steps until the high-water mark is where the newest position was at the beginning."""
    wanted = executor.units().newest
    while journal.control().high_water_mark < wanted:
        if not step(algorithm, executor, journal):
            break
    return journal.control().high_water_mark
