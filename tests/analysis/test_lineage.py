"""Columns that have values of a field of a table, and those that have not."""

from __future__ import annotations

import pytest

from rollview.algebra.relations import Distinct, Filter, JoinKind, Named, Project, Union
from rollview.analysis.lineage import Origin, origin_of
from tests.algebra.examples import EXAMPLES, NAME, PAY, PEOPLE, SAME_TEAM, TEAM, join

TEAM_FIELD = Origin("people", "team")


@pytest.mark.parametrize("kind", [kind for kind in JoinKind if kind is not JoinKind.EXISTENCE])
def test_through_every_join(kind: JoinKind) -> None:
    assert origin_of(join(kind), "team") == TEAM_FIELD


def test_of_the_right_of_a_join() -> None:
    assert origin_of(join(JoinKind.LEFT), "code") == Origin("teams", "code")


def test_under_another_name_through_filters_and_distinct() -> None:
    renamed = Project(Filter(PEOPLE, SAME_TEAM), (Named("t", TEAM),))
    assert origin_of(Distinct(renamed), "t") == TEAM_FIELD


def test_groups_have_an_origin_and_aggregates_have_none() -> None:
    aggregate = EXAMPLES["aggregate"]
    names = [column.name for column in aggregate.columns]
    assert origin_of(aggregate, names[0]) == TEAM_FIELD
    assert origin_of(aggregate, names[-1]) is None


def test_what_is_computed_or_comes_from_several_places_has_none() -> None:
    computed = Project(PEOPLE, (Named("n", NAME), Named("p", PAY)))
    assert origin_of(Union((computed, computed), computed.columns), "n") is None
    assert origin_of(PEOPLE, "unknown") is None
