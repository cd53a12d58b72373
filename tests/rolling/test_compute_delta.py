"""ComputeDelta asks the queries of Equations 2 and 3."""

from __future__ import annotations

from rollview.rolling.compute_delta import compensation, compute_delta
from rollview.rolling.control import Todo
from rollview.rolling.exact import correction, forward
from rollview.rolling.query import Present, Query, Window

A, B, C, D = 10, 20, 30, 40


def view(relations: int) -> Query:
    return Query((Present(),) * relations)


def texts(todos: tuple[Todo, ...]) -> list[str]:
    return [str(todo.query) for todo in todos]


def test_equation_3() -> None:
    first, second = compute_delta(view(2), (A, A), (B, B))
    assert texts((first, second)) == ["+ R1(10,20] R2", "+ R1 R2(10,20]"]
    assert texts(compensation(first, (B, C))) == ["- R1(10,20] R2(20,30]"]
    assert texts(compensation(second, (D, B))) == ["- R1(10,40] R2(10,20]"]


def test_equation_2_says_where_the_others_should_be_seen() -> None:
    todos = compute_delta(view(3), (A,) * 3, (B,) * 3)
    at = [[target.until for target in todo.targets or ()] for todo in todos]
    assert [row[:i] + row[i + 1 :] for i, row in enumerate(at)] == [[B, B], [A, B], [A, A]]


def test_compensation_ends_when_only_windows_are_left() -> None:
    """One query for each order in which relations can be replaced: 5 for three, 65 for five."""

    def count(todo: Todo, now: int) -> int:
        seen = (now,) * len(todo.query.entries)
        return 1 + sum(count(more, now + 10) for more in compensation(todo, seen))

    counts = []
    for relations in (2, 3, 4, 5):
        forward = compute_delta(view(relations), (A,) * relations, (B,) * relations)
        counts.append([count(todo, C) for todo in forward])
    assert counts == [[2] * 2, [5] * 3, [16] * 4, [65] * 5]


def test_what_was_seen_where_it_should_be_needs_no_compensation() -> None:
    first, _ = compute_delta(view(2), (A, A), (B, B))
    assert compensation(first, (B, B)) == ()


def test_versioned_relations_are_read_where_they_stand() -> None:
    todo = forward((False, False, False), 1, Window(A, B), A, (C, A, A))
    assert str(todo.query) == "+ R1@10+(10,30] R2(10,20] R3@10"
    assert correction(todo, (C, B, A)) == ()


def test_live_relations_beside_them_are_brought_there() -> None:
    todo = forward((True, False, True), 1, Window(A, B), A, (C, A, A))
    assert str(todo.query) == "+ R1 R2(10,20] R3"
    first, second = correction(todo, (D, B, D))
    assert str(first.query) == "+ R1[+(10,30] -(10,40]] R2(10,20] R3"
    assert str(second.query) == "+ R1 R2(10,20] R3[+(10,10] -(10,40]]"
    (third,) = correction(first, (C, B, D + 5))
    assert str(third.query) == "+ R1[+(10,30] -(10,40]] R2(10,20] R3[+(40,40] -(40,45]]"
