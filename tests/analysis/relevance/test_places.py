"""Which conditions of a view say something of a changed row: by operators on the way up."""

from __future__ import annotations

import pytest

from rollview.algebra.expressions import (
    AggregateCall,
    Call,
    ColumnRef,
    Literal,
    SortKey,
    WindowCall,
    is_null,
)
from rollview.algebra.relations import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    JoinKind,
    Named,
    NamedAggregate,
    NamedWindow,
    Project,
    Relation,
    Scan,
    SetKind,
    SetOperation,
    SingleRow,
    TopK,
    Union,
    Window,
)
from rollview.algebra.schema import Column
from tests.analysis.relevance.views import (
    A,
    B,
    C,
    D,
    R,
    S,
    all_of,
    any_of,
    compare,
    join,
    number,
    of,
    plain,
    plus,
    table,
)

SAME = compare(B, "=", C)
FEW = compare(A, "<", 10)
MANY = compare(C, ">", 5)
COUNT = AggregateCall("Count", ("count(", ")"), (number(1),), "BIGINT", False)
N = ColumnRef("n", "BIGINT", False)


def counted(child: Relation, *groups: ColumnRef) -> Aggregate:
    return Aggregate(child, groups, (NamedAggregate("n", COUNT),))


def test_example_4_1_of_the_paper() -> None:
    """``(A < 10) and (C > 5) and (B = C)``: (9, 10) matters, (11, 10) does not."""
    view = Filter(Join(JoinKind.CROSS, R, S), all_of(FEW, MANY, SAME))
    assert of(view) == "((a <= 9) AND (b >= 6))"
    assert of(view, S) == "(c >= 6)"


def test_conditions_of_the_other_side_are_carried_over() -> None:
    view = Join(JoinKind.INNER, Filter(R, FEW), Filter(S, MANY), compare(A, ">", plus(C, 2)))
    assert of(view) == "(a = 9)"
    assert of(view, S) == "(c = 6)"


@pytest.mark.parametrize(
    ("kind", "of_r", "of_s"),
    [
        (JoinKind.INNER, "((a <= 9) AND (b >= 6))", "(c >= 6)"),
        (JoinKind.SEMI, "((a <= 9) AND (b >= 6))", "(c >= 6)"),
        (JoinKind.LEFT, None, "(c >= 6)"),
        (JoinKind.RIGHT, "((a <= 9) AND (b >= 6))", None),
        (JoinKind.FULL, None, None),
        (JoinKind.ANTI, None, "(c >= 6)"),
        (JoinKind.EXISTENCE, None, "(c >= 6)"),
        (JoinKind.SINGLE, None, "(c >= 6)"),
    ],
)
def test_the_condition_of_a_join(kind: JoinKind, of_r: str | None, of_s: str | None) -> None:
    """The preserved side of an outer join is never cut down by it."""
    view = join(kind, FEW, MANY, SAME)
    assert (of(view), of(view, S)) == (of_r, of_s)


@pytest.mark.parametrize(
    ("kind", "of_r", "of_s"),
    [
        (JoinKind.INNER, "((a <= 9) AND (b IS NOT NULL))", "(c IS NOT NULL)"),
        (JoinKind.SEMI, "((a <= 9) AND (b IS NOT NULL))", "(c IS NOT NULL)"),
        (JoinKind.LEFT, "(a <= 9)", "(c IS NOT NULL)"),
        (JoinKind.RIGHT, "((a <= 9) AND (b IS NOT NULL))", "(c IS NOT NULL)"),
        (JoinKind.FULL, "(a <= 9)", "(c IS NOT NULL)"),
        (JoinKind.ANTI, "(a <= 9)", "(c IS NOT NULL)"),
        (JoinKind.EXISTENCE, "(a <= 9)", "(c IS NOT NULL)"),
        (JoinKind.SINGLE, None, "(c IS NOT NULL)"),
    ],
)
def test_a_filter_above_a_join(kind: JoinKind, of_r: str | None, of_s: str | None) -> None:
    view = Filter(join(kind, SAME), FEW)
    assert (of(view), of(view, S)) == (of_r, of_s)


def test_rows_without_a_match_are_null_on_the_other_side() -> None:
    view = Filter(join(JoinKind.LEFT, SAME), is_null(C))
    assert of(view) is None
    assert of(view, S) == "(c IS NOT NULL)"
    matched = Filter(join(JoinKind.LEFT, SAME), compare(D, ">", 3))
    assert of(matched) == "(b IS NOT NULL)"
    assert of(matched, S) == "((d >= 4) AND (c IS NOT NULL))"


def test_a_constant_below_an_outer_join_may_be_null_above_it() -> None:
    one = Project(S, (Named("c", C), Named("one", number(1))))
    joined = Join(JoinKind.LEFT, R, one, SAME)
    assert of(Filter(joined, compare(ColumnRef("one", "INT"), "=", 2))) == "(b IS NOT NULL)"
    assert of(Filter(joined, is_null(ColumnRef("one", "INT", False)))) is None


def test_projections_are_looked_through() -> None:
    named = Project(R, (Named("x", plus(A, 3)), Named("y", B)))
    assert of(Filter(named, compare(ColumnRef("x", "INT"), "<", 10))) == "(a <= 6)"


