"""The graph by itself: negative cycles, ways through unknown nodes, what follows from what."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from rollview.algebra.expressions import ColumnRef
from rollview.analysis.relevance.conditions import NO, YES, ZERO, edge
from rollview.analysis.relevance.formulas import Edge
from rollview.analysis.relevance.graph import is_satisfiable, left_of

X, Y, Z = (ColumnRef(name, "INT") for name in "xyz")
P, Q = (ColumnRef(name, "DECIMAL(12,2)") for name in "pq")


def own(*columns: ColumnRef) -> Callable[[ColumnRef], bool]:
    return lambda column: column in columns


def test_a_negative_cycle_cannot_be_satisfied() -> None:
    assert is_satisfiable([edge(X, Y, 1), edge(Y, X, -1)])
    assert not is_satisfiable([edge(X, Y, 1), edge(Y, X, -2)])
    assert not is_satisfiable([edge(X, Y, 0), edge(Y, Z, 0), edge(Z, X, 0, strict=True)])


def test_integers_leave_no_room_where_decimals_do() -> None:
    between = [(ZERO, X, 0), (X, ZERO, 1)]
    assert not is_satisfiable([edge(*one, strict=True) for one in between])
    dense = [(ZERO, P, 0), (P, ZERO, 1)]
    assert is_satisfiable([edge(*one, strict=True) for one in dense])
    assert not is_satisfiable([edge(ZERO, P, 0, strict=True), edge(P, ZERO, 0)])


def test_bounds_of_integers_are_integers() -> None:
    assert edge(X, ZERO, Fraction(5, 2), strict=True) == Edge(X, ZERO, 2)
    assert edge(X, ZERO, 2, strict=True) == Edge(X, ZERO, 1)
    assert edge(X, P, 2, strict=True) == Edge(X, P, 2, strict=True)


def test_ways_through_unknown_nodes_are_closed() -> None:
    edges = [edge(X, Y, 1), edge(Y, Z, 2), edge(Z, ZERO, 4)]
    assert left_of(edges, own(X)) == [Edge(X, ZERO, 7)]
    assert set(left_of(edges, own(X, Z)) or ()) == {Edge(X, Z, 3), Edge(Z, ZERO, 4)}
    assert left_of([edge(P, Q, 0, strict=True), edge(Q, ZERO, 3)], own(P)) == [
        Edge(P, ZERO, 3, strict=True)
    ]


def test_what_follows_is_left_out() -> None:
    edges = [edge(X, ZERO, 3), edge(X, Y, 0), edge(Y, ZERO, 3)]
    assert set(left_of(edges, own(X, Y)) or ()) == {Edge(X, Y, 0), Edge(Y, ZERO, 3)}


def test_contradictions_elsewhere_count() -> None:
    assert left_of([edge(X, ZERO, 3), edge(Y, ZERO, 1), edge(ZERO, Y, -2)], own(X)) is None


def test_truths_are_two() -> None:
    flag, other = ColumnRef("f", "BOOLEAN"), ColumnRef("g", "BOOLEAN")
    assert not is_satisfiable([Edge(flag, NO, 0), Edge(YES, flag, 0)])
    assert is_satisfiable([Edge(flag, NO, 0), Edge(YES, other, 0)])
    assert not is_satisfiable([Edge(flag, NO, 0), Edge(YES, other, 0), Edge(other, flag, 0)])
