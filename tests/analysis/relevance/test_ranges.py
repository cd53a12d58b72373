"""What the least and the greatest value of changed rows say: whether any of them can matter."""

from __future__ import annotations

import pytest

from rollview.algebra.expressions import ColumnRef, Expression, Literal, is_null
from rollview.algebra.relations import Filter, Join, JoinKind
from rollview.analysis.range import Range
from rollview.analysis.relevance.changes import RangeOf
from tests.analysis.relevance.views import A, B, C, D, R, S, all_of, any_of, compare, plain, table

DAY, NAME, TIME = (
    ColumnRef("day", "DATE"),
    ColumnRef("name", "STRING"),
    ColumnRef("time", "TIMESTAMP"),
)
T = table("t", DAY, NAME, TIME)


def between(low: str, high: str, column: str = "a", *, nulls: bool = False) -> RangeOf:
    """The range of one column, as an engine writes it; nothing is known of others."""

    def known(field: str, type: str) -> Range | None:
        return Range(Literal(low, type), Literal(high, type), nulls) if field == column else None

    return known


@pytest.mark.parametrize(
    ("condition", "low", "high", "expected"),
    [
        (compare(A, ">", 5), "CAST(0L AS INT)", "CAST(5L AS INT)", False),
        (compare(A, ">", 5), "CAST(0L AS INT)", "CAST(6L AS INT)", True),
        (all_of(compare(A, ">", 5), compare(B, "<", 3)), "7", "8", True),
        (any_of(compare(A, "=", 1), compare(A, "=", 9)), "2", "8", False),
        (any_of(compare(A, "=", 1), compare(B, "=", 9)), "2", "8", True),
        (all_of(compare(A, "<", B), compare(B, "<", 3)), "2", "8", False),
        (is_null(A), "2", "8", False),
    ],
)  # fmt: skip
def test_values_that_satisfy_a_condition(
    condition: Expression, low: str, high: str, expected: bool
) -> None:
    assert plain(Filter(R, condition)).can_matter("r", between(low, high)) is expected


def test_nulls_beside_the_range_count() -> None:
    view = plain(Filter(R, is_null(A)))
    assert view.can_matter("r", between("2", "8", nulls=True))
    assert view.can_matter("r", lambda *_: None)


def test_other_tables_are_looked_at_too() -> None:
    few = Filter(S, compare(D, "<", 4))
    view = plain(Join(JoinKind.INNER, R, few, all_of(compare(A, "=", C), compare(C, "=", D))))
    assert not view.can_matter("r", between("4", "9"))
    assert view.can_matter("r", between("3", "9"))
    assert view.can_matter("s", between("4", "9"))


@pytest.mark.parametrize(
    ("condition", "column", "low", "high", "expected"),
    [
        (compare(DAY, ">", Literal("DATE '2020-01-01'", "DATE")), "day",
         "date_from_unix_date(10)", "date_from_unix_date(18262)", False),
        (compare(DAY, ">", Literal("DATE '2020-01-01'", "DATE")), "day",
         "date_from_unix_date(10)", "date_from_unix_date(18263)", True),
        (compare(NAME, "<", Literal("'b'", "STRING")), "name", "'b'", "'c'", False),
        (compare(NAME, "<", Literal("'b'", "STRING")), "name", "'a'", "'c'", True),
        (compare(TIME, "<", Literal("TIMESTAMP '2020-01-01 00:00:00'", "TIMESTAMP")), "time",
         "timestamp_micros(1600000000000000L)", "timestamp_micros(1700000000000000L)", False),
        (compare(TIME, "<", Literal("TIMESTAMP '2020-09-13 00:00:00'", "TIMESTAMP")), "time",
         "timestamp_micros(1600000000000000L)", "timestamp_micros(1700000000000000L)", True),
    ],
)  # fmt: skip
def test_ranges_as_spark_writes_them(
    condition: Expression, column: str, low: str, high: str, expected: bool
) -> None:
    """Instants and local times are compared only if they are days apart."""
    view = plain(Filter(T, condition))
    assert view.can_matter("t", between(low, high, column)) is expected


def test_a_scan_without_conditions_wants_everything() -> None:
    assert plain(R).can_matter("r", between("1", "1"))
    assert not plain(R).can_matter("s", between("1", "1"))
