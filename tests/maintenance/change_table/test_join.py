"""Products of change tables, over all small bags and all their changes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rollview.algebra.expressions import AggregateCall, ColumnRef, binary, column, conjunction
from rollview.algebra.relations import Aggregate, Join, JoinKind, NamedAggregate, Relation
from rollview.algebra.schema import Column
from rollview.maintenance.counts import COUNT_ALL
from rollview.sql.render import render
from tests.maintenance.change_table.worlds import (
    L_KEY,
    L_VALUE,
    L_WORLD,
    LEFT,
    R_KEY,
    R_VALUE,
    R_WORLD,
    RIGHT,
    Worlds,
    same_world,
)

# Values that cancel to zero, and NULL: a sum of no values is not the sum of values that are gone.
DOMAINS = {"l": ((0, 5), (0, None)), "r": ((0, 7), (None, 7))}
EQUAL = binary("EqualTo", "=", L_KEY, R_KEY, "BOOLEAN")


def total(name: str, value: ColumnRef) -> NamedAggregate:
    return NamedAggregate(name, AggregateCall("Sum", ("sum(", ")"), (value,), "BIGINT"))


PAID = Aggregate(LEFT, (L_WORLD, L_KEY), (total("paid", L_VALUE),))
OWED = Aggregate(RIGHT, (R_WORLD, R_KEY), (total("owed", R_VALUE), NamedAggregate("n", COUNT_ALL)))
A_WORLD, A_KEY, A_VALUE = (column(name, "INT") for name in ("a_w", "a_k", "a_v"))
AGAIN = replace(RIGHT, columns=tuple(Column(c.name, "INT") for c in (A_WORLD, A_KEY, A_VALUE)))
ON = conjunction([same_world(), EQUAL])
VIEWS: dict[str, Relation] = {
    "an aggregate": PAID,
    "two aggregates": Join(JoinKind.INNER, PAID, OWED, ON),
    "an aggregate and plain rows": Join(JoinKind.INNER, PAID, RIGHT, ON),
    "an outer join and an aggregate": Join(
        JoinKind.INNER,
        Join(JoinKind.LEFT, LEFT, RIGHT, ON),
        Aggregate(AGAIN, (A_WORLD, A_KEY), (total("again", A_VALUE),)),
        conjunction([same_world(right=A_WORLD), binary("EqualTo", "=", L_KEY, A_KEY, "BOOLEAN")]),
    ),
    "sums of sums over a product": Aggregate(
        Join(JoinKind.INNER, PAID, RIGHT, ON),
        (L_WORLD,),
        (total("all_paid", ColumnRef("paid", "BIGINT")),),
    ),
    "groups of groups": Aggregate(
        PAID, (L_WORLD,), (total("all_paid", ColumnRef("paid", "BIGINT")),)
    ),
}


@pytest.fixture(scope="module")
def worlds() -> Worlds:
    return Worlds(DOMAINS)


@pytest.mark.parametrize("name", VIEWS)
def test_all_changes_of_all_bags(worlds: Worlds, name: str) -> None:
    found = worlds.refreshed(VIEWS[name])
    assert found.worlds == 3**8
    assert found.is_right, found


def test_the_printed_rule_adds_the_other_operand_to_itself() -> None:
    """Table 5.2, third row, by the letter: the totals of both operands are combined.

    The change table of l, joined with r, has the total of r, which did not change.
    """
    changed = Worlds(DOMAINS, ("l",))
    assert changed.refreshed(VIEWS["two aggregates"]).is_right
    keys = "l_w = c.l_w AND {0}.l_k <=> c.l_k"
    ((printed_wrong, kept_wrong, rows),) = changed.rows(
        "SELECT count_if(s.owed + q.owed <> a.owed), count_if(s.owed <> a.owed), count(*)"
        f" FROM step_stored s JOIN step_change_table_1 c ON s.{keys.format('s')}"
        f" JOIN ({render(OWED, {'r': 'r_after'})}) q ON q.r_w = s.r_w AND q.r_k <=> s.r_k"
        f" JOIN step_extent_after a ON a.{keys.format('a')}"
    )
    assert rows
    assert printed_wrong == rows
    assert kept_wrong == 0