def test_each_branch_of_a_union_has_its_own_conditions() -> None:
    u = ColumnRef("u", "INT")
    both = Union(
        (Filter(Project(R, (Named("x", A),)), compare(ColumnRef("x", "INT"), ">", 1)),
         Project(S, (Named("y", plus(C, 1)),))),
        (Column("u", "INT"),),
    )  # fmt: skip
    view = Filter(both, compare(u, "<", 10))
    assert of(view) == "((a >= 2) AND (a <= 9))"
    assert of(view, S) == "(c <= 8)"


def test_a_scan_in_two_places_matters_by_either() -> None:
    low = Filter(R, compare(A, "<", 3))
    high = Filter(R, compare(A, ">", 7))
    assert of(Union((low, high), R.columns)) == "((a <= 2) OR (a >= 8))"


def test_both_sides_of_a_self_join_have_their_own_conditions() -> None:
    other = Scan("r", ("a", "b"), (Column("a2", "INT"), Column("b2", "INT")))
    view = Join(JoinKind.INNER, R, other, compare(A, "<", ColumnRef("a2", "INT")))
    view = Filter(view, compare(ColumnRef("b2", "INT"), "=", 4))
    assert of(view) == "(a IS NOT NULL)"
    assert of(view, other) == "((b2 = 4) AND (a2 IS NOT NULL))"


@pytest.mark.parametrize(
    "view",
    [
        Filter(counted(R, A), compare(N, ">", 5)),
        Filter(counted(R, A), compare(A, ">", 5)),  # its rows are kept, whatever is above
        Filter(Distinct(R), compare(A, ">", 5)),
        Filter(TopK(R, (SortKey(A), SortKey(B)), number(3), None), compare(A, ">", 5)),
        Filter(
            SetOperation(SetKind.EXCEPT, False, R, S, R.columns), compare(A, ">", 5)
        ),
        Filter(Join(JoinKind.CROSS, S, SingleRow(Project(R, (Named("x", A),)), "v")), MANY),
    ],
    ids=["having", "group", "distinct", "limit", "except", "scalar"],
)  # fmt: skip
def test_conditions_above_what_is_kept_are_not_used(view: Relation) -> None:
    assert of(view) is None


def test_conditions_below_it_are() -> None:
    assert of(Filter(counted(Filter(R, FEW), A), compare(N, ">", 5))) == "(a <= 9)"
    first = TopK(Filter(R, FEW), (SortKey(A), SortKey(B)), number(3), None)
    assert of(first) == "(a <= 9)"


def test_groups_are_known_to_what_they_are_joined_with() -> None:
    """A group has a row, so that what holds for rows holds for its keys."""
    few = counted(Filter(R, FEW), A)
    assert of(Join(JoinKind.INNER, few, S, compare(A, "=", C)), S) == "(c <= 9)"
    everything = Project(counted(Filter(R, FEW)), (Named("n", N),))
    assert of(Join(JoinKind.INNER, everything, S, compare(C, "=", D)), S) == "(c = d)"


def windowed(*partition: ColumnRef) -> Window:
    total = WindowCall(AggregateCall("Sum", ("sum(", ")"), (B,), "BIGINT"), "")
    return Window(R, partition, (), (NamedWindow("total", total),))


def test_windows_hand_down_what_is_said_of_their_partitions() -> None:
    view = Filter(windowed(A), all_of(compare(A, ">", 5), compare(B, ">", 7)))
    assert of(view) == "(a >= 6)"
    assert of(Filter(windowed(), compare(A, ">", 5))) is None


def test_an_aggregate_that_is_not_kept_hands_down_what_is_said_of_its_groups() -> None:
    view = Filter(counted(R, A), all_of(compare(A, ">", 5), compare(N, ">", 7)))
    assert plain(view).predicates[R] == compare(A, ">=", 6)
    assert not plain(view, kept=[view.child]).predicates


def test_a_view_that_is_always_empty_has_no_relevant_changes() -> None:
    view = Filter(R, all_of(compare(A, ">", 5), compare(A, "<", 6)))
    assert of(view) == "FALSE"


def test_what_is_not_looked_into_lets_all_pass() -> None:
    odd = binary_of_parity(A)
    assert of(Filter(R, odd)) is None
    assert of(Filter(R, any_of(odd, compare(A, "<", 3)))) is None
    assert of(Filter(R, all_of(odd, compare(A, "<", 3)))) == "(a <= 2)"


def binary_of_parity(column: ColumnRef) -> Call:
    rest = Call("Remainder", ("(", " % ", ")"), (column, number(2)), "INT")
    return compare(rest, "=", 1)


def test_names_of_tables_and_columns_are_their_own() -> None:
    scan = Scan("t", ("price",), (Column("p", "INT"),))
    found = plain(Filter(scan, compare(ColumnRef("p", "INT"), "<", 3)))
    assert found.of_source("t") == compare(ColumnRef("price", "INT"), "<=", 2)
    assert found.of_source("other") == Literal("FALSE", "BOOLEAN")
    assert plain(table("r", A)).of_source("r") is None
