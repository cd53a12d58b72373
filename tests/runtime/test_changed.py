"""What a view does when things it relies on have changed: by policy, in words."""

from __future__ import annotations

import pytest

from rollview.algebra.definition import Dependency, DependencyKind
from rollview.algebra.schema import Column
from rollview.errors import DependencyChanged, SourceReplaced
from rollview.runtime.changed import (
    check_dependency_policy,
    check_same_columns,
    replaced_sources,
)
from rollview.runtime.report import Policy
from rollview.storage.vector import Position
from tests.runtime.lakes import view

BIG = Dependency(DependencyKind.VIEW, "big", "SELECT 1")


def test_a_redefined_dependency() -> None:
    assert check_dependency_policy(view("v"), [BIG]) == "the view big was redefined"
    with pytest.raises(DependencyChanged, match="since the view v was created, and its policy is"):
        check_dependency_policy(view("v", policy=Policy.STRICT), [BIG])
    with pytest.raises(DependencyChanged, match="was created from a DataFrame, which holds the"):
        check_dependency_policy(view("v", text=None), [BIG])


def test_other_columns_are_named() -> None:
    check_same_columns(view("v"), (Column("a", "INT"),), "because")
    with pytest.raises(DependencyChanged, match="other columns: a INT became b INT, c DATE"):
        check_same_columns(view("v"), (Column("b", "INT"), Column("c", "DATE")), "because")


def test_a_replaced_source() -> None:
    old, new = {"s": Position("t", "1", "x")}, {"s": Position("t", "1", "y")}
    assert replaced_sources(view("v"), old, old) == []
    assert replaced_sources(view("v"), old, new) == ["t"]
    assert replaced_sources(view("v"), old, old, ["u"]) == ["u"]
    with pytest.raises(SourceReplaced, match="t was dropped and created anew"):
        replaced_sources(view("v", policy=Policy.STRICT), old, new)
