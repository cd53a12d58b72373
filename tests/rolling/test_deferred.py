"""Deferred views on DuckDB: whatever is folded in when, a reader finds the view at one position."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random

import pytest

from rollview.algebra.relations import Join, JoinKind, Relation, Temporary, Window
from rollview.algebra.schema import Column, Schema
from rollview.algebra.traverse import walk
from rollview.maintenance.signed import WEIGHT_COLUMN
from rollview.rolling.deferred import APPLIED_COLUMN, Deferred, after_images, deferred_read
from tests.properties.duckdb_engine import DuckEngine, Row, connect
from tests.properties.maintained import create
from tests.properties.seed import SEED

COLUMNS = (Column("a", "INT"), Column("b", "STRING"), Column("c", "INT"))
KEYED = Deferred(COLUMNS, ("a", "b"))
KEYLESS = Deferred(COLUMNS, ("a", "b", "c"))


@dataclass(frozen=True)
class Stored:
    """A snapshot of the stored rows, with the position that they are folded to."""

    rows: list[Row]
    applied: int


@dataclass(frozen=True)
class Pending:
    """A snapshot of what is pending; what was pending up to ``pruned`` is gone."""

    rows: list[Row]
    newest: int
    pruned: int


class Lake:
    """A view that changes, and every snapshot that a reader may have got of it."""

    def __init__(self, view: Deferred, rng: Random) -> None:
        self.view, self._rng = view, rng
        self.engine_connection = connect()
        self.engine = DuckEngine(self.engine_connection)
        self.at = [self._random_rows([])]
        self.stored = [Stored(self.at[0], 0)]
        self.pending = [Pending([], 0, 0)]

    def _random_rows(self, old: list[Row]) -> list[Row]:
        """Some rows stay, some go, some come; with a key, one for each key."""
        rng = self._rng
        rows = [row for row in old if rng.random() < 0.8]
        for _ in range(rng.choice((0, 1, 2, 4))):
            rows.append(
                (rng.choice((0, 1, None)), rng.choice(("x", "y", None)), rng.choice((0, 1)))
            )
        if self.view is KEYED:
            rows = list({row[:2]: row for row in rows}.values())
        return rows

    def change(self) -> None:
        """The view goes on by a position; its after-images are appended."""
        old, position = self.at[-1], len(self.at)
        new = self._random_rows(old)
        changes = [(*row, -1) for row in old] + [(*row, 1) for row in new]
        self._rng.shuffle(changes)
        images = after_images(
            self.view, _leaf("delta", (*COLUMNS, WEIGHT_COLUMN)), _leaf("now", COLUMNS), position
        )
        self._table("delta", (*COLUMNS, WEIGHT_COLUMN), changes)
        self._table("now", COLUMNS, old)
        found = self._evaluated(images)
        before = self.pending[-1]
        self.at.append(new)
        self.pending.append(Pending([*before.rows, *found], position, before.pruned))

    def fold(self) -> None:
        """The stored rows are brought to a position that is pending, by an atomic commit."""
        applied = self._rng.randint(self.stored[-1].applied, len(self.at) - 1)
        self.stored.append(Stored(self.at[applied], applied))

    def prune(self, upto: int) -> None:
        before = self.pending[-1]
        rest = [row for row in before.rows if row[-1] > upto]  # type: ignore[operator]
        self.pending.append(Pending(rest, before.newest, upto))

    def read(self, stored: Stored, pending: Pending) -> Counter[Row]:
        self._table("stored", COLUMNS, stored.rows)
        self._table("applied", (APPLIED_COLUMN,), [(stored.applied,)])
        self._table("pending", self.view.pending_columns, pending.rows)
        return Counter(self._evaluated(reading(self.view)))

    def _table(self, name: str, columns: Schema, rows: list[Row]) -> None:
        create(self.engine_connection, f'"{name}"', columns, rows)

    def _evaluated(self, relation: Relation) -> list[Row]:
        names = ("delta", "now", "stored", "applied", "pending")
        return self.engine.recomputed(relation, {f"temporary {n}": f'"{n}"' for n in names})


def _leaf(name: str, columns: Schema) -> Temporary:
    return Temporary(name, columns)


def reading(view: Deferred) -> Relation:
    return deferred_read(
        view,
        _leaf("stored", COLUMNS),
        _leaf("applied", (APPLIED_COLUMN,)),
        _leaf("pending", view.pending_columns),
    )


@pytest.mark.parametrize("view", [KEYED, KEYLESS], ids=["key", "no key"])
@pytest.mark.parametrize("number", range(6))
def test_any_two_snapshots_show_the_view_at_one_position(view: Deferred, number: int) -> None:
    """Old stored rows with new pending ones, and the other way round."""
    rng = Random(f"{SEED}-{number}")
    lake = Lake(view, rng)
    for _ in range(8):
        lake.change()
        if rng.random() < 0.4:
            lake.fold()
        if rng.random() < 0.2:
            lake.prune(lake.stored[-1].applied)
    pairs = [(s, p) for s in lake.stored for p in lake.pending if s.applied >= p.pruned]
    for stored, pending in rng.sample(pairs, min(10, len(pairs))):
        wanted = lake.at[max(stored.applied, pending.newest)]
        assert lake.read(stored, pending) == Counter(wanted), f"ROLLVIEW_SEED={SEED}"
    lake.engine_connection.close()


def test_rows_pruned_before_they_are_applied_would_be_missed() -> None:
    """What the grace period is for: the check above can fail."""
    lake = Lake(KEYLESS, Random(3))
    first = lake.stored[0]
    while Counter(lake.at[-1]) == Counter(lake.at[0]):
        lake.change()
    lake.prune(len(lake.at) - 1)
    assert lake.read(first, lake.pending[-1]) != Counter(lake.at[-1])
    lake.engine_connection.close()


def test_stored_rows_are_not_shuffled() -> None:
    """They are the large side of one broadcast join; only what is pending is sorted."""
    whole = reading(KEYED)
    (anti,) = [n for n in walk(whole) if isinstance(n, Join) and n.kind is JoinKind.ANTI]
    assert anti.left == _leaf("stored", COLUMNS)
    assert anti.broadcast is not None
    (window,) = {n for n in walk(whole) if isinstance(n, Window)}
    assert _leaf("stored", COLUMNS) not in list(walk(window))
