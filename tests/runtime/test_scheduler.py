"""Dependency order and cycles."""

from __future__ import annotations

import pytest

from rollview.errors import DependencyCycle
from rollview.runtime.scheduler import below, check_no_cycle, in_order, readers
from tests.runtime.lakes import view

VIEWS = {
    "a": view("a"),
    "b": view("b", "A"),
    "c": view("c", "a", "b"),
    "d": view("d"),
}


def test_each_view_comes_after_what_it_reads() -> None:
    order = in_order(VIEWS, VIEWS)
    assert sorted(order) == ["a", "b", "c", "d"]
    assert order.index("a") < order.index("b") < order.index("c")
    assert in_order(VIEWS, ["b"]) == ["a", "b"]


def test_what_lies_below_and_who_reads() -> None:
    assert below(VIEWS, ["c"]) == {"a", "b", "c"}
    assert readers(VIEWS, "a") == ["b", "c"]
    assert readers(VIEWS, "d") == []


def test_a_cycle_is_named() -> None:
    with pytest.raises(DependencyCycle, match=r"in a circle: (\w -> )+\w"):
        check_no_cycle(VIEWS, "a", "a", ["c"])
    with pytest.raises(DependencyCycle, match="d -> d"):
        check_no_cycle(VIEWS, "d", "d", ["d"])
    with pytest.raises(DependencyCycle):
        in_order({"a": view("a", "b"), "b": view("b", "a")}, ["a"])
    check_no_cycle(VIEWS, "d", "d", ["c"])
