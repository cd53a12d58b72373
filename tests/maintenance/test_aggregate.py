"""``d(A(Q)) = new rows of the changed groups - their stored rows``."""

from __future__ import annotations

from decimal import Decimal

import pytest

from rollview.algebra.definition import ReasonCode
from rollview.algebra.expressions import AggregateCall, ColumnRef, Expression, column
from rollview.algebra.relations import After, Aggregate, Before, NamedAggregate, Scan
from rollview.algebra.schema import Column
from rollview.algebra.traverse import walk
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.prepare import prepare
from tests.algebra.examples import EXAMPLES, PAY, PEOPLE, RICH, TEAM
from tests.maintenance.people import (
    ANN,
    BEN,
    CAT,
    DAN,
    EVE,
    FAY,
    connection,
    hired,
    left,
    maintained,
    refresh,
)
from tests.properties.cases import Case, Change, Table
from tests.properties.laws import check
from tests.properties.maintained import Refresh
from tests.properties.scalars import cast


def call(name: str, *args: Expression, type: str = "BIGINT", **more: object) -> AggregateCall:
    kinds = {"avg": "Average", "bit_xor": "BitXorAgg"}
    word = "DISTINCT " if more.get("distinct") else ""
    kind = kinds.get(name, name.capitalize())
    return AggregateCall(kind, (f"{name}({word}", ")"), args, type, name != "count", **more)  # type: ignore[arg-type]


def by_team(*calls: AggregateCall) -> Aggregate:
    named = (NamedAggregate(f"value_{i}", one) for i, one in enumerate(calls))
    return Aggregate(PEOPLE, (TEAM,), tuple(named))


def reads_tables(done: Refresh) -> bool:
    """Whether a step that was run reads a base table."""
    run = [step.relation for step in done.program.steps if step.name in done.steps]
    return any(isinstance(node, Before | After) for one in run for node in walk(one))


SUMS = by_team(call("sum", PAY), call("count", PAY), call("avg", PAY, type="DOUBLE"))
EXTREMA = by_team(call("min", PAY, type="INT"), call("max", PAY, type="INT"))


def test_sums_counts_and_averages_go_on_from_what_is_stored() -> None:
    done = refresh(SUMS, hired((6, "fay", "a", 10)), left(ANN))
    assert done.delta == {("a", 140, 2, 70.0): -1, ("a", 50, 2, 25.0): 1}
    assert not reads_tables(done)


def test_groups_come_and_go() -> None:
    assert refresh(SUMS, hired(FAY), left(CAT)).delta == {
        ("c", 70, 1, 70.0): 1,
        ("b", 60, 1, 60.0): -1,
    }


def test_a_group_without_values_is_null() -> None:
    unpaid = (2, "ben", "b", None)
    assert refresh(SUMS, left(CAT), hired(unpaid)).delta == {
        ("b", 60, 1, 60.0): -1,
        ("b", None, 0, None): 1,
    }


def test_null_is_a_group() -> None:
    assert refresh(SUMS, left(DAN)).delta == {(None, 60, 1, 60.0): -1}


def test_a_group_that_stays_as_it_is_is_no_change() -> None:
    done = refresh(SUMS, left(BEN), hired((9, "gus", "a", 40)))
    assert not done.delta


def test_an_added_row_needs_no_other_row_for_an_extremum() -> None:
    done = refresh(EXTREMA, hired((6, "fay", "a", 10)))
    assert done.delta == {("a", 40, 100): -1, ("a", 10, 100): 1}
    assert not reads_tables(done)


def test_a_removed_row_between_the_extrema_needs_no_other_row() -> None:
    view = maintained(EXTREMA)
    middle = (6, "fay", "a", 50)
    view.refresh(tuple(hired(middle)))
    done = view.refresh(tuple(left(middle)))
    assert not done.delta
    assert not reads_tables(done)


def test_a_lost_extremum_is_found_again_in_its_group() -> None:
    done = refresh(EXTREMA, left(ANN))
    assert done.delta == {("a", 40, 100): -1, ("a", 40, 40): 1}
    assert reads_tables(done)


