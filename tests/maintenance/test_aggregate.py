"""``d(A(Q)) = new rows of the changed groups - their stored rows``."""

from __future__ import annotations

from decimal import Decimal
from math import sqrt
from random import Random

import pytest

from rollview.algebra.definition import ReasonCode
from rollview.algebra.expressions import AggregateCall, ColumnRef, Expression, binary, column
from rollview.algebra.relations import After, Aggregate, Before, NamedAggregate, Scan
from rollview.algebra.schema import Column
from rollview.algebra.traverse import walk
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.prepare import prepare
from tests.algebra.examples import EXAMPLES, ID, PAY, PEOPLE, RICH, TEAM
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
from tests.properties.bags import comparable
from tests.properties.cases import Case, Change, Row, Table
from tests.properties.duckdb_engine import DuckEngine, connect
from tests.properties.laws import check
from tests.properties.maintained import Maintained, Refresh
from tests.properties.scalars import cast, literal

KINDS = {
    "avg": "Average",
    "bit_xor": "BitXorAgg",
    "bit_and": "BitAndAgg",
    "bit_or": "BitOrAgg",
    "bool_and": "BoolAnd",
    "bool_or": "BoolOr",
    "count_if": "CountIf",
    "var_pop": "VariancePop",
    "var_samp": "VarianceSamp",
    "stddev_pop": "StddevPop",
    "stddev_samp": "StddevSamp",
    "covar_pop": "CovPopulation",
    "covar_samp": "CovSample",
    "corr": "Corr",
    "regr_count": "RegrCount",
    "regr_avgx": "RegrAvgX",
    "regr_avgy": "RegrAvgY",
    "regr_sxx": "RegrSXX",
    "regr_syy": "RegrSYY",
    "regr_sxy": "RegrSXY",
    "regr_slope": "RegrSlope",
    "regr_intercept": "RegrIntercept",
    "regr_r2": "RegrR2",
}
COUNTS = ("count", "count_if", "regr_count")
SPREADS = ("var_pop", "var_samp", "stddev_pop", "stddev_samp")
NUMBERS = ("regr_count", "regr_avgx", "regr_avgy")
PAIRS = (
    "covar_pop",
    "covar_samp",
    "corr",
    "regr_sxx",
    "regr_syy",
    "regr_sxy",
    "regr_slope",
    "regr_intercept",
)


def call(name: str, *args: Expression, type: str = "BIGINT", **more: object) -> AggregateCall:
    word = "DISTINCT " if more.get("distinct") else ""
    kind = KINDS.get(name, name.capitalize())
    parts = (f"{name}({word}", *[", "] * (len(args) - 1), ")")
    return AggregateCall(kind, parts, args, type, name not in COUNTS, **more)  # type: ignore[arg-type]


def moment(name: str, *args: Expression, **more: object) -> AggregateCall:
    """A call as Spark plans it: most of these functions take doubles only."""
    values = args if name in NUMBERS else tuple(cast(value, "DOUBLE") for value in args)
    return call(name, *values, type="BIGINT" if name in COUNTS else "DOUBLE", **more)


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
    view = by_team(call("median", PAY, type="DOUBLE"))
    done = refresh(view, left(ANN), hired(FAY))
    assert done.delta == {("a", 70.0): -1, ("a", 40.0): 1, ("c", 70.0): 1}
    assert reads_tables(done)


def test_an_exclusive_or_is_its_own_inverse() -> None:
    view = by_team(call("bit_xor", PAY, type="INT"))
    done = refresh(view, left(ANN, CAT), hired(FAY, (2, "ben", "b", None)))
    assert done.delta == {
        ("a", 100 ^ 40): -1,
        ("a", 40): 1,
        ("b", 60): -1,
        ("b", None): 1,
        ("c", 70): 1,
    }
    assert not reads_tables(done)


