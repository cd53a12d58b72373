"""Vectors: through text and back, and down to base tables."""

from __future__ import annotations

import pytest

from rollview.errors import DefinitionCorrupt
from rollview.storage.vector import Position, base_versions, dump_vector, load_vector

ORDERS = Position("orders", "4", "id-1")
LOWER = Position("daily", "2", "view-1", stored="3", base={"s0": ORDERS})


def test_a_vector_survives_as_text() -> None:
    vector = {"s0": ORDERS, "s1": LOWER}
    loaded = load_vector(dump_vector(vector, 7, "abc"), "x")
    assert (loaded.vector, loaded.number, loaded.token) == (vector, 7, "abc")


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
