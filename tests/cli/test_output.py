"""Values as people and programs read them."""

from __future__ import annotations

import json
import math
from datetime import date, datetime
from decimal import Decimal

import pytest
from pyspark.sql import Row

from rollview.cli.output import cell_text, plain, print_json, print_table
from tests.cli.conftest import no_json


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "NULL"),
        (True, "true"),
        (Decimal("1.50"), "1.50"),
        (b"\x01\xff", "01ff"),
        (datetime(2026, 1, 2, 3, 4, 5), "2026-01-02 03:04:05"),
        ([1, None], "[1, null]"),
        (Row(a=1, b=Row(c="x")), '{"a": 1, "b": {"c": "x"}}'),
        ({1: date(2026, 1, 2)}, '{"1": "2026-01-02"}'),
        (0.5, "0.5"),
        (float("nan"), "NaN"),
        ([float("-inf"), 0.5], '["-Infinity", 0.5]'),
    ],
)
def test_cell(value: object, text: str) -> None:
    assert cell_text(value) == text


def test_json_keeps_every_digit(capsys: pytest.CaptureFixture[str]) -> None:
    print_json(plain([Decimal("0.10"), b"\x00", date(2026, 1, 2), Row(a=Decimal("1.0"))]))
    assert json.loads(capsys.readouterr().out) == ["0.10", "AA==", "2026-01-02", {"a": "1.0"}]


def test_json_has_no_numbers_that_json_has_not(capsys: pytest.CaptureFixture[str]) -> None:
    odd = {"n": math.nan, "up": [math.inf], "down": Row(a=(1.5, -math.inf)), "keys": {math.nan: 1}}
    print_json([odd, math.nan])
    assert json.loads(capsys.readouterr().out, parse_constant=no_json) == [
        {
            "n": "NaN",
            "up": ["Infinity"],
            "down": {"a": [1.5, "-Infinity"]},
            "keys": {"NaN": 1},
        },
        "NaN",
    ]


def test_table_in_a_pipe_is_neither_cut_nor_marked_up(capsys: pytest.CaptureFixture[str]) -> None:
    long = "[bold]" + "x" * 300
    print_table(["a [b]"], [[long]])
    out = capsys.readouterr().out
    assert long in out
    assert "a [b]" in out