def test_bits_are_merged_on_insert_and_looked_for_after_a_delete() -> None:
    view = maintained(by_team(call("bit_and", PAY, type="INT"), call("bit_or", PAY, type="INT")))
    more = hired((6, "fay", "a", 7), FAY, (7, "gil", "z", 5), (8, "hal", "b", None))
    grown = view.refresh(tuple(more))
    assert grown.delta == {
        ("a", 100 & 40, 100 | 40): -1,
        ("a", 100 & 40 & 7, 100 | 40 | 7): 1,
        ("c", 70, 70): 1,
        ("z", None, None): -1,
        ("z", 5, 5): 1,
    }
    assert not reads_tables(grown)
    shrunk = view.refresh(tuple(left((6, "fay", "a", 7))))
    assert shrunk.delta[("a", 100 & 40, 100 | 40)] == 1
    assert reads_tables(shrunk)


def test_conditions_are_counted() -> None:
    names = ("bool_and", "bool_or", "count_if")
    types = ("BOOLEAN", "BOOLEAN", "BIGINT")
    calls = (call(name, RICH, type=type) for name, type in zip(names, types, strict=True))
    done = refresh(by_team(*calls), left(BEN, CAT), hired((2, "ben", "b", None)))
    assert done.delta == {
        ("a", False, True, 1): -1,
        ("a", True, True, 1): 1,
        ("b", True, True, 1): -1,
        ("b", None, None, 0): 1,
    }
    assert not reads_tables(done)


def spread_by_team(**more: object) -> Aggregate:
    return by_team(*(moment(name, PAY, **more) for name in SPREADS))


def spread(team: str, variance: float, sample: float | None) -> tuple[object, ...]:
    """A row of the view, compared to ten digits."""
    deviation = None if sample is None else sqrt(sample)
    return comparable((team, variance, sample, sqrt(variance), deviation))


def test_variances_go_on_when_rows_come() -> None:
    done = refresh(spread_by_team(), hired((6, "fay", "a", 10), FAY))
    assert done.delta == {
        spread("a", 900.0, 1800.0): -1,
        spread("a", 1400.0, 2100.0): 1,
        spread("c", 0.0, None): 1,
    }
    assert not reads_tables(done)


def test_variances_go_on_when_rows_go() -> None:
    view = maintained(spread_by_team())
    view.refresh(tuple(hired((6, "fay", "a", 10))))
    two = view.refresh(tuple(left(ANN)))
    assert two.delta == {spread("a", 1400.0, 2100.0): -1, spread("a", 225.0, 450.0): 1}
    one = view.refresh(tuple(left(BEN)))
    assert one.delta == {spread("a", 225.0, 450.0): -1, spread("a", 0.0, None): 1}
    none = view.refresh(tuple(left((6, "fay", "a", 10))))
    assert none.delta == {spread("a", 0.0, None): -1}
    assert not any(reads_tables(done) for done in (two, one, none))


def test_variances_of_no_values_are_null() -> None:
    assert not refresh(spread_by_team(), hired((6, "fay", "a", None))).delta
    done = refresh(spread_by_team(), left(CAT), hired((2, "ben", "b", None)))
    assert done.delta == {spread("b", 0.0, None): -1, ("b", None, None, None, None): 1}
    assert not reads_tables(done)


def test_variances_of_filtered_values() -> None:
    done = refresh(spread_by_team(filter=RICH), hired((6, "fay", "a", 60), (7, "gil", "a", 10)))
    assert done.delta == {spread("a", 0.0, None): -1, spread("a", 400.0, 800.0): 1}
    assert not reads_tables(done)


def test_what_a_deviation_keeps_it_shares_with_an_average() -> None:
    view = by_team(moment("stddev_pop", PAY), call("avg", PAY, type="DOUBLE"))
    prepared = prepare(view)
    notes = compile_delta(prepared, ("people",)).notes
    assert notes[prepared.kept[0].relation].state == (
        "aggregate_1: count(1), count(pay), sum(pay),"
        " sum((CAST(pay AS DECIMAL(10,0)) * CAST(pay AS DECIMAL(10,0)))) per team",
    )


Y, X = ColumnRef("y", "INT"), ColumnRef("x", "INT")


def pairs(y: ColumnRef, x: ColumnRef, *rows: Row, **more: object) -> Maintained:
    """All functions of pairs over one table of them, in one group."""
    scan = Scan("t", ("y", "x"), (Column("y", y.type, y.nullable), Column("x", x.type, x.nullable)))
    names = (*PAIRS, *NUMBERS) if y.type == "INT" else PAIRS
    calls = tuple(NamedAggregate(name, moment(name, y, x, **more)) for name in names)
    return Maintained(
        Case({"t": Table(scan.columns, rows)}, Aggregate(scan, (), calls), ()), connection()
    )


