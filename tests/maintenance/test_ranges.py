"""What can be joined to known rows lies within their range; everything else is left as it is."""

from __future__ import annotations

import pytest

from rollview.algebra.expressions import ColumnRef, Expression, Literal, binary, column, same
from rollview.algebra.relations import (
    After,
    Filter,
    Join,
    JoinKind,
    Named,
    Project,
    Relation,
    Temporary,
    Values,
)
from rollview.algebra.schema import Column
from rollview.analysis.range import Range
from rollview.maintenance.ranges import within_ranges
from tests.algebra.examples import schema

KEY, ID, OTHER = column("key", "INT"), column("id", "INT"), column("other", "INT")
KEYS = Temporary("keys_1", schema(KEY))
TABLE = After("people", ("id", "other"), schema(ID, OTHER))
LOW, HIGH = Literal("3", "INT"), Literal("9", "INT")
EQUAL = binary("EqualTo", "=", ID, KEY, "BOOLEAN")


def known(nulls: bool = False) -> dict[tuple[str, str], Range]:
    return {("keys_1", "key"): Range(LOW, HIGH, nulls)}


def cut(relation: Relation, found: dict[tuple[str, str], Range] | None = None) -> Relation:
    ranges = known() if found is None else found

    def lookup(name: str, column: Column) -> Range | None:
        assert column.type == "INT"
        return ranges.get((name, column.name))

    return within_ranges(relation, lookup)


def between(relation: Relation, value: Expression = ID) -> Filter:
    above = binary("GreaterThanOrEqual", ">=", value, LOW, "BOOLEAN")
    below = binary("LessThanOrEqual", "<=", value, HIGH, "BOOLEAN")
    return Filter(relation, binary("And", "AND", above, below, "BOOLEAN"))


CUT_LEFT = (JoinKind.INNER, JoinKind.SEMI, JoinKind.RIGHT)
KEPT_RIGHT = (JoinKind.CROSS, JoinKind.RIGHT, JoinKind.FULL)


@pytest.mark.parametrize("kind", JoinKind)
def test_a_side_whose_rows_must_match_is_cut_down(kind: JoinKind) -> None:
    flag = "flag" if kind is JoinKind.EXISTENCE else None
    condition = None if kind is JoinKind.CROSS else EQUAL
    of_left = Join(kind, TABLE, KEYS, condition, flag)
    wanted = between(TABLE) if kind in CUT_LEFT else TABLE
    assert cut(of_left) == Join(kind, wanted, KEYS, condition, flag)
    of_right = Join(kind, KEYS, TABLE, condition, flag)
    wanted = TABLE if kind in KEPT_RIGHT else between(TABLE)
    assert cut(of_right) == Join(kind, KEYS, wanted, condition, flag)


def test_null_finds_null_under_a_null_safe_comparison_only() -> None:
    for condition, nulls, is_cut in (
        (EQUAL, True, True),
        (same(ID, KEY), True, False),
        (same(ID, KEY), False, True),
    ):
        join = Join(JoinKind.SEMI, TABLE, KEYS, condition)
        wanted = between(TABLE) if is_cut else TABLE
        assert cut(join, known(nulls)) == Join(JoinKind.SEMI, wanted, KEYS, condition)


def test_the_range_comes_through_names_filters_and_joins() -> None:
    renamed = Project(
        Filter(KEYS, binary("GreaterThan", ">", KEY, LOW, "BOOLEAN")),
        (Named("again", KEY),),
    )
    again = ColumnRef("again", "INT")
    third = After("teams", ("third",), schema(column("third", "INT")))
    lower = Join(JoinKind.CROSS, third, renamed)
    condition = binary("EqualTo", "=", again, ID, "BOOLEAN")
    join = Join(JoinKind.INNER, lower, TABLE, condition)
    assert cut(join) == Join(JoinKind.INNER, lower, between(TABLE), condition)


def test_computed_values_have_no_range() -> None:
    more = binary("Add", "+", KEY, LOW, "INT")
    computed = Project(KEYS, (Named("more", more),))
    equal = binary("EqualTo", "=", ColumnRef("more", "INT"), ID, "BOOLEAN")
    for join in (
        Join(JoinKind.INNER, computed, TABLE, equal),
        Join(JoinKind.INNER, KEYS, TABLE, binary("EqualTo", "=", more, ID, "BOOLEAN")),
        Join(JoinKind.INNER, KEYS, TABLE, binary("LessThan", "<", KEY, ID, "BOOLEAN")),
    ):
        assert cut(join) == join


def test_what_reads_no_table_and_what_is_not_known_stays() -> None:
    rows = Values(schema(ID, OTHER), ())
    assert cut(Join(JoinKind.SEMI, rows, KEYS, EQUAL)) == Join(JoinKind.SEMI, rows, KEYS, EQUAL)
    join = Join(JoinKind.SEMI, TABLE, KEYS, EQUAL)
    assert cut(join, {}) == join


def test_the_value_that_is_compared_may_be_any_of_the_table() -> None:
    total = binary("Add", "+", ID, OTHER, "INT")
    condition = binary("EqualTo", "=", total, KEY, "BOOLEAN")
    join = Join(JoinKind.SEMI, TABLE, KEYS, condition)
    assert cut(join) == Join(JoinKind.SEMI, between(TABLE, total), KEYS, condition)
