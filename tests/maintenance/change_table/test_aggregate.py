"""Aggregates as conversion points, and above change tables: what passes, and what violates it."""

from __future__ import annotations

import pytest

from rollview.algebra.definition import ReasonCode
from rollview.algebra.expressions import (
    AggregateCall,
    Call,
    ColumnRef,
    Expression,
    binary,
    column,
)
from rollview.algebra.relations import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    JoinKind,
    Named,
    NamedAggregate,
    Project,
    Relation,
    Scan,
    TopK,
    Union,
)
from rollview.algebra.schema import Column
from rollview.errors import InternalError
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.counts import COUNT_ALL
from rollview.maintenance.strategies import beyond, prepared
from tests.algebra.examples import ID, NAME, PAY, PEOPLE, SAME_TEAM, TEAM, TEAMS, ascending
from tests.maintenance.change_table.test_join import DOMAINS, PAID
from tests.maintenance.change_table.worlds import CHANGE_TABLE, L_WORLD, Worlds
from tests.maintenance.people import (
    ANN,
    BEN,
    CAT,
    DAN,
    FAY,
    TABLES,
    connection,
    hired,
    left,
    tables_read,
)
from tests.properties.cases import Case, Change, Table
from tests.properties.maintained import Maintained, Refresh


def call(name: str, value: Expression, type: str = "BIGINT", kind: str = "") -> AggregateCall:
    return AggregateCall(kind or name.capitalize(), (f"{name}(", ")"), (value,), type)


def named(name: str, one: AggregateCall) -> NamedAggregate:
    return NamedAggregate(name, one)


TOTAL, PEOPLE_COUNT = named("total", call("sum", PAY)), named("many", COUNT_ALL)
BY_TEAM = Aggregate(PEOPLE, (TEAM,), (TOTAL, PEOPLE_COUNT))
BY_NAME = Aggregate(PEOPLE, (TEAM, NAME), (TOTAL, PEOPLE_COUNT))
SUM = column("total", "BIGINT")
MANY = column("many", "BIGINT", nullable=False)


def refresh(relation: Relation, *changes: list[Change]) -> Refresh:
    view = Maintained(Case(TABLES, relation, ()), connection(), choice=CHANGE_TABLE)
    return view.refresh(tuple(change for some in changes for change in some))


def test_delete_update_and_new() -> None:
    done = refresh(BY_TEAM, left(CAT, BEN), hired(FAY))
    assert done.delta == {
        ("b", 60, 1): -1,
        ("a", 140, 2): -1,
        ("a", 100, 1): 1,
        ("c", 70, 1): 1,
    }
    assert tables_read(done.program) == set()


def test_what_cancels_out_is_no_change() -> None:
    assert refresh(BY_TEAM, left(ANN), hired((7, "gil", "a", 100))).delta == {}


def test_only_the_extent_of_the_view_is_kept() -> None:
    """Counting keeps both aggregates; nothing of the inner one is needed here."""
    above = Aggregate(BY_NAME, (TEAM,), (named("whole", call("sum", SUM)),))
    form = prepared(above, CHANGE_TABLE)
    assert [kept.label for kept in form.kept] == ["extent_1"]
    assert tables_read(compile_delta(form, ["people"])) == set()
    assert refresh(above, hired((7, "ann", "a", 1))).delta == {("a", 140): -1, ("a", 141): 1}
    assert refresh(above, left(ANN, BEN)).delta == {("a", 140): -1}


def test_a_projection_and_a_condition_on_group_by_attributes_pass() -> None:
    known = Call("IsNotNull", ("(", " IS NOT NULL)"), (TEAM,), "BOOLEAN", False)
    shown = Project(Filter(BY_TEAM, known), (Named("pay", SUM),))
    assert refresh(shown, left(DAN, CAT)).delta == {(60,): -1}


def test_what_cannot_be_propagated_is_below_the_next_conversion_point() -> None:
    rich = Filter(BY_TEAM, binary("GreaterThan", ">", SUM, PAY_LIMIT, "BOOLEAN"))
    assert beyond(rich, CHANGE_TABLE)
    counted = Aggregate(rich, (), (named("n", COUNT_ALL),))
    assert beyond(counted, CHANGE_TABLE) == ()
    assert refresh(counted, hired((7, "gil", "b", 90))).delta == {(1,): -1, (2,): 1}


PAY_LIMIT = Call("Literal", ("100L",), (), "BIGINT", False)
MEMBERS = Join(JoinKind.LEFT, PEOPLE, TEAMS, SAME_TEAM)
DOUBLE = Call("Cast", ("CAST(", " AS DOUBLE)"), (PAY,), "DOUBLE")
LONG = Call("Cast", ("CAST(", " AS DECIMAL(38,2))"), (PAY,), "DECIMAL(38,2)")
OTHER_TEAMS = Aggregate(TEAMS, (ColumnRef("code", "STRING"),), (named("titles", COUNT_ALL),))
VIOLATIONS: dict[str, tuple[Relation, str]] = {
    "nothing to convert": (PEOPLE, "definition 5.1"),
    "min": (Aggregate(PEOPLE, (TEAM,), (named("m", call("min", PAY, "INT")),)), "definition 5.5"),
    "floats": (
        Aggregate(PEOPLE, (TEAM,), (named("m", call("sum", DOUBLE, "DOUBLE")),)),
        "definition 5.5",
    ),
    "long decimals": (
        Aggregate(PEOPLE, (TEAM,), (named("m", call("sum", LONG, "DECIMAL(38,2)")),)),
        "definition 5.4",
    ),
    "a condition on a total": (
        Filter(BY_TEAM, binary("GreaterThan", ">", SUM, PAY_LIMIT, "BOOLEAN")),
        "selection only if it refers to group-by attributes",
    ),
    "a join on a total": (
        Join(JoinKind.INNER, BY_TEAM, TEAMS, binary("EqualTo", "=", SUM, SUM, "BOOLEAN")),
        "product only if it refers to group-by attributes",
    ),
    "an order of totals": (TopK(BY_TEAM, (ascending(SUM),), PAY_LIMIT, None), "TopK"),
    "a union": (Union((BY_TEAM, BY_TEAM), BY_TEAM.columns), "Union"),
    "a semi join": (Join(JoinKind.SEMI, BY_TEAM, TEAMS, SAME_TEAM), "semi join"),
}