def only(view: Maintained) -> dict[str, object]:
    """The one row of the view, by the names of the functions."""
    (row,) = view.view
    return dict(zip((*PAIRS, *NUMBERS), row, strict=False))


def change(weight: int, *rows: Row) -> tuple[Change, ...]:
    return tuple(Change("t", row, weight) for row in rows)


LINE = ((1, 1), (3, 2), (5, 3))
INCOMPLETE = ((None, 7), (9, None), (None, None))


def test_pairs_go_on_when_rows_come_and_go() -> None:
    view = pairs(Y, X, *LINE)
    assert not reads_tables(view.refresh(change(1, (3, 6))))
    assert only(view)["regr_slope"] == 0.2857142857
    assert not reads_tables(view.refresh((*change(-1, (3, 6)), *change(1, (11, 6)))))
    assert only(view) == {
        "covar_pop": 7.0,
        "covar_samp": comparable((28 / 3,))[0],
        "corr": 1.0,
        "regr_sxx": 14.0,
        "regr_syy": 56.0,
        "regr_sxy": 28.0,
        "regr_slope": 2.0,
        "regr_intercept": -1.0,
        "regr_count": 4,
        "regr_avgx": 3.0,
        "regr_avgy": 5.0,
    }


def test_one_pair_has_no_sample_and_no_line() -> None:
    view = pairs(Y, X, *LINE[:2])
    assert not reads_tables(view.refresh(change(-1, LINE[0])))
    found = only(view)
    assert [found[name] for name in ("covar_pop", "regr_sxx", "regr_sxy")] == [0.0, 0.0, 0.0]
    nothing = ("covar_samp", "corr", "regr_slope", "regr_intercept")
    assert [found[name] for name in nothing] == [None] * 4
    view.refresh(change(-1, LINE[1]))
    assert [value for name, value in only(view).items() if name != "regr_count"] == [None] * 10
    assert only(view)["regr_count"] == 0


@pytest.mark.parametrize("rows", ["(5, 5)", "(1, 5), (2, 5)"])
def test_nothing_is_divided_by_zero_where_spark_does_not(rows: str) -> None:
    """With ANSI arithmetic that would be an error; here it would be NaN."""
    one = rows.count("(") == 1
    names = ("covar_samp", "corr") if one else ("regr_slope", "regr_intercept")
    calls = [NamedAggregate(name, moment(name, Y, X)) for name in names]
    if one:
        calls += [NamedAggregate(n, moment(n, X)) for n in ("var_samp", "stddev_samp")]
    scan = Scan("t", ("y", "x"), (Column("y", "INT"), Column("x", "INT")))
    own = connect()
    own.execute("SET ieee_floating_point_ops = true")
    own.execute(f"CREATE TABLE t AS SELECT y, x FROM (VALUES {rows}) AS made(y, x)")
    prepared = prepare(Aggregate(scan, (), tuple(calls)))
    assert DuckEngine(own).recomputed(prepared.relation, {"t": "t"}) == [(None,) * len(calls)]


def test_only_complete_pairs_count() -> None:
    view = pairs(Y, X, *LINE, *INCOMPLETE[:1])
    before = only(view)
    done = view.refresh((*change(1, *INCOMPLETE), *change(-1, INCOMPLETE[0])))
    assert not done.delta
    assert not reads_tables(done)
    assert only(view) == before
    assert before["regr_count"] == 3


@pytest.mark.parametrize("nullable", [(True, False), (False, True), (False, False)])
def test_pairs_of_columns_that_are_never_null(nullable: tuple[bool, bool]) -> None:
    y, x = (ColumnRef(c.name, c.type, n) for c, n in zip((Y, X), nullable, strict=True))
    kept = [row for row, n in zip(INCOMPLETE, nullable, strict=False) if n]
    view = pairs(
        y, x, *LINE, *kept, filter=binary("LessThan", "<", x, literal(3, "INT"), "BOOLEAN")
    )
    assert not reads_tables(view.refresh((*change(1, (4, 2)), *change(-1, LINE[0]))))
    assert only(view)["regr_count"] == 2


