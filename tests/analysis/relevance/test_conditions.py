"""Conditions as formulas, by type and by operator, and the predicates that they become."""

from __future__ import annotations

import pytest

from rollview.algebra.expressions import Call, ColumnRef, Expression, Literal, cast, is_null
from rollview.algebra.relations import Filter, Join, JoinKind
from tests.analysis.relevance.views import (
    A,
    B,
    R,
    all_of,
    any_of,
    compare,
    negated,
    number,
    of,
    plus,
    table,
)

DAY, TIME, LOCAL, NAME, FLAG, PRICE, LONG, SMALL, RATIO = (
    ColumnRef(name, type)
    for name, type in (
        ("day", "DATE"),
        ("time", "TIMESTAMP"),
        ("local", "TIMESTAMP_NTZ"),
        ("name", "STRING"),
        ("flag", "BOOLEAN"),
        ("price", "DECIMAL(12,2)"),
        ("long", "BIGINT"),
        ("small", "SMALLINT"),
        ("ratio", "DOUBLE"),
    )
)
T = table("t", DAY, TIME, LOCAL, NAME, FLAG, PRICE, LONG, SMALL, RATIO)
U = table("u", *(ColumnRef(f"{c.name}2", c.type) for c in (DAY, TIME, LOCAL, NAME, FLAG, PRICE)))


def text(value: str) -> Literal:
    return Literal(f"'{value}'", "STRING")


def day(value: str) -> Literal:
    return Literal(f"DATE '{value}'", "DATE")


def time(value: str) -> Literal:
    return Literal(f"TIMESTAMP '{value}'", "TIMESTAMP")


def price(value: str) -> Literal:
    return Literal(f"{value}BD", "DECIMAL(12,2)")


NOON = time("2020-03-01 12:00:00")
ODD = Literal("1.505BD", "DECIMAL(4,3)")
SOON = Literal("some_day()", "DATE")
MONTHS = Call("AddMonths", ("add_months(", ", ", ")"), (SOON, number(3)), "DATE")


def joined(other: ColumnRef, own: ColumnRef, *conditions: Expression) -> str | None:
    """What is known of rows of ``t`` that are joined to ``u`` by these columns."""
    return of(Join(JoinKind.INNER, T, U, all_of(compare(own, "=", other), *conditions)), T)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (compare(DAY, "<", day("2020-03-01")), "(day <= DATE '2020-02-29')"),
        (compare(TIME, "<", NOON), f"(time < {NOON.text})"),
        (compare(PRICE, "<", price("1.50")), "(price < CAST(1.50 AS DECIMAL(12,2)))"),
        (compare(PRICE, "<", ODD), "(price <= CAST(1.50 AS DECIMAL(12,2)))"),
        (compare(LONG, ">", Literal("7L", "BIGINT")), "(long >= 8L)"),
        (compare(cast(SMALL, "INT"), ">", number(70000)), "FALSE"),
        (compare(cast(SMALL, "INT"), "<", number(70000)), "(small IS NOT NULL)"),
        (compare(NAME, ">=", text("b")), "(name >= 'b')"),
        (FLAG, "(flag = TRUE)"),
        (negated(FLAG), "(flag = FALSE)"),
        (compare(FLAG, ">", Literal("false", "BOOLEAN")), "(flag = TRUE)"),
        (compare(RATIO, "<", Literal("1.5D", "DOUBLE")), "(ratio < 1.5D)"),
        (compare(DAY, ">", SOON), "(day >= date_add(some_day(), 1))"),
        (compare(DAY, "<=", MONTHS), "(day <= add_months(some_day(), 3))"),
        (compare(DAY, ">=", Call("DateAdd", ("date_add(", ", ", ")"), (MONTHS, number(2)), "DATE")),
         "(day >= date_add(add_months(some_day(), 3), 2))"),
        (compare(DAY, ">", Call("Random", ("f()",), (), "DATE", True, False)), None),
        (compare(cast(text("2020-03-01"), "DATE"), ">", DAY), "(day <= DATE '2020-02-29')"),
    ],
)  # fmt: skip
def test_every_type_in_its_own_way(condition: Expression, expected: str | None) -> None:
    assert of(Filter(T, condition), T) == expected


def test_dense_values_stay_strict_along_the_way() -> None:
    price2, time2 = ColumnRef("price2", PRICE.type), ColumnRef("time2", TIME.type)
    found = joined(price2, PRICE, compare(price2, ">", price("2.00")))
    assert found == "(price > CAST(2.00 AS DECIMAL(12,2)))"
    limit = time("2020-01-01 00:00:00")
    assert joined(time2, TIME, compare(time2, "<", limit)) == f"(time < {limit.text})"


def test_strings_and_truths_are_carried_over_by_equality() -> None:
    name2, flag2 = ColumnRef("name2", "STRING"), ColumnRef("flag2", "BOOLEAN")
    assert joined(name2, NAME, compare(name2, "=", text("x"))) == "(name = 'x')"
    both = all_of(compare(name2, "=", text("x")), compare(name2, ">", text("y")))
    assert joined(name2, NAME, both) == "FALSE"
    assert joined(flag2, FLAG, flag2) == "(flag = TRUE)"
    assert joined(flag2, FLAG, all_of(flag2, negated(FLAG))) == "FALSE"


