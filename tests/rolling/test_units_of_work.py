"""One order over the commits of all origins."""

from __future__ import annotations

import pytest

from rollview.errors import DefinitionCorrupt, InternalError
from rollview.rolling.units_of_work import Commit, UnitsOfWork, from_text, to_text


def commit(origin: str, version: int, at: float, **rows: int) -> Commit:
    return Commit(origin, str(version), at, rows)


START = UnitsOfWork({"shop": "0", "lake": "v0"})
UNITS = START.observed(
    [commit("shop", 1, 10.0, orders=2), commit("shop", 2, 12.0, items=1)]
).observed([commit("lake", 5, 11.0, people=3), commit("shop", 3, 13.0, orders=1, items=4)])


def order(units: UnitsOfWork) -> list[tuple[int, str, str]]:
    return [(u.position, u.commit.origin, u.commit.version) for u in units.units]


def test_what_is_seen_later_comes_later_whatever_its_clock_says() -> None:
    wanted = [(1, "shop", "1"), (2, "shop", "2"), (3, "lake", "5"), (4, "shop", "3")]
    assert order(UNITS) == wanted


def test_what_is_seen_at_once_is_merged_by_clock_within_the_order_of_each_origin() -> None:
    seen = START.observed(
        [
            commit("shop", 1, 10.0),
            commit("shop", 2, 3.0),  # its clock was set back
            commit("lake", 1, 9.0),
            commit("lake", 2, 10.5),
        ]
    )
    wanted = [(1, "lake", "1"), (2, "shop", "1"), (3, "shop", "2"), (4, "lake", "2")]
    assert order(seen) == wanted


def test_a_commit_has_one_position() -> None:
    with pytest.raises(InternalError, match="has its position already"):
        UNITS.observed([commit("shop", 2, 20.0)])
    with pytest.raises(InternalError, match="no start is known"):
        UNITS.observed([commit("other", 1, 20.0)])


def test_vector() -> None:
    assert UNITS.vector(0) == {"shop": "0", "lake": "v0"}
    assert UNITS.vector(2) == {"shop": "2", "lake": "v0"}
    assert UNITS.vector(4) == {"shop": "3", "lake": "5"}


def test_seen_is_the_last_position_at_which_an_origin_is_at_a_version() -> None:
    assert UNITS.seen("shop", "0") == 0
    assert UNITS.seen("shop", "2") == 3  # the commit of the lake in between is none of the shop
    assert UNITS.seen("shop", "3") == 4
    assert UNITS.seen("lake", "v0") == 2
    assert UNITS.seen("lake", "5") == 4
    with pytest.raises(InternalError, match="has no position yet"):
        UNITS.seen("shop", "4")


def test_rows_and_whether_anything_moved() -> None:
    assert UNITS.rows("orders", 0, 4) == 3
    assert UNITS.rows("orders", 1, 3) == 0
    assert not UNITS.moved("orders", 1, 3)
    assert UNITS.moved("orders", 3, 4)
    assert not UNITS.moved("nothing", 0, 4)


def test_so_many_rows() -> None:
    assert UNITS.last_within("orders", 0, 1) == 3  # a commit of two rows is not split
    assert UNITS.last_within("orders", 0, 2) == 3
    assert UNITS.last_within("orders", 0, 3) == 4
    assert UNITS.last_within("people", 3, 1) == 4
    assert UNITS.last_within("items", 1, 1) == 3


def test_pruning_keeps_what_later_positions_mean() -> None:
    pruned = UNITS.pruned(2)
    assert (pruned.first, pruned.newest) == (2, 4)
    assert all(pruned.vector(at) == UNITS.vector(at) for at in (2, 3, 4))
    assert pruned.seen("shop", "2") == 3
    assert pruned.rows("items", 2, 4) == 4
    assert order(pruned.observed([commit("lake", 6, 1.0)]))[-1] == (5, "lake", "6")
    with pytest.raises(InternalError, match="older than the table"):
        pruned.vector(1)
    assert UNITS.pruned(4).newest == 4


def test_text_there_and_back() -> None:
    assert from_text(to_text(UNITS)) == UNITS
    assert from_text(to_text(UNITS.pruned(3))) == UNITS.pruned(3)
    for text in ("", "{}", '{"start": {}, "first": 0, "units": [3]}'):
        with pytest.raises(DefinitionCorrupt, match="a unit-of-work table cannot be read"):
            from_text(text)
