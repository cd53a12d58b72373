"""CompTime, CompInterval, PruneQueryLists, by the numbers of the paper's Figure 9."""

from __future__ import annotations

from rollview.rolling.control import Control, Listed
from rollview.rolling.query import Window
from rollview.rolling.query_lists import (
    comp_interval,
    comp_time,
    compensations,
    prune_query_lists,
)

# Forward queries of R1 over (0, 2], (2, 4] and (4, 6], run at 3, 5 and 8; R2 stands at 0.
LISTED = (Listed(0, 2, (2, 3)), Listed(2, 4, (4, 5)), Listed(4, 6, (6, 8)))
CONTROL = Control(3, (6, 0), (LISTED, ()), (0, 0))


def test_comp_time_is_where_the_oldest_query_begins_that_saw_more() -> None:
    assert [comp_time(CONTROL, 0, 1, at) for at in (0, 2, 3, 4, 5, 7)] == [0, 0, 2, 2, 4, 4]


def test_comp_time_is_where_queries_still_to_come_begin_if_none_saw_more() -> None:
    assert comp_time(CONTROL, 0, 1, 8) == 6


def test_comp_interval_ends_where_the_next_listed_query_was_run() -> None:
    assert [comp_interval(CONTROL, 1, at, 20) for at in (0, 3, 5, 8)] == [3, 5, 8, 20]
    assert comp_interval(CONTROL, 1, 0, 2) == 2


def test_the_part_to_be_taken_off_is_cut_into_rectangles() -> None:
    """A forward query of R2 over (0, 10], run at 11."""
    todos = compensations(CONTROL, 1, Window(0, 10), (11, 10))
    assert [str(todo.query) for todo in todos] == [
        "- R1(0,11] R2(0,3]",
        "- R1(2,11] R2(3,5]",
        "- R1(4,11] R2(5,8]",
        "- R1(6,11] R2(8,10]",
    ]


def test_nothing_is_taken_off_for_the_first_relation() -> None:
    assert compensations(CONTROL, 0, Window(6, 9), (9, 11)) == ()


def test_with_a_third_relation_every_listed_query_has_a_bound_of_its_own() -> None:
    """R3 as the earlier of both queries saw it: at 3, at 5, and for what is to come at 7."""
    listed = (Listed(0, 2, (2, 3, 3)), Listed(2, 4, (4, 5, 5)))
    control = Control(3, (4, 0, 0), (listed, (), ()), (0, 0, 0))
    todos = compensations(control, 1, Window(0, 2), (7, 2, 7))
    found = [(str(t.query), t.targets[2].until) for t in todos if t.targets is not None]
    assert found == [
        ("- R1(0,2] R2(0,2] R3", 3),
        ("- R1(2,4] R2(0,2] R3", 5),
        ("- R1(4,7] R2(0,2] R3", 7),
    ]


def test_what_several_count_is_put_back() -> None:
    """A forward query of R3 that both others have to come: -R1 -R2 +R1R2."""
    control = Control(1, (0, 0, 0), ((), (), ()), (0, 0, 0))
    todos = compensations(control, 2, Window(0, 4), (5, 5, 4))
    assert [str(todo.query) for todo in todos] == [
        "- R1(0,5] R2 R3(0,4]",
        "- R1 R2(0,5] R3(0,4]",
        "+ R1(0,5] R2(0,5] R3(0,4]",
    ]


def test_lists_are_pruned_when_all_relations_to_the_right_are_past_what_was_seen() -> None:
    assert prune_query_lists((LISTED, ()), (6, 2)) == (LISTED, ())
    assert prune_query_lists((LISTED, ()), (6, 3)) == (LISTED[1:], ())
    assert prune_query_lists((LISTED, ()), (6, 8)) == ((), ())
    three = (Listed(0, 2, (2, 3, 5)),)
    assert prune_query_lists((three, (), ()), (9, 3, 4)) == (three, (), ())
    assert prune_query_lists((three, (), ()), (9, 3, 5)) == ((), (), ())
    assert prune_query_lists(((), (), three), (0, 0, 0)) == ((), (), ())