def test_a_covariance_that_is_zero_is_exactly_zero() -> None:
    view = pairs(Y, X, (1, 1), (3, 2))
    view.refresh(change(1, (1, 3)))
    zeros = ("covar_pop", "covar_samp", "corr", "regr_sxy", "regr_slope")
    assert [only(view)[name] for name in zeros] == [0.0] * 5


def test_pairs_of_decimals_are_counted_in_units() -> None:
    price, size = column("y", "DECIMAL(9,2)"), column("x", "DECIMAL(5,1)")
    rows = [
        (Decimal(a), Decimal(b)) for a, b in (("1.25", "0.5"), ("2.75", "1.0"), ("9.99", "7.7"))
    ]
    view = pairs(price, size, *rows)
    assert not reads_tables(view.refresh(change(-1, rows[2])))
    assert only(view)["regr_slope"] == 3.0
    assert only(view)["regr_intercept"] == -0.25
    assert only(view)["regr_syy"] == 1.125


@pytest.mark.parametrize("type", ["BIGINT", "DOUBLE", "FLOAT", "DECIMAL(10,2)"])
def test_variances_of_longer_or_floating_values_are_merged_when_rows_come(type: str) -> None:
    view = maintained(by_team(*(moment(name, cast(PAY, type)) for name in SPREADS)))
    more = view.refresh(tuple(hired((6, "fay", "a", 10), FAY, (7, "gil", "z", None))))
    assert more.delta == {
        spread("a", 900.0, 1800.0): -1,
        spread("a", 1400.0, 2100.0): 1,
        spread("c", 0.0, None): 1,
    }
    assert not reads_tables(more)
    less = view.refresh(tuple(left(ANN)))
    assert less.delta == {spread("a", 1400.0, 2100.0): -1, spread("a", 225.0, 450.0): 1}
    assert reads_tables(less)


def test_merged_variances_of_filtered_values() -> None:
    view = by_team(moment("var_pop", cast(PAY, "DOUBLE"), filter=RICH), call("sum", PAY))
    done = refresh(view, hired((6, "fay", "a", 60), (7, "gil", "a", 10)))
    assert done.delta == {("a", 0.0, 140): -1, ("a", 400.0, 210): 1}
    assert not reads_tables(done)
    assert not reads_tables(refresh(view, left(BEN)))
    assert reads_tables(refresh(view, left(ANN)))


REALS = column("y", "DOUBLE"), column("x", "DOUBLE")


def reals(*rows: Row, names: tuple[str, ...] = (*PAIRS, "regr_r2")) -> Maintained:
    """Functions of pairs of floating values, in one group."""
    y, x = REALS
    scan = Scan("t", ("y", "x"), (Column("y", "DOUBLE"), Column("x", "DOUBLE")))
    calls = tuple(NamedAggregate(name, moment(name, y, x)) for name in names)
    return Maintained(
        Case({"t": Table(scan.columns, rows)}, Aggregate(scan, (), calls), ()), connection()
    )


CLOUD = ((1.5, 1.0), (3.25, 2.5), (4.0, 2.0))


def test_floating_pairs_are_merged_when_rows_come() -> None:
    view = reals(*CLOUD)
    assert not reads_tables(view.refresh(change(1, (7.5, 5.0), (None, 9.0), (9.0, None))))
    assert not reads_tables(view.refresh(change(1, (6.5, 4.0), (8.5, 5.0))))
    assert reads_tables(view.refresh(change(-1, CLOUD[0])))
    assert not reads_tables(view.refresh(change(-1, (None, 9.0))))


def test_first_floating_pairs_are_what_was_added() -> None:
    view = reals(names=PAIRS)
    assert not reads_tables(view.refresh(change(1, CLOUD[0])))
    assert only(view)["covar_pop"] == 0.0
    assert only(view)["corr"] is None
    assert not reads_tables(view.refresh(change(1, *CLOUD[1:])))


def maintained_reals(name: str, *rows: Row) -> Maintained:
    value = REALS[1]
    scan = Scan("t", ("x",), (Column("x", "DOUBLE"),))
    view = Aggregate(scan, (), (NamedAggregate("value", moment(name, value)),))
    return Maintained(Case({"t": Table(scan.columns, rows)}, view, ()), connection())


