"""What changes can do to a relation: which columns are exposed, where rows only ever come."""

from __future__ import annotations

import pytest

from rollview.algebra.expressions import Literal, binary
from rollview.algebra.relations import Distinct, Filter, JoinKind
from rollview.analysis.cut_down import accesses
from rollview.analysis.self_maintenance import exposed, only_adds, part_of, shown, width_of
from tests.algebra.examples import EXAMPLES, PAY, PEOPLE, join

PEOPLE_ALONE, TEAMS_ALONE = frozenset({"people"}), frozenset({"teams"})
RICH = binary("GreaterThan", ">", PAY, Literal("50", "INT"), "BOOLEAN")


@pytest.mark.parametrize("kind", [JoinKind.INNER, JoinKind.CROSS, JoinKind.SEMI])
def test_joins_that_only_add(kind: JoinKind) -> None:
    assert only_adds(join(kind), PEOPLE_ALONE)
    assert only_adds(join(kind), TEAMS_ALONE)


@pytest.mark.parametrize("kind", [JoinKind.LEFT, JoinKind.ANTI])
def test_joins_that_lose_rows_to_new_ones_on_the_right(kind: JoinKind) -> None:
    assert only_adds(join(kind), PEOPLE_ALONE)
    assert not only_adds(join(kind), TEAMS_ALONE)


def test_groups_change_their_rows() -> None:
    assert not only_adds(EXAMPLES["aggregate"], PEOPLE_ALONE)
    assert only_adds(EXAMPLES["aggregate"], TEAMS_ALONE)
    assert not only_adds(Distinct(PEOPLE), PEOPLE_ALONE)


def test_columns_of_conditions_are_exposed_and_others_shown() -> None:
    view = Filter(join(JoinKind.INNER), RICH)
    assert exposed(view, "people") == {"team", "pay"}
    assert shown(view, "people") == {"id", "name"}
    assert exposed(view, "teams") == {"code"}
    assert exposed(view, "others") == frozenset()


def test_estimates() -> None:
    (access,) = accesses(Filter(PEOPLE, RICH)).all
    assert part_of(access) == pytest.approx(0.33)
    assert width_of(access) == 4 + 20 + 20 + 4
