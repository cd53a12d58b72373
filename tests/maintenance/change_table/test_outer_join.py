"""Outer joins as conversion points: the combine rules, over all small bags and their changes."""

from __future__ import annotations

from itertools import product

import pytest

from rollview.algebra.expressions import Expression, binary, conjunction
from rollview.algebra.relations import Aggregate, Filter, Join, JoinKind, NamedAggregate
from rollview.maintenance.counts import COUNT_ALL
from rollview.maintenance.strategies import beyond, prepared
from tests.algebra.examples import PEOPLE, SAME_TEAM, TEAMS
from tests.maintenance.change_table.worlds import (
    CHANGE_TABLE,
    L_KEY,
    LEFT,
    R_KEY,
    RIGHT,
    Worlds,
    same_world,
)
from tests.maintenance.people import (
    ANN,
    CAT,
    DAN,
    EVE,
    TABLES,
    ZETA,
    closed,
    connection,
    founded,
    hired,
    left,
)
from tests.properties.cases import Case, Change
from tests.properties.maintained import Maintained, Refresh

OUTER = (JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL)
EQUAL = binary("EqualTo", "=", L_KEY, R_KEY, "BOOLEAN")
SAME = binary("EqualNullSafe", "<=>", L_KEY, R_KEY, "BOOLEAN")
LESS = binary("LessThan", "<", L_KEY, R_KEY, "BOOLEAN")
CONDITIONS: dict[str, Expression | None] = {"=": EQUAL, "<=>": SAME, "<": LESS, "cross": None}
# A key that matches, and NULL, which matches by <=> alone; both rows of R may match one of L.
SMALL = {"l": ((0, 0), (None, 0)), "r": ((0, 0), (None, 0))}
WIDER = {"l": ((0, 0), (None, 0)), "r": ((0, 0), (0, 1), (None, None))}


def joined(kind: JoinKind, condition: Expression | None) -> Join:
    parts = [same_world(), *([] if condition is None else [condition])]
    return Join(kind, LEFT, RIGHT, conjunction(parts))


@pytest.fixture(scope="module")
def small() -> Worlds:
    return Worlds(SMALL)


@pytest.mark.parametrize(("kind", "name"), list(product(OUTER, CONDITIONS)))
def test_all_changes_of_all_bags_of_two_rows_each(small: Worlds, kind: JoinKind, name: str) -> None:
    found = small.refreshed(joined(kind, CONDITIONS[name]))
    assert found.worlds == 3**8
    assert found.changed > 3**8
    assert found.is_right, found


@pytest.mark.parametrize("changing", [("l",), ("r",)])
@pytest.mark.parametrize("kind", OUTER)
def test_all_changes_of_one_side_alone(kind: JoinKind, changing: tuple[str, ...]) -> None:
    found = Worlds(SMALL, changing).refreshed(joined(kind, EQUAL))
    assert found.worlds == 3**6
    assert found.is_right, found


def test_all_changes_of_all_bags_where_several_rows_match() -> None:
    found = Worlds(WIDER).refreshed(joined(JoinKind.FULL, SAME))
    assert found.worlds == 3**10
    assert found.is_right, found


# --- by hand ---------------------------------------------------------------------------------

MEMBERS = Join(JoinKind.LEFT, PEOPLE, TEAMS, SAME_TEAM)
EVERYONE = Join(JoinKind.FULL, PEOPLE, TEAMS, SAME_TEAM)


def refresh(relation: Join | Filter | Aggregate, *changes: list[Change]) -> Refresh:
    view = Maintained(Case(TABLES, relation, ()), connection(), choice=CHANGE_TABLE)
    return view.refresh(tuple(change for some in changes for change in some))


def test_the_first_match_hides_the_padded_row() -> None:
    assert refresh(MEMBERS, founded(ZETA)).delta == {
        (*EVE, None, None): -1,
        (*EVE, *ZETA): 1,
    }


def test_the_last_match_that_goes_shows_the_padded_row() -> None:
    assert refresh(MEMBERS, closed(("b", "Beta"))).delta == {
        (*CAT, "b", "Beta"): -1,
        (*CAT, None, None): 1,
    }


def test_a_second_match_hides_nothing_more() -> None:
    assert refresh(MEMBERS, founded(("a", "Again"))).delta == {
        (*ANN, "a", "Again"): 1,
        (2, "ben", "a", 40, "a", "Again"): 1,
    }


def test_both_sides_of_a_full_join_are_padded() -> None:
    assert refresh(EVERYONE, left(CAT), hired((3, "cat", "c", 60))).delta == {
        (*CAT, "b", "Beta"): -1,
        (None, None, None, None, "b", "Beta"): 1,
        (None, None, None, None, "c", None): -1,
        (3, "cat", "c", 60, "c", None): 1,
    }


def test_null_matches_nothing() -> None:
    assert refresh(MEMBERS, closed((None, "none"))).delta == {}
    assert refresh(MEMBERS, left(DAN)).delta == {(*DAN, None, None): -1}


def test_the_other_side_is_not_read_for_its_matches() -> None:
    """Where teams come, people are read under their keys; whether others match is in the extent."""
    done = refresh(MEMBERS, founded(ZETA))
    assert done.reasons == ()
    assert [kept.label for kept in prepared(MEMBERS, CHANGE_TABLE).kept] == ["extent_1"]


def test_an_aggregate_above_is_the_conversion_point_itself() -> None:
    counted = Aggregate(MEMBERS, (), (NamedAggregate("n", COUNT_ALL),))
    assert beyond(counted, CHANGE_TABLE) == ()
    assert refresh(counted, founded(ZETA, ("a", "Again"))).delta == {(5,): -1, (7,): 1}