def test_a_merge_that_would_lose_digits_is_none() -> None:
    """The mean has few digits left for distances that are small beside it."""
    far = maintained_reals("var_pop", (1e9 + 1,), (1e9 + 2,))
    assert reads_tables(far.refresh(change(1, (1e9 + 4,))))
    near = maintained_reals("var_pop", (101.0,), (102.0,))
    assert not reads_tables(near.refresh(change(1, (104.0,))))
    same = maintained_reals("stddev_samp", (0.1,), (0.1,))
    assert reads_tables(same.refresh(change(1, (0.1,))))
    assert same.view == {(0.0,): 1}


def test_products_that_cancel_out_are_evaluated_anew() -> None:
    view = reals((1.0, 1.0), (3.0, 2.0), names=("covar_pop",))
    assert reads_tables(view.refresh(change(1, (1.0, 3.0))))
    assert only(view)["covar_pop"] == 0.0


def test_an_intercept_near_zero_is_evaluated_anew() -> None:
    through_zero = reals((2.0, 1.0), (4.0, 2.0), names=("regr_slope", "regr_intercept"))
    assert reads_tables(through_zero.refresh(change(1, (6.0, 3.0))))
    beside = reals((3.0, 1.0), (5.0, 2.0), names=("regr_slope", "regr_intercept"))
    assert not reads_tables(beside.refresh(change(1, (7.0, 3.0))))


def test_a_coefficient_of_determination_of_constants_is_left_to_spark() -> None:
    view = reals((1.0, 2.0), (3.0, 2.0), names=("regr_r2",))
    assert reads_tables(view.refresh(change(1, (5.0, 2.0))))
    assert not reads_tables(view.refresh(change(1, (7.0, 3.0))))
    assert not reads_tables(view.refresh(change(1, (9.0, 5.0))))


def test_a_coefficient_of_determination_of_integers_is_merged() -> None:
    view = by_team(moment("regr_r2", PAY, ID))
    assert not reads_tables(refresh(view, hired((6, "fay", "a", 10))))
    assert reads_tables(refresh(view, left(ANN)))


def test_many_merges_keep_their_digits() -> None:
    """Against whole numbers, which lose none."""
    rng = Random(7)
    kept = [1000 + rng.randrange(1, 9) for _ in range(3)]
    view = maintained_reals("var_samp", *((value / 4,) for value in kept))
    for _ in range(60):
        more = [1000 + rng.randrange(1, 9) for _ in range(rng.randrange(1, 4))]
        kept += more
        assert not reads_tables(view.refresh(change(1, *((value / 4,) for value in more))))
    size = len(kept)
    exact = (size * sum(v * v for v in kept) - sum(kept) ** 2) / (16 * size * (size - 1))
    ((found,),) = view.view
    assert found == pytest.approx(exact, rel=1e-9)


def test_what_is_kept_is_known_by_what_it_is() -> None:
    """A state of other columns, as an older release kept, is not found and not gone on from."""
    view = by_team(moment("var_pop", cast(PAY, "DOUBLE")))
    merged, anew = (prepare(view, moments=on).kept[0] for on in (True, False))
    assert merged.name != anew.name
    assert len(merged.columns) > len(anew.columns)


def test_variances_of_distinct_values_are_evaluated_anew() -> None:
    view = by_team(moment("var_pop", PAY, distinct=True))
    assert reads_tables(refresh(view, hired((6, "fay", "a", 40))))


def test_a_variance_far_from_zero_keeps_its_digits() -> None:
    scan = Scan("t", ("x",), (Column("x", "INT"),))
    view = Aggregate(scan, (), (NamedAggregate("v", moment("var_samp", X)),))
    rows = ", ".join(f"({999999999 - n % 3})" for n in range(3000))
    table = f"(SELECT x FROM (VALUES {rows}) AS made(x))"
    engine = DuckEngine(connection())
    connection().execute(f"CREATE OR REPLACE TABLE far AS {table}")
    assert engine.recomputed(prepare(view).relation, {"t": "far"}) == [(2000 / 2999,)]


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
