"""The laws of maintenance, checked on one case.

1. After each refresh the stored view and its delta are the query recomputed, as bags; every kept
   state is its relation evaluated; nothing is removed that is not there.
2. The same changes, split into other refreshes, give the same view.
3. The prepared relation is the same bag as the relation.
4. What reaches the view and the states is strongly minimal, under strategy algebraic by its rules.
5. What is declared and made use of holds after each refresh, or the refresh has said that it does
   not; and it does not say so of what holds.
6. Changes whose ranges tell that they cannot matter are none that can.

Changes that cannot matter are left out of every refresh, and tables without others are taken for
unchanged: the first two laws hold nevertheless.
"""

from __future__ import annotations

from random import Random

import duckdb

from rollview.maintenance.choice import ANY, Choice
from tests.properties.bags import assert_same
from tests.properties.cases import Batch, Case
from tests.properties.maintained import Maintained


def check(
    case: Case,
    connection: duckdb.DuckDBPyConnection,
    *,
    split: bool = True,
    way: Choice = ANY,
) -> None:
    """Check the laws for a way to maintain the view, the second one if ``split``.

    Raises `Violation`, or whatever error the code under test raises.
    """
    maintained = Maintained(case, connection, choice=way)
    for batch in case.batches:
        maintained.refresh(batch)
    maintained.check_prepared()
    others = _other_split(case) if split else case.batches
    if others != case.batches:
        other = Maintained(case, connection, choice=way)
        for batch in others:
            other.refresh(batch)
        assert_same("law 2: the changes split otherwise", other.view, maintained.view)


def _other_split(case: Case) -> tuple[Batch, ...]:
    """Within a batch, what is declared may be broken for a while; after each it must hold."""
    if not case.constraints or case.breaks:
        return otherwise_split(case.batches)
    return (tuple(change for batch in case.batches for change in batch),)


def otherwise_split(batches: tuple[Batch, ...]) -> tuple[Batch, ...]:
    """The same changes in the same order: each batch cut at some place, its end put to the next.

    Several batches become one now and then. Only a single change stays as it is.
    """
    rng = Random(repr(batches))
    if len(batches) > 1 and rng.random() < 0.3:
        return (tuple(change for batch in batches for change in batch),)
    parts: list[Batch] = []
    rest: Batch = ()
    for batch in batches:
        place = rng.randrange(1, len(batch)) if len(batch) > 1 else rng.randrange(2)
        parts.append((*rest, *batch[:place]))
        rest = batch[place:]
    return tuple(part for part in (*parts, rest) if part)
