"""Columns that a recursion hands down: through joins, filters and projections, row by row."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rollview.algebra.expressions import binary, column
from rollview.algebra.relations import (
    Distinct,
    Filter,
    Join,
    JoinKind,
    Named,
    Project,
    Recursion,
    RecursionInput,
    Relation,
    Union,
)
from rollview.analysis.recursion import carried
from tests.algebra.examples import EXAMPLES, ID, PAY, PEOPLE, number, schema

ROOT, AT = column("root", "INT"), column("at", "INT")
ROUND = RecursionInput("r", ("root", "at"), schema(column("root_1", "INT"), column("at_1", "INT")))
SAME = binary("EqualTo", "=", column("at_1", "INT"), PAY, "BOOLEAN")
ANCHOR = Project(PEOPLE, (Named("a", ID), Named("b", PAY)))


def step(below: Relation, root: str = "root_1", at: str = "id") -> Project:
    return Project(below, (Named("x", column(root, "INT")), Named("y", column(at, "INT"))))


def recursion(below: Relation) -> Recursion:
    return Recursion("r", ANCHOR, below, schema(ROOT, AT))


HANDS_DOWN = (JoinKind.INNER, JoinKind.CROSS, JoinKind.LEFT)


@pytest.mark.parametrize("kind", [*HANDS_DOWN, JoinKind.RIGHT, JoinKind.FULL])
def test_through_a_join_that_takes_rows_one_by_one(kind: JoinKind) -> None:
    found = carried(recursion(step(Join(kind, ROUND, PEOPLE, SAME))))
    assert found == ((0,) if kind in HANDS_DOWN else ())


@pytest.mark.parametrize("kind", [JoinKind.SEMI, JoinKind.ANTI])
def test_through_a_question_for_a_match_but_not_as_what_is_asked_for(kind: JoinKind) -> None:
    assert carried(recursion(step(Join(kind, ROUND, PEOPLE, SAME), at="at_1"))) == (0, 1)
    assert carried(recursion(step(Join(kind, PEOPLE, ROUND, SAME), root="pay"))) == ()


def test_the_right_of_an_inner_join_is_as_good_as_the_left() -> None:
    assert carried(recursion(step(Join(JoinKind.INNER, PEOPLE, ROUND, SAME)))) == (0,)
    assert carried(recursion(step(Join(JoinKind.LEFT, PEOPLE, ROUND, SAME)))) == ()


def test_only_in_its_own_place_and_unchanged() -> None:
    assert carried(recursion(step(ROUND, root="at_1", at="root_1"))) == ()
    more = binary("Add", "+", column("root_1", "INT"), number(1), "INT")
    changed = Project(ROUND, (Named("x", more), Named("y", column("at_1", "INT"))))
    assert carried(recursion(changed)) == (1,)
    assert carried(EXAMPLES["recursion"]) == ()  # type: ignore[arg-type]


def test_not_where_rows_of_a_round_are_taken_together() -> None:
    rows = step(ROUND, at="at_1")
    assert carried(recursion(rows)) == (0, 1)
    assert carried(recursion(Distinct(rows))) == ()
    assert carried(recursion(Union((rows, rows), rows.columns))) == ()
    twice = replace(ROUND, columns=schema(column("root_2", "INT"), PAY))
    assert carried(recursion(step(Join(JoinKind.INNER, ROUND, twice, SAME), at="at_1"))) == ()


def test_not_what_cannot_be_compared() -> None:
    label = column("label", "MAP<INT, INT>")
    again = RecursionInput("r", ("label",), schema(column("label_1", label.type)))
    anchor = Project(PEOPLE, (Named("label", label),))
    few = Filter(again, binary("LessThan", "<", ID, number(1), "BOOLEAN"))
    items = (Named("label_2", column("label_1", label.type)),)
    assert carried(Recursion("r", anchor, Project(few, items), schema(label))) == ()