def test_an_extremum_that_comes_and_goes() -> None:
    low = (6, "fay", "a", 10)
    assert not refresh(EXTREMA, hired(low), left(low)).delta


def test_filters_and_distinct() -> None:
    view = by_team(call("sum", PAY, filter=RICH), call("count", PAY, distinct=True))
    assert refresh(view, hired((6, "fay", "a", 100), (7, "gil", "a", 10))).delta == {
        ("a", 100, 2): -1,
        ("a", 200, 3): 1,
    }


def test_a_function_without_an_inverse_is_evaluated_in_changed_groups() -> None:
    view = by_team(call("bit_xor", PAY, type="INT"))
    assert refresh(view, left(ANN), hired(FAY)).delta == {
        ("a", 100 ^ 40): -1,
        ("a", 40): 1,
        ("c", 70): 1,
    }


def test_an_aggregate_of_all_rows_has_one_row_always() -> None:
    view = EXAMPLES["aggregate_global"]
    assert refresh(view, left(ANN)).delta == {(260,): -1, (160,): 1}
    assert refresh(view, left(ANN, BEN, CAT, DAN, EVE)).delta == {(260,): -1, (None,): 1}


def test_an_average_of_bigint_counts_what_it_sums() -> None:
    wide = cast(PAY, "BIGINT")
    done = refresh(by_team(call("avg", wide, type="DOUBLE")), left(ANN))
    assert done.delta == {("a", 70.0): -1, ("a", 40.0): 1}


def test_the_same_call_twice() -> None:
    done = refresh(by_team(call("sum", PAY), call("sum", PAY), call("count", PAY)), left(CAT))
    assert done.delta == {("b", 60, 60, 1): -1}


@pytest.mark.parametrize("type", ["DECIMAL(12,2)", "DECIMAL(38,10)"])
def test_decimals_are_exact(type: str) -> None:
    price = column("price", type)
    scan = Scan("t", ("price",), (Column("price", type),))
    total = {"DECIMAL(12,2)": "DECIMAL(22,2)"}.get(type, type)
    view = Aggregate(scan, (), (NamedAggregate("total", call("sum", price, type=total)),))
    low, high = Decimal("0.01"), Decimal("9999999999.99")
    rows = tuple((value,) for value in (low, high, high))
    batches = ((Change("t", (high,), -1),), (Change("t", (low,), 1), Change("t", (high,), -1)))
    check(Case({"t": Table(scan.columns, rows)}, view, batches), connection())


def test_a_nan_that_goes_leaves_a_number() -> None:
    value = ColumnRef("x", "DOUBLE")
    scan = Scan("t", ("x",), (Column("x", "DOUBLE"),))
    sums = NamedAggregate("total", call("sum", value, type="DOUBLE"))
    nan = (float("nan"),)
    case = Case(
        {"t": Table(scan.columns, ((1.5,), nan))},
        Aggregate(scan, (), (sums,)),
        ((Change("t", nan, -1),),),
    )
    check(case, connection())


def test_what_is_kept_is_told() -> None:
    prepared = prepare(by_team(call("avg", PAY, type="DOUBLE")))
    notes = compile_delta(prepared, ("people",)).notes
    assert notes[prepared.kept[0].relation].state == (
        "aggregate_1: count(1), sum(pay), count(pay) per team",
    )
    assert notes[prepared.kept[0].relation].reads == ("state under team",)


def test_an_extremum_of_all_rows_that_is_lost_is_looked_for_among_all() -> None:
    largest = Aggregate(PEOPLE, (), (NamedAggregate("most", call("max", PAY, type="INT")),))
    assert not refresh(largest, left(BEN)).reasons
    lost = refresh(largest, left(ANN))
    assert [reason.code for reason in lost.reasons] == [ReasonCode.NO_KEY]
    assert lost.program.at_times == lost.reasons
    assert not lost.program.reasons
