"""The way to apply a change is chosen by the sizes of the view and of the change."""

from __future__ import annotations

import pytest

from rollview.storage.change import _LARGE_SHARE, _SMALL_VIEW, Way, way_to_apply

LARGE = 10 * _SMALL_VIEW
MUCH = int(_LARGE_SHARE * LARGE)


@pytest.mark.parametrize("stored", [None, 0, 3, _SMALL_VIEW, LARGE])
@pytest.mark.parametrize("added", [1, MUCH, LARGE])
def test_rows_that_only_come_are_appended(stored: int | None, added: int) -> None:
    assert way_to_apply(stored, added, 0) is Way.APPEND


@pytest.mark.parametrize("stored", [1, 1000, _SMALL_VIEW])
def test_small_views_are_written_anew(stored: int) -> None:
    assert way_to_apply(stored, 0, 1) is Way.REWRITE
    assert way_to_apply(stored, 5, stored) is Way.REWRITE


@pytest.mark.parametrize(
    ("added", "removed", "way"),
    [
        (0, 1, Way.MERGE),
        (1, 1, Way.MERGE),
        (MUCH - 2, 1, Way.MERGE),
        (MUCH - 1, 1, Way.REWRITE),
        (0, MUCH, Way.REWRITE),
        (0, LARGE, Way.REWRITE),
    ],
)
def test_large_views_are_merged_into_unless_much_changes(
    added: int, removed: int, way: Way
) -> None:
    assert way_to_apply(LARGE, added, removed) is way


def test_of_a_view_of_unknown_size_only_what_is_concerned_is_written() -> None:
    assert way_to_apply(None, 5, 1) is Way.MERGE


@pytest.mark.parametrize("stored", [None, 0, 3, _SMALL_VIEW, LARGE])
def test_what_merges_is_never_written_anew(stored: int | None) -> None:
    assert way_to_apply(stored, 1, 1, merges=True) is Way.MERGE
    assert way_to_apply(stored, LARGE, 1, merges=True) is Way.MERGE


@pytest.mark.parametrize("stored", [None, 0, 3, _SMALL_VIEW, LARGE])
def test_what_merges_appends_rows_that_only_come(stored: int | None) -> None:
    assert way_to_apply(stored, 5, 0, merges=True) is Way.APPEND
