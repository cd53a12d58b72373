"""Propagation queries as algebra: the tree that is rendered, and what its leaves stand for."""

from __future__ import annotations

import pytest

from rollview.algebra.expressions import ColumnRef, Literal, binary
from rollview.algebra.printer import print_tree
from rollview.algebra.relations import Filter, Join, JoinKind, Values
from rollview.algebra.schema import Column
from rollview.errors import InternalError
from rollview.maintenance.signed import WEIGHT
from rollview.rolling.query import AsOf, Correction, Present, Query, Stamp, Window
from rollview.rolling.stamped import POSITION, Reading, delta, readings
from rollview.rolling.view import rolled
from tests.rolling.views import INT, chain, scan
from tests.rolling.world import Simulated

LIVE, KEPT = Simulated("r", "shop", False), Simulated("s", "lake", True)
VIEW = rolled(chain(["r", "s"]), (LIVE, KEPT))


def test_columns_then_weight_and_position() -> None:
    found = delta(VIEW, Query((Window(0, 3), AsOf(1, 2))))
    assert [c.name for c in found.columns] == ["k1", "v1", "k2", "v2", WEIGHT, POSITION]


def test_leaves_say_what_they_stand_for() -> None:
    query = Query((Correction(1, 3, 5), AsOf(1, 2)), stamp=Stamp.MAXIMUM)
    assert readings(delta(VIEW, query)) == {
        "changes r (1, 5]": Reading("r", 1, 5),
        "changes r (1, 3]": Reading("r", 1, 3),
        "before s at 1": Reading("s", 1),
        "changes s (1, 2]": Reading("s", 1, 2),
    }
    assert readings(delta(VIEW, Query((Present(), Window(2, 4))))) == {
        "after r": Reading("r"),
        "changes s (2, 4]": Reading("s", 2, 4),
    }


def test_rows_without_positions_are_read_plain() -> None:
    text = print_tree(delta(VIEW, Query((Window(0, 3), AsOf(2, 2)), -1)))
    assert "Before s at 2" in text
    assert "Union" not in text
    assert "least" not in text


def test_a_name_with_blanks_and_brackets_is_read_back() -> None:
    odd = rolled(chain(["a (1, 2] at 3", "s"]), (Simulated("a (1, 2] at 3", "a", True), KEPT))
    found = readings(delta(odd, Query((AsOf(4, 5), Window(0, 1)))))
    assert {one.source for one in found.values()} == {"a (1, 2] at 3", "s"}


def test_constants_are_joined_as_they_are() -> None:
    column = Column("c", INT, False)
    constant = Values((column,), ((Literal("1", INT),),))
    condition = binary("EqualTo", "=", ColumnRef("k1", INT, False), ColumnRef("c", INT), "BOOLEAN")
    view = rolled(Join(JoinKind.INNER, scan("r", 1), constant, condition), (LIVE,))
    assert len(view.relations) == 1
    assert list(readings(delta(view, Query((Window(0, 1),))))) == ["changes r (0, 1]"]


def test_what_is_no_join_of_tables_is_refused() -> None:
    left = Join(JoinKind.LEFT, scan("r", 1), scan("s", 2), None)
    with pytest.raises(InternalError, match="cannot be rolled"):
        rolled(Filter(left, Literal("TRUE", "BOOLEAN")), (LIVE, KEPT))


def test_a_query_reads_changes() -> None:
    with pytest.raises(InternalError, match="reads changes"):
        delta(VIEW, Query((Present(), AsOf(1, 2))))
