"""Which way a delta is applied."""

from __future__ import annotations

from rollview.storage.change import Way, way_to_apply

MANY = 100_000_000


def test_a_small_view_is_written_anew_and_a_large_one_merged() -> None:
    assert way_to_apply(100, 1, 1) is Way.REWRITE
    assert way_to_apply(MANY, 1, 1) is Way.MERGE
    assert way_to_apply(MANY, MANY, 1) is Way.REWRITE
    assert way_to_apply(None, 1, 1) is Way.MERGE


def test_what_merges_is_never_written_anew() -> None:
    for stored in (0, 100, MANY, None):
        assert way_to_apply(stored, 1, 1, merges=True) is Way.MERGE
        assert way_to_apply(stored, MANY, 1, merges=True) is Way.MERGE


def test_rows_that_only_come_are_appended() -> None:
    assert way_to_apply(100, 5, 0) is Way.APPEND
    assert way_to_apply(100, 5, 0, merges=True) is Way.APPEND