@pytest.mark.parametrize("name", VIOLATIONS)
def test_the_verdict_names_the_condition(name: str) -> None:
    relation, said = VIOLATIONS[name]
    reasons = beyond(relation, CHANGE_TABLE)
    assert reasons
    assert {reason.code for reason in reasons} == {ReasonCode.NOT_APPLICABLE}
    assert said in reasons[0].message
    with pytest.raises(InternalError):
        prepared(relation, CHANGE_TABLE)


# Above a change table these are conversion points themselves: the reason stands in the way of the
# lower one, and the view is maintained. What is asked here is where the change table begins.
REGROUPED: dict[str, Relation] = {
    "counting groups": Aggregate(BY_NAME, (TEAM,), (named("n", COUNT_ALL),)),
    "counting totals": Aggregate(BY_NAME, (TEAM,), (named("n", call("count", SUM)),)),
    "groups by a total": Aggregate(BY_NAME, (SUM,), (named("n", call("sum", MANY)),)),
    "two aggregates": Aggregate(
        Join(JoinKind.CROSS, BY_NAME, OTHER_TEAMS), (TEAM,), (named("n", call("sum", SUM)),)
    ),
    "an outer join": Aggregate(MEMBERS, (TEAM,), (named("n", call("sum", PAY)),)),
    "an average of totals": Aggregate(
        BY_NAME, (TEAM,), (named("n", call("avg", SUM, "DOUBLE", "Average")),)
    ),
    "rows of totals": Distinct(Project(BY_NAME, (Named("t", SUM),))),
}


@pytest.mark.parametrize("name", REGROUPED)
def test_what_no_total_says_is_converted_above(name: str) -> None:
    relation = REGROUPED[name]
    assert beyond(relation, CHANGE_TABLE) == ()
    told = prepared(relation, CHANGE_TABLE).told
    assert {rule.value for rule in told.values()} == {"conversion"}
    done = refresh(relation, hired((7, "ann", "a", 1), FAY), left(BEN))
    assert done.delta


def test_counting_a_change_table_counts_changed_groups() -> None:
    """Table 5.2, second row, by the letter: a count has the update function of a sum.

    So count(paid) would pass, and add the number of rows of the change table to that of groups.
    """
    worlds = Worlds(DOMAINS, ("l",))
    assert worlds.refreshed(PAID).is_right
    world = L_WORLD.name
    by_world = f"SELECT {world}, count(*) AS n FROM {{}} GROUP BY {world}"
    ((wrong,),) = worlds.rows(
        f"SELECT count(*) FROM ({by_world.format('step_stored')}) s"
        f" JOIN ({by_world.format('step_change_table_1')}) c ON s.{world} = c.{world}"
        f" JOIN ({by_world.format('step_extent_after')}) a ON a.{world} = s.{world}"
        " WHERE s.n + c.n <> a.n"
    )
    assert wrong
    counted = Aggregate(PAID, (L_WORLD,), (named("n", call("count", column("paid", "BIGINT"))),))
    told = prepared(counted, CHANGE_TABLE).told
    assert {rule.value for rule in told.values()} == {"conversion"}


def test_a_long_sum_does_not_overflow_on_the_way() -> None:
    wide = Call("Cast", ("CAST(", " AS BIGINT)"), (ID,), "BIGINT", False)
    largest = Call("Add", ("(", " + 9223372036854775000L)"), (wide,), "BIGINT", False)
    summed = Aggregate(PEOPLE, (TEAM,), (named("t", call("sum", largest)),))
    done = refresh(summed, hired((7, "gil", "b", 1)), left(CAT))
    assert done.delta == {
        ("b", 9223372036854775003): -1,
        ("b", 9223372036854775007): 1,
    }


def test_the_example_of_the_page() -> None:
    """docs/strategies.md: three rows, and three changes."""
    columns = (Column("shop", "STRING"), Column("amount", "INT"))
    scan = Scan("sales", ("shop", "amount"), columns)
    summed = named("s", call("sum", column("amount", "INT")))
    view = Aggregate(scan, (column("shop", "STRING"),), (summed,))
    sales = {"sales": Table(columns, (("a", 10), ("a", 5), ("b", 7)))}
    changes = ((("b", 7), -1), (("a", 1), 1), (("c", 4), 1))
    batch = tuple(Change("sales", row, weight) for row, weight in changes)
    done = Maintained(Case(sales, view, ()), connection(), choice=CHANGE_TABLE).refresh(batch)
    assert done.delta == {("a", 15): -1, ("a", 16): 1, ("b", 7): -1, ("c", 4): 1}
    assert tables_read(done.program) == set()
