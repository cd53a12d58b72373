"""What every view store must do with the state of inner operators: rows and state move together."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rollview.errors import Conflict, DeltaMismatch
from rollview.storage import faults
from rollview.storage.change import Merge
from rollview.storage.faults import Crash
from rollview.storage.segments import MAX_SEGMENTS
from rollview.storage.vector import Position, Segment
from rollview.storage.view_store import ViewStore, Watermark
from tests.behaviours.stores import COLUMNS, StoreUnderTest

Rows = list[tuple[int, str | None]]
Delta = list[tuple[int, str | None, int]]
NODE = "aggregate_1"
START: Rows = [(1, "a"), (1, "a"), (2, None), (3, "c"), *[(n, "x") for n in range(10, 14)]]
CHANGE: Delta = [(1, "a", -1), (2, None, -1), (4, None, 2)]
CHANGED = Counter(START) - Counter({(1, "a"): 1, (2, None): 1}) + Counter({(4, None): 2})


def recompute(store: StoreUnderTest, rows: Rows, after: int) -> Watermark:
    """What a full refresh does: all rows, and the same rows as the state of an operator."""
    opened = store.again()
    base = opened.segments.base(NODE, store.rows(rows), COLUMNS)
    return opened.commit(store.all(rows), after, _at(after + 1), {NODE: (base,)})


def create(store: StoreUnderTest) -> Watermark:
    """The first refresh."""
    return recompute(store, START, 0)


def refresh(
    store: StoreUnderTest,
    delta: Delta,
    opened: ViewStore[Any] | None = None,
    locked: bool = True,
) -> Watermark:
    """What an incremental refresh does, if the operator changes as the view does."""
    opened = opened or store.again()
    opened.tidy(alone=locked)
    watermark = opened.watermark()
    assert watermark is not None
    old = watermark.state[NODE]
    segments = opened.segments.advance(NODE, old, store.delta(delta), len(delta), COLUMNS)
    vector, number = _at(watermark.number + 1), watermark.number
    return opened.commit(Merge(store.delta(delta)), number, vector, {NODE: segments})


def rows(store: StoreUnderTest) -> Counter[tuple[Any, ...]]:
    return Counter(store.content(store.again().backing.read()))


def state(store: StoreUnderTest) -> Counter[tuple[Any, ...]]:
    opened = store.again()
    watermark = opened.watermark()
    assert watermark is not None
    assert opened.segments.missing(watermark.state) == []
    return Counter(store.content(opened.segments.read(NODE, watermark.state[NODE], COLUMNS)))


def folders(store: StoreUnderTest) -> set[str]:
    return {path.name for path in Path(store.folder, "state", NODE).glob("*")}


def tokens(*watermarks: Watermark) -> set[str]:
    return {segment.token for w in watermarks for segment in w.state[NODE]}


def test_state_is_the_sum_of_its_segments(store: StoreUnderTest) -> None:
    first = create(store)
    second = refresh(store, CHANGE)
    third = refresh(store, [(4, None, -1)])
    assert store.again().watermark() == third
    assert [segment.signed for segment in third.state[NODE]] == [False, True, True]
    assert [segment.rows for segment in third.state[NODE]] == [8, 3, 1]
    assert tokens(first) < tokens(second) < tokens(third) == folders(store)
    assert state(store) == rows(store) == CHANGED - Counter({(4, None): 1})


def test_the_state_of_an_earlier_refresh_can_still_be_read(store: StoreUnderTest) -> None:
    first = create(store)
    refresh(store, CHANGE)
    earlier = store.again().segments.read(NODE, first.state[NODE], COLUMNS)
    assert Counter(store.content(earlier)) == Counter(START)


def test_a_change_that_cancels_adds_no_segment(store: StoreUnderTest) -> None:
    first = create(store)
    second = refresh(store, [(1, "a", 1), (1, "a", -1)])
    assert second.state == first.state


def test_many_segments_become_one(store: StoreUnderTest) -> None:
    segments = store.again().segments
    rows: Rows = [(number, None) for number in range(3 * MAX_SEGMENTS)]
    kept: tuple[Segment, ...] = (segments.base(NODE, store.rows(rows), COLUMNS),)
    sizes = []
    for number in range(MAX_SEGMENTS):
        kept = segments.advance(NODE, kept, store.delta([(number, None, -1)]), 1, COLUMNS)
        sizes.append(len(kept))
    assert sizes == [*range(2, MAX_SEGMENTS + 1), 1]
    assert (kept[0].rows, kept[0].signed) == (2 * MAX_SEGMENTS, False)
    assert store.content(segments.read(NODE, kept, COLUMNS)) == sorted(rows[8:], key=repr)


def test_a_large_delta_becomes_the_base(store: StoreUnderTest) -> None:
    create(store)
    watermark = refresh(store, [(number, "y", 2) for number in range(5)])
    assert [(s.rows, s.signed) for s in watermark.state[NODE]] == [(18, False)]
    assert state(store) == rows(store)
    assert len(folders(store)) == 2


def test_state_cannot_lose_what_it_does_not_have(store: StoreUnderTest) -> None:
    first = create(store)
    segments = store.again().segments
    gone = segments.delta(NODE, store.delta([(9, "z", -1)]), COLUMNS)
    with pytest.raises(Exception, match="not stored"):
        store.content(segments.read(NODE, (*first.state[NODE], gone), COLUMNS))


def test_a_missing_segment_is_found_out(store: StoreUnderTest) -> None:
    watermark = create(store)
    segments = store.again().segments
    other = {**watermark.state, "join_2": (Segment("20240102T030405-0", 1, signed=False),)}
    assert segments.missing(watermark.state) == []
    assert segments.missing(other) == ["join_2"]


@pytest.mark.parametrize(
    "point", ["state.written", "commit.candidate", "commit.committed", "commit.published"]
)
def test_a_crash_leaves_rows_and_state_of_one_refresh(store: StoreUnderTest, point: str) -> None:
    create(store)
    with faults.planned(point), pytest.raises(Crash):
        refresh(store, CHANGE)
    done = point in ("commit.committed", "commit.published")
    assert rows(store) == state(store) == (CHANGED if done else Counter(START))
    watermark = refresh(store, [] if done else CHANGE)
    assert rows(store) == state(store) == CHANGED
    assert (watermark.number, watermark.rows) == (3 if done else 2, CHANGED.total())
    assert folders(store) == tokens(watermark)


def test_a_failed_commit_leaves_rows_and_state_as_they_were(store: StoreUnderTest) -> None:
    first = create(store)
    opened = store.again()

    def fail(*_: object) -> None:
        raise RuntimeError("disk full")

    opened.backing.merge = fail  # type: ignore[method-assign]
    with pytest.raises(RuntimeError, match="disk full"):
        refresh(store, CHANGE, opened)
    with pytest.raises(DeltaMismatch):
        refresh(store, [(2, None, -2)])
    assert store.again().watermark() == first
    assert rows(store) == state(store) == Counter(START)
    second = refresh(store, CHANGE)
    assert folders(store) == tokens(second)


def test_the_state_of_the_loser_is_removed(store: StoreUnderTest) -> None:
    create(store)

    def another_is_faster() -> None:
        faults_over.__exit__(None, None, None)
        refresh(store, CHANGE, locked=False)

    faults_over = faults.planned("commit.candidate", another_is_faster)
    faults_over.__enter__()
    with pytest.raises(Conflict):
        refresh(store, [(3, "c", -1)], locked=False)
    assert rows(store) == state(store) == CHANGED
    assert len(folders(store)) == 3
    third = refresh(store, [])
    assert folders(store) == tokens(third)


def test_segments_of_recent_refreshes_are_kept(store: StoreUnderTest) -> None:
    made = [recompute(store, [(number, "x")], number) for number in range(7)]
    assert folders(store) == tokens(*made)
    store.again().tidy(alone=True)
    assert folders(store) == tokens(*made[2:])


def test_without_a_lock_only_old_segments_go(store: StoreUnderTest) -> None:
    watermark = create(store)
    opened = store.again()
    new = opened.segments.base(NODE, store.rows([]), COLUMNS)
    old = Path(store.folder, "state", NODE, f"20240102T030405-{new.token.partition('-')[2]}")
    Path(store.folder, "state", NODE, new.token).rename(old)
    young = opened.segments.base(NODE, store.rows([]), COLUMNS)
    assert folders(store) == {*tokens(watermark), old.name, young.token}
    opened.tidy(alone=False)
    assert folders(store) == {*tokens(watermark), young.token}


def test_nothing_goes_while_a_vector_cannot_be_read(store: StoreUnderTest) -> None:
    create(store)
    second = refresh(store, [(n, "y", 1) for n in range(20)])
    assert len(folders(store) - tokens(second)) == 1
    Path(store.folder, "refreshes", "1.json").write_text("{")
    before = folders(store)
    store.again().tidy(alone=True)
    assert folders(store) == before


def _at(number: int) -> dict[str, Position]:
    return {"s0": Position("orders", str(number), "id")}
