"""Keys that follow from declared ones, through every kind of join."""

from __future__ import annotations

import pytest

from rollview.algebra.expressions import column
from rollview.algebra.relations import Distinct, Join, JoinKind, Relation
from rollview.analysis.constraints import Constraints, ForeignKey, Key
from rollview.analysis.keys import key_of, keys_of
from tests.algebra.examples import CODE, EXAMPLES, ID, PEOPLE, SAME_TEAM, TEAM, TEAMS, join, keep

PERSON = Key("people", ("id",))
MEMBER = ForeignKey("people", ("team",), "teams", ("code",))
DECLARED = Constraints((PERSON, MEMBER))


def found(relation: Relation) -> set[tuple[str, ...]]:
    return {one.columns for one in keys_of(relation, DECLARED)}


def test_of_a_table() -> None:
    assert found(PEOPLE) == {("id",)}
    assert found(TEAMS) == {("code",)}
    assert keys_of(PEOPLE) == ()


def test_a_column_that_is_left_out_is_no_key() -> None:
    assert found(keep(PEOPLE, TEAM)) == set()
    assert found(keep(PEOPLE, TEAM, ID)) == {("id",)}


@pytest.mark.parametrize("kind", [JoinKind.INNER, JoinKind.LEFT])
def test_what_is_found_by_its_key_adds_nothing(kind: JoinKind) -> None:
    (known,) = keys_of(join(kind), DECLARED)
    assert known.columns == ("id",)
    assert known.by == {PERSON, MEMBER}


def test_a_right_join_keeps_rows_that_have_no_person() -> None:
    assert found(join(JoinKind.RIGHT)) == {("id", "code")}


def test_a_full_join_has_none() -> None:
    assert found(join(JoinKind.FULL)) == set()


@pytest.mark.parametrize(
    "kind", [JoinKind.SEMI, JoinKind.ANTI, JoinKind.EXISTENCE, JoinKind.SINGLE]
)
def test_joins_that_ask_keep_the_key_of_the_left(kind: JoinKind) -> None:
    flag = "flag" if kind is JoinKind.EXISTENCE else None
    assert found(Join(kind, PEOPLE, TEAMS, SAME_TEAM, flag)) == {("id",)}


def test_without_an_equality_both_keys_tell_pairs_apart() -> None:
    assert found(Join(JoinKind.CROSS, PEOPLE, TEAMS)) == {("id", "code")}


def test_of_two_equal_columns_one_is_enough() -> None:
    two = Constraints((Key("people", ("id", "team")), Key("teams", ("code", "title"))))
    columns = {one.columns for one in keys_of(join(JoinKind.INNER), two)}
    assert ("id", "team", "title") in columns


def test_what_needs_no_declaration_comes_first() -> None:
    assert key_of(EXAMPLES["aggregate"], DECLARED) == key_of(EXAMPLES["aggregate"])
    assert key_of(Distinct(keep(PEOPLE, ID, TEAM))) == ("id", "team")
    assert key_of(Distinct(keep(TEAMS, CODE)), DECLARED) == ("code",)


def test_a_key_that_is_read_under_another_name() -> None:
    renamed = Distinct(keep(PEOPLE, column("id", "INT", nullable=False)))
    assert key_of(renamed, DECLARED) == ("id",)