def test_local_times_are_in_order_and_others_only_if_far_apart() -> None:
    """Clocks are set back: a local time may come before an earlier one."""
    early, late = "2020-10-25 02:10:00", "2020-10-25 02:30:00"
    local = [Literal(f"TIMESTAMP_NTZ '{t}'", "TIMESTAMP_NTZ") for t in (early, late)]
    never = all_of(compare(LOCAL, "<", local[0]), compare(LOCAL, ">", local[1]))
    assert of(Filter(T, never), T) == "FALSE"
    maybe = all_of(compare(TIME, "<", time(early)), compare(TIME, ">", time(late)))
    assert of(Filter(T, maybe), T) != "FALSE"
    far = all_of(compare(TIME, "<", time(early)), compare(TIME, ">", time("2021-01-01 00:00:00")))
    assert of(Filter(T, far), T) == "FALSE"


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (negated(compare(A, "<", 3)), "(a >= 3)"),
        (negated(any_of(compare(A, "<", 3), compare(A, ">", 7))), "((a >= 3) AND (a <= 7))"),
        (negated(compare(A, "=", 3)), "((a <= 2) OR (a >= 4))"),
        (negated(is_null(A)), "(a IS NOT NULL)"),
        (is_null(A), "(a IS NULL)"),
        (all_of(is_null(A), compare(A, "<", 3)), "FALSE"),
        (compare(A, "<", Literal("NULL", "INT")), "FALSE"),
        (compare(A, "<", A), "FALSE"),
        (compare(A, "<=", A), "(a IS NOT NULL)"),
        (compare(plus(A, 1), ">", plus(B, 4)),
         "(CAST(b AS BIGINT) <= (CAST(a AS BIGINT) + -4L))"),
        (all_of(any_of(compare(A, "=", 1), compare(A, "=", 2)), compare(B, "=", 3)),
         "((b = 3) AND ((a = 1) OR (a = 2)))"),
    ],
)  # fmt: skip
def test_true_is_not_null_and_not_false(condition: Expression, expected: str) -> None:
    assert of(Filter(R, condition)) == expected


def test_null_safe_equality_is_true_of_two_nulls() -> None:
    same = Call("EqualNullSafe", ("(", " <=> ", ")"), (A, number(3)), "BOOLEAN", False)
    assert of(Filter(R, same)) == "(a = 3)"
    both = Call("EqualNullSafe", ("(", " <=> ", ")"), (A, B), "BOOLEAN", False)
    assert of(Filter(R, both)) == "((a = b) OR ((a IS NULL) AND (b IS NULL)))"
    untrue = Call("Not", ("(", " IS NOT TRUE)"), (compare(A, "<", 3),), "BOOLEAN", False)
    assert of(Filter(R, untrue)) == "((a < 3) IS NOT TRUE)"  # of NULL, too


def test_lists_of_values() -> None:
    def one_of(*items: Expression) -> Call:
        parts = ("(", " IN (", *[", "] * (len(items) - 1), "))")
        return Call("In", parts, (A, *items), "BOOLEAN")

    assert of(Filter(R, one_of(number(1), number(2)))) == "((a = 1) OR (a = 2))"
    assert of(Filter(R, negated(one_of(number(1), Literal("NULL", "INT"))))) == "FALSE"
    long = one_of(*(number(n) for n in range(12)))
    assert of(Filter(R, long)) == "(a IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11))"


def test_numbers_that_no_type_holds_together_are_not_compared() -> None:
    fine, whole = ColumnRef("fine", "DECIMAL(38,30)"), ColumnRef("whole", "DECIMAL(38,0)")
    wide, other = ColumnRef("wide", "DECIMAL(38,20)"), ColumnRef("other", "INT")
    rows = table("n", fine, whole, other)
    equal = all_of(compare(fine, "=", wide), compare(whole, "=", wide))
    lost = Join(JoinKind.INNER, rows, table("m", wide), equal)
    assert of(lost, rows) == "((fine IS NOT NULL) AND (whole IS NOT NULL))"
    kept = Filter(rows, compare(cast(other, whole.type), "=", whole))
    assert of(kept, rows) == "(other = whole)"


def test_sums_that_wrap_around_are_not_looked_into() -> None:
    """Without ANSI mode ``2147483647 + 1`` is less than anything."""
    condition = compare(B, ">", plus(A, 1))
    assert of(Filter(R, condition)) == "(CAST(a AS BIGINT) <= (CAST(b AS BIGINT) + -2L))"
    assert of(Filter(R, condition), wraps=True) is None
    wide = Call("Add", ("(", " + ", ")"), (cast(A, "BIGINT"), Literal("1L", "BIGINT")), "BIGINT")
    assert of(Filter(R, compare(cast(B, "BIGINT"), ">", wide)), wraps=True) is not None
