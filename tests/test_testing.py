"""The assertions for users' tests, on plain tuples."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest

from rollview.testing import assert_same_rows, assert_view_matches_recompute, compare_rows

NAN = float("nan")

SAME: dict[str, tuple[list[Any], list[Any]]] = {
    "empty": ([], []),
    "order of rows": ([(1,), (2,)], [(2,), (1,)]),
    "NULL equals NULL": ([(None, 1)], [(None, 1)]),
    "duplicates": ([(1,), (1,), (2,)], [(1,), (2,), (1,)]),
    "NaN equals NaN": ([(NAN,)], [(NAN,)]),
    "both zeros": ([(0.0,)], [(-0.0,)]),
    "infinity": ([(float("inf"),)], [(float("inf"),)]),
    "tolerance": ([(1, 0.1 + 0.2)], [(1, 0.3)]),
    "nested float": ([([1, {"k": 0.1 + 0.2}],)], [([1, {"k": 0.3}],)]),
    "map order": ([({"a": 1, "b": 2},)], [({"b": 2, "a": 1},)]),
    "binary": ([(bytearray(b"x"),)], [(b"x",)]),
    "decimal scale": ([(Decimal("1.50"),)], [(Decimal("1.5"),)]),
    "row and tuple": ([((1, "x"),)], [([1, "x"],)]),
    # Taking the first close partner would leave the second row alone.
    "pairs that must be chosen": (
        [(1.0,), (1.0 + 8e-10,)],
        [(1.0 + 8e-10 + 8e-10,), (1.0 + 7e-10,)],
    ),
}

DIFFERENT: dict[str, tuple[list[Any], list[Any]]] = {
    "multiplicity": ([(1,), (1,)], [(1,)]),
    "NULL and zero": ([(None,)], [(0,)]),
    "true and one": ([(True,)], [(1,)]),
    "text and number": ([("1",)], [(1,)]),
    "beyond tolerance": ([(1.0,)], [(1.00001,)]),
    "NaN and NULL": ([(NAN,)], [(None,)]),
    "NaN and number": ([(NAN,)], [(1.0,)]),
    "floats under other keys": ([("a", 1.0), ("b", 2.0)], [("a", 2.0), ("b", 1.0)]),
    "order inside arrays": ([([1, 2],)], [([2, 1],)]),
    "dates": ([(date(2024, 1, 1),)], [(date(2024, 1, 2),)]),
    "opposite infinities": ([(float("inf"),)], [(float("-inf"),)]),
    "width": ([(1, 2)], [(1,)]),
}


@pytest.mark.parametrize("name", SAME)
def test_same(name: str) -> None:
    assert_same_rows(*SAME[name])
    assert_same_rows(*reversed(SAME[name]))


@pytest.mark.parametrize("name", DIFFERENT)
def test_different(name: str) -> None:
    for actual, expected in (DIFFERENT[name], tuple(reversed(DIFFERENT[name]))):
        with pytest.raises(AssertionError):
            assert_same_rows(actual, expected)


def test_variants_compare_by_value() -> None:
    def variant(value: object) -> SimpleNamespace:
        return SimpleNamespace(toPython=lambda: value)

    assert_same_rows([(variant({"a": 1.0}),)], [(variant({"a": 1.0}),)])
    with pytest.raises(AssertionError):
        assert_same_rows([(variant({"a": 1}),)], [(variant({"a": 2}),)])


def test_difference_keeps_multiplicity() -> None:
    difference = compare_rows([(1,), (2,)], [(1,), (1,), (1,), (3,)])
    assert difference.missing == [(1,), (1,), (3,)]
    assert difference.unexpected == [(2,)]


def test_message_shows_a_few_rows() -> None:
    with pytest.raises(AssertionError) as failure:
        assert_same_rows([(i,) for i in range(9)], [(100,)])
    message = str(failure.value)
    assert "1 missing (-), 9 unexpected (+); 9 rows, expected 1" in message
    assert "  - (100,)" in message
    assert "  + ... 4 more" in message


def test_message_names_widths() -> None:
    with pytest.raises(AssertionError, match="rows have 2 columns, expected 1"):
        assert_same_rows([(1, 2)], [(1,)])


def test_view_matches_recompute() -> None:
    report = SimpleNamespace(correct=True)
    session: Any = SimpleNamespace(verify=lambda view: report)
    assert_view_matches_recompute(session, "v")


def test_view_differs_from_recompute() -> None:
    report = SimpleNamespace(
        view="v",
        correct=False,
        missing=1,
        unexpected=2,
        missing_sample=[{"id": 1}],
        unexpected_sample=[{"id": 2}, {"id": 3}],
        note="compared with the canonical order",
    )
    session: Any = SimpleNamespace(verify=lambda view: report)
    with pytest.raises(AssertionError) as failure:
        assert_view_matches_recompute(session, "v")
    assert "view v differs from its recomputation: 1 rows missing, 2 unexpected" in str(
        failure.value
    )
    assert "  - {'id': 1}" in str(failure.value)
    assert "note: compared with the canonical order" in str(failure.value)
