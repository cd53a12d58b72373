"""Signed bags: what is added and removed on the way is no change."""

from __future__ import annotations

import math

from rollview.algebra.expressions import Literal
from rollview.algebra.relations import Values
from rollview.algebra.schema import Column
from rollview.maintenance.signed import MINUS, PLUS, WEIGHT_COLUMN, net
from tests.maintenance.people import connection
from tests.properties.duckdb_engine import DuckEngine


def test_net_counts_copies() -> None:
    one, two = Literal("1", "INT"), Literal("2", "INT")
    rows = ((one, PLUS), (one, PLUS), (one, MINUS), (two, MINUS), (two, MINUS))
    delta = Values((Column("v", "INT", False), WEIGHT_COLUMN), rows)
    found = DuckEngine(connection()).recomputed(net(delta), {})
    assert sorted(found) == [(1, 1), (2, -1), (2, -1)]


def test_net_tells_zeros_apart_that_a_group_takes_for_equal() -> None:
    zero, other = (Literal(f"CAST('{text}' AS DOUBLE)", "DOUBLE") for text in ("0.0", "-0.0"))
    rows = ((zero, PLUS), (other, PLUS), (other, PLUS), (zero, MINUS))
    delta = Values((Column("v", "DOUBLE"), WEIGHT_COLUMN), rows)
    found = DuckEngine(connection()).recomputed(net(delta), {})
    assert [(math.copysign(1, value), weight) for value, weight in found] == [(-1, 1), (-1, 1)]
