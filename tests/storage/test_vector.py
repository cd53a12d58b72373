"""Vectors: through text and back, and down to base tables."""

from __future__ import annotations

import pytest

from rollview.errors import DefinitionCorrupt
from rollview.storage.vector import Position, Segment, base_versions, dump_vector, load_vector

ORDERS = Position("orders", "4", "id-1")
LOWER = Position("daily", "2", "view-1", stored="3", base={"s0": ORDERS})


def test_a_vector_survives_as_text() -> None:
    vector = {"s0": ORDERS, "s1": LOWER}
    loaded = load_vector(dump_vector(vector, 7, "abc"), "x")
    assert (loaded.vector, loaded.number, loaded.token) == (vector, 7, "abc")


def test_state_and_count_go_with_the_vector() -> None:
    state = {"join_1": (Segment("a", 10, signed=False), Segment("b", 2, signed=True)), "top_2": ()}
    loaded = load_vector(dump_vector({"s0": ORDERS}, 7, "abc", state, 12), "x")
    assert (loaded.vector, loaded.state, loaded.rows) == ({"s0": ORDERS}, state, 12)


def test_a_text_without_state_is_still_read() -> None:
    old = '{"number": 1, "token": "t", "sources": {}}'
    assert dump_vector({}, 1, "t") == old
    loaded = load_vector(old, "x")
    assert (loaded.state, loaded.rows) == ({}, None)


def test_a_text_with_damaged_state_is_named() -> None:
    text = '{"number": 1, "token": "t", "sources": {}, "state": {"join_1": [{"token": "a"}]}}'
    with pytest.raises(DefinitionCorrupt, match="x does not hold"):
        load_vector(text, "x")


def test_base_versions_reach_through_views() -> None:
    upper = Position("monthly", "1", "view-2", stored="1", base={"s0": LOWER})
    assert base_versions({"a": upper, "b": Position("items", "9", "id-2")}) == {
        "items": "9",
        "orders": "4",
    }


def test_a_table_seen_at_two_versions_shows_both() -> None:
    assert base_versions({"a": LOWER, "b": Position("orders", "5", "id-1")}) == {"orders": "4, 5"}


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"sources": 1, "number": 1, "token": ""}'])
def test_an_unreadable_vector_is_named(text: str) -> None:
    with pytest.raises(DefinitionCorrupt, match=r"refreshes/3\.json does not hold the versions"):
        load_vector(text, "refreshes/3.json")


def test_the_same_version_of_another_table_is_not_the_same() -> None:
    assert ORDERS.same_as(Position("orders", "4", "id-1"))
    assert not ORDERS.same_as(Position("orders", "4", "id-9"))
    assert not ORDERS.same_as(None)
