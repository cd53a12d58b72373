"""Rows are estimated from the sizes of leaves; nothing is said twice or below zero."""

from __future__ import annotations

import math
from random import Random

import pytest

from rollview.algebra.expressions import ColumnRef, Literal, binary
from rollview.algebra.relations import (
    After,
    Changes,
    Distinct,
    Filter,
    Join,
    JoinKind,
    Named,
    Project,
    Relation,
    TopK,
    Union,
)
from rollview.algebra.traverse import walk
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.keys import Keys, restrict
from rollview.maintenance.prepare import prepare
from rollview.maintenance.signed import WEIGHT_COLUMN
from rollview.planning.cardinality import Cardinalities
from rollview.planning.cost import DEFAULTS
from rollview.planning.statistics import ChangeSize, Size, Statistics
from tests.algebra.examples import DEFINITIONS, EXAMPLES, PEOPLE, TEAM, TEAMS, join
from tests.properties.cases import random_case
from tests.properties.seed import SEED

PAST = Statistics(
    tables={"people": Size(10_000), "teams": Size(100)},
    changes={"people": ChangeSize(30, 20), "teams": ChangeSize(4, 0)},
)
CHANGED = Changes("people", PEOPLE.fields, (*PEOPLE.columns, WEIGHT_COLUMN))
CHANGED_TEAMS = Changes("teams", TEAMS.fields, (*TEAMS.columns, WEIGHT_COLUMN))


def rows(relation: Relation, statistics: Statistics = PAST) -> float:
    return Cardinalities(statistics, DEFAULTS).of(relation).rows


def test_leaves_have_the_rows_that_are_told() -> None:
    assert rows(PEOPLE) == 10_000
    assert rows(After("teams", TEAMS.fields, TEAMS.columns)) == 100
    assert rows(CHANGED) == 50


@pytest.mark.parametrize(
    ("size", "expected"),
    [(Size(7, 10**9), 7), (Size(None, 5_000), 100), (Size(), DEFAULTS.rows), (Size(0), 0)],
)
def test_what_is_not_told_is_guessed_by_bytes(size: Size, expected: float) -> None:
    assert rows(PEOPLE, Statistics(tables={"people": size})) == expected


def test_changes_that_are_not_counted_are_guessed() -> None:
    tables = {"people": Size(10_000)}
    by_bytes = Statistics(tables, {"people": ChangeSize(bytes=500)})
    assert rows(CHANGED, by_bytes) == 10
    assert rows(CHANGED, Statistics(tables, {"people": ChangeSize()})) == 20


def test_a_row_that_refers_finds_one_and_a_row_referred_to_finds_its_share() -> None:
    assert rows(join(JoinKind.INNER)) == 10_000
    condition = join(JoinKind.INNER).condition
    changed_rows = Join(JoinKind.INNER, CHANGED, TEAMS, condition)
    assert rows(changed_rows) == 50
    changed_teams = Join(JoinKind.INNER, PEOPLE, CHANGED_TEAMS, condition)
    assert rows(changed_teams) == 4 * 100


def test_keys_cut_a_table_down_in_proportion() -> None:
    keys = Distinct(Project(CHANGED, (Named("key", TEAM),)))
    reference = ColumnRef("key", TEAM.type)
    under = restrict(PEOPLE, Keys(keys, ((TEAM, reference),)))
    # 50 changed rows of at most 50 groups, out of a tenth of all rows.
    assert rows(under) == pytest.approx(10_000 * 50 / 1_000)


def test_groups_are_as_many_as_the_state_has() -> None:
    prepared = prepare(EXAMPLES["aggregate"])
    (kept,) = prepared.kept
    known = Statistics(PAST.tables, PAST.changes, {kept.name: Size(12)})
    found = Cardinalities(known, DEFAULTS, prepared.kept)
    assert found.of(kept.relation).rows == 12
    keys = Distinct(Project(CHANGED, (Named("key", TEAM),)))
    assert found.of(keys).rows == 12
    assert found.of(keys).whole == 12


def test_no_more_rows_than_a_limit_and_a_share_of_a_filter() -> None:
    assert rows(TopK(PEOPLE, (), Literal("3", "INT"), None)) == 3
    rich = Filter(PEOPLE, binary("GreaterThan", ">", TEAM, TEAM, "BOOLEAN"))
    assert rows(rich) == pytest.approx(10_000 * DEFAULTS.selectivity)
    assert rows(Union((rich, rich), PEOPLE.columns)) == pytest.approx(2 * rows(rich))


@pytest.mark.parametrize("kind", list(JoinKind))
def test_every_kind_of_join_has_an_estimate(kind: JoinKind) -> None:
    found = Cardinalities(PAST, DEFAULTS).of(join(kind))
    assert 0 <= found.rows <= found.whole * 1.000001


@pytest.mark.parametrize("name", DEFINITIONS)
def test_every_operator_of_a_program_has_an_estimate(name: str) -> None:
    assert_all_estimated(DEFINITIONS[name], PAST)


def test_every_operator_of_generated_programs_has_an_estimate() -> None:
    for number in range(60):
        case = random_case(Random(f"{SEED}-{number}"))
        tables = {table: Size(1000 * (index + 1)) for index, table in enumerate(case.tables)}
        changes = {table: ChangeSize(5, 5) for table in case.tables}
        assert_all_estimated(case.relation, Statistics(tables, changes))


def assert_all_estimated(relation: Relation, statistics: Statistics) -> None:
    prepared = prepare(relation)
    program = compile_delta(prepared, statistics.changes)
    found = Cardinalities(statistics, DEFAULTS, prepared.kept)
    for step in program.steps:
        found.hold(step.name, step.relation)
    results = [*program.states.values(), *([] if program.delta is None else [program.delta])]
    for root in (relation, *(step.relation for step in program.steps), *results):
        for node in walk(root):
            guess = found.of(node)
            assert math.isfinite(guess.rows)
            assert guess.rows >= 0
