"""Tables cut down where they are read: conditions, columns, parents."""

from __future__ import annotations

import pytest

from rollview.algebra.expressions import Call, Expression, Literal, binary, conjunction
from rollview.algebra.relations import Filter, Join, JoinKind, Project, Relation, Scan
from rollview.algebra.traverse import walk
from rollview.analysis.constraints import Constraints, ForeignKey
from rollview.analysis.cut_down import accesses
from tests.algebra.examples import (
    CODE,
    EXAMPLES,
    ID,
    NAME,
    PAY,
    PEOPLE,
    SAME_TEAM,
    TEAMS,
    TITLE,
    join,
    keep,
)

RICH = binary("GreaterThan", ">", PAY, Literal("50", "INT"), "BOOLEAN")
TITLED = binary("EqualTo", "=", TITLE, Literal("'Alpha'", "STRING"), "BOOLEAN")
MEMBER = ForeignKey("people", ("team",), "teams", ("code",))
TODAY = Call("CurrentDate", ("current_date()",), (), "DATE", False)


def names(relation: Relation, *declared: ForeignKey) -> set[str]:
    return {access.name for access in accesses(relation, Constraints(declared)).all}


def where(kind: JoinKind, *conditions: Expression) -> Relation:
    whole = conjunction(conditions)
    assert whole is not None
    return keep(Filter(join(kind), whole), ID, NAME)


def test_conditions_go_to_the_table_they_are_about() -> None:
    assert names(where(JoinKind.INNER, RICH, TITLED)) == {
        "SELECT id, name, team FROM people WHERE (pay > 50)",
        "SELECT code FROM teams WHERE (title = 'Alpha')",
    }


def test_conditions_above_an_outer_join_go_to_the_side_that_is_kept() -> None:
    assert names(where(JoinKind.LEFT, RICH, TITLED)) == {
        "SELECT id, name, team FROM people WHERE (pay > 50)",
        "SELECT code, title FROM teams",
    }


@pytest.mark.parametrize("kind", [JoinKind.LEFT, JoinKind.SEMI, JoinKind.ANTI])
def test_conditions_of_a_join_on_its_right_go_there(kind: JoinKind) -> None:
    whole = conjunction((SAME_TEAM, TITLED))
    found = names(keep(Join(kind, PEOPLE, TEAMS, whole), ID))
    assert "SELECT code FROM teams WHERE (title = 'Alpha')" in found
    assert "SELECT id, team FROM people" in found


def test_conditions_of_a_full_join_stay() -> None:
    assert names(where(JoinKind.FULL, RICH)) == {
        "SELECT id, name, team, pay FROM people",
        "SELECT code FROM teams",
    }


def test_rows_without_a_selected_parent_are_left_out() -> None:
    teams = "SELECT code FROM teams WHERE (title = 'Alpha')"
    found = names(where(JoinKind.INNER, TITLED), MEMBER)
    assert found == {teams, f"SELECT id, name, team FROM people WHERE team IN ({teams})"}


def test_a_parent_of_which_all_is_selected_leaves_nothing_out() -> None:
    found = accesses(join(JoinKind.INNER), Constraints((MEMBER,)))
    assert not any(access.is_selected for access in found.all)


def test_an_outer_join_leaves_nothing_out() -> None:
    assert all("IN" not in name for name in names(where(JoinKind.LEFT, TITLED), MEMBER))


def test_the_clock_stays_above_the_access() -> None:
    early = binary("LessThan", "<", NAME, TODAY, "BOOLEAN")
    found = accesses(Filter(PEOPLE, early))
    assert [type(access.relation) for access in found.all] == [Scan]


def test_one_column_stays_where_none_is_asked_for() -> None:
    counted = EXAMPLES["aggregate_without_inverse"]
    for access in accesses(counted).all:
        assert access.fields


@pytest.mark.parametrize("name", EXAMPLES)
def test_columns_are_those_of_the_relation(name: str) -> None:
    relation = EXAMPLES[name]
    found = accesses(relation)
    assert found.relation.columns == relation.columns
    nodes = set(walk(found.relation))
    assert all(access.relation in nodes for access in found.all)


def test_narrow_accesses_are_projections() -> None:
    (one, two) = accesses(keep(join(JoinKind.INNER), ID, CODE)).all
    assert isinstance(one.relation, Project)
    assert (one.fields, two.fields) == (("id", "team"), ("code",))
