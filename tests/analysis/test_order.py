"""Total orders where ties were left open, and what stays open."""

from __future__ import annotations

from rollview.algebra.expressions import (
    AggregateCall,
    Call,
    ColumnRef,
    Literal,
    SortKey,
    WindowCall,
    column,
)
from rollview.algebra.relations import (
    Aggregate,
    Distinct,
    Filter,
    Named,
    NamedAggregate,
    NamedWindow,
    Project,
    Relation,
    Scan,
    TopK,
    Window,
)
from rollview.algebra.schema import Column
from rollview.analysis.order import Open, canonical, left_open
from rollview.analysis.pruning import prune_scans

A, B = column("a", "INT"), column("b", "STRING")
SCAN = Scan("t", ("a", "b"), (Column("a", "INT"), Column("b", "STRING")))
BY_A = (SortKey(A),)
ROW_NUMBER = NamedWindow("n", WindowCall(Call("RowNumber", ("row_number()",), (), "INT"), ""))
RANK = NamedWindow("r", WindowCall(Call("Rank", ("rank()",), (), "INT"), ""))
ROWS = "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW"
RANGE = "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"


def summed(frame: str) -> NamedWindow:
    call = AggregateCall("Sum", ("sum(", ")"), (A,), "BIGINT")
    return NamedWindow("s", WindowCall(call, frame))


def order_names(relation: Relation) -> list[str]:
    assert isinstance(relation, Window | TopK)
    return [key.expression.name for key in relation.order]  # type: ignore[union-attr]


def test_limit_gets_a_total_order() -> None:
    top = TopK(SCAN, BY_A, Literal("2", "INT"), None)
    assert order_names(canonical(top)) == ["a", "b"]
    assert left_open(canonical(top)) == Open()
    assert left_open(top) == Open(frozenset({"b"}))


def test_limit_without_order_stays_open() -> None:
    top = TopK(SCAN, (), Literal("2", "INT"), None)
    assert canonical(top) == top
    assert left_open(top) == Open(frozenset({"a", "b"}))
    assert left_open(Filter(top, Call("IsNull", ("", " IS NULL"), (A,), "BOOLEAN", False))).rows


def test_first_rows_by_number_are_open_beside_what_finds_them() -> None:
    numbered = Window(SCAN, (), BY_A, (ROW_NUMBER,))
    name = ROW_NUMBER.name
    first = Call("EqualTo", ("", " = 1"), (ColumnRef(name, "INT", False),), "BOOLEAN", False)
    assert left_open(Filter(numbered, first)) == Open(frozenset({"b"}))


def test_row_number_gets_a_total_order_and_rank_does_not() -> None:
    numbered = Window(SCAN, (), BY_A, (ROW_NUMBER,))
    assert order_names(canonical(numbered)) == ["a", "b"]
    ranked = Window(SCAN, (), BY_A, (RANK,))
    assert canonical(ranked) == ranked
    assert left_open(ranked) == Open()


def test_calls_of_both_kinds_are_parted_and_columns_stay_in_order() -> None:
    both = Window(SCAN, (), BY_A, (RANK, ROW_NUMBER))
    result = canonical(both)
    assert result.columns == both.columns
    assert isinstance(result, Project)
    assert order_names(result.child) == ["a"]
    assert left_open(result) == Open()


def test_frames_of_rows_are_completed_and_frames_of_peers_are_not() -> None:
    assert order_names(canonical(Window(SCAN, (), BY_A, (summed(ROWS),)))) == ["a", "b"]
    peers = Window(SCAN, (), BY_A, (summed(RANGE),))
    assert canonical(peers) == peers


def test_nth_value_counts_peers_in_or_rows() -> None:
    call = Call("NthValue", ("nth_value(", ", 2)"), (B,), "STRING")
    peers = Window(SCAN, (), BY_A, (NamedWindow("v", WindowCall(call, RANGE)),))
    assert canonical(peers) == peers
    assert left_open(peers) == Open(frozenset({"v"}))
    for frame in (ROWS, "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"):
        rows = Window(SCAN, (), BY_A, (NamedWindow("v", WindowCall(call, frame)),))
        assert order_names(canonical(rows)) == ["a", "b"]
        assert left_open(canonical(rows)) == Open()


def test_a_map_cannot_break_ties() -> None:
    scan = Scan("t", ("a", "m"), (Column("a", "INT"), Column("m", "MAP<STRING, INT>")))
    numbered = Window(scan, (), BY_A, (ROW_NUMBER,))
    assert canonical(numbered) == numbered
    assert left_open(numbered) == Open(frozenset({"n"}))


def test_open_columns_are_followed() -> None:
    first = AggregateCall("First", ("first(", ")"), (B,), "STRING")
    aggregate = Aggregate(SCAN, (A,), (NamedAggregate("f", first),))
    assert left_open(aggregate) == Open(frozenset({"f"}))
    f = column("f", "STRING")
    upper = Call("Upper", ("upper(", ")"), (f,), "STRING")
    assert left_open(Project(aggregate, (Named("a", A), Named("u", upper)))) == Open(
        frozenset({"u"})
    )
    assert left_open(Distinct(aggregate)).rows
    used = Call("IsNotNull", ("(", " IS NOT NULL)"), (f,), "BOOLEAN")
    assert left_open(Filter(aggregate, used)).rows
    not_used = Call("IsNotNull", ("(", " IS NOT NULL)"), (A,), "BOOLEAN")
    assert left_open(Filter(aggregate, not_used)) == Open(frozenset({"f"}))


def test_scans_lose_what_nobody_names() -> None:
    assert prune_scans(Project(SCAN, (Named("a", A),))) == Scan("t", ("a",), (Column("a", "INT"),))
    assert prune_scans(Distinct(SCAN)) == Distinct(SCAN)
