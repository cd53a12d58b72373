"""Column types of generated tables, and the few values that their rows are made of.

Few values make duplicates, matches and groups. Among them are those that betray a wrong type: an
integer that no double holds, a decimal with 27 digits, a double that is no binary fraction, NaN.
Nested values are tuples: the items of an array, the fields of a struct, the entries of a map.
"""

from __future__ import annotations

import datetime
from decimal import Decimal
from random import Random
from typing import Any

SMALL_DECIMAL = "DECIMAL(12,2)"
LONG_DECIMAL = "DECIMAL(38,10)"
ARRAY = "ARRAY<INT>"
STRUCT = "STRUCT<p: INT, q: STRING>"
MAP = "MAP<STRING, INT>"
STRUCTS = f"ARRAY<{STRUCT}>"
NESTED = (ARRAY, STRUCT, MAP, STRUCTS)

# Doubles are not negative: a sum that cancels out keeps no digits to compare.
VALUES: dict[str, tuple[object, ...]] = {
    "INT": (0, 1, 2, 3, -1),
    "BIGINT": (0, 1, 2, 9007199254740993),
    SMALL_DECIMAL: (Decimal("0.00"), Decimal("1.00"), Decimal("1.55"), Decimal("-2.01")),
    LONG_DECIMAL: (
        Decimal("1.0000000000"),
        Decimal("0.0000000001"),
        Decimal("12345678901234567.0000000001"),
    ),
    "STRING": ("", "a", "b", "ab"),
    "DATE": (datetime.date(2020, 2, 29), datetime.date(2021, 1, 1), datetime.date(1999, 12, 31)),
    "BOOLEAN": (True, False),
    "DOUBLE": (0.0, 0.1, 0.7, 2.5),
    "FLOAT": (0.0, 0.1, 1.25),
    "SMALLINT": (0, 1, 7),
    "TIMESTAMP": (datetime.datetime(2020, 2, 29, 12), datetime.datetime(2021, 1, 1, 0, 0, 1)),
    "TIMESTAMP_NTZ": (datetime.datetime(2020, 2, 29, 12), datetime.datetime(2021, 1, 1, 0, 0, 1)),
    "BINARY": (b"", b"\x00", b"a", b"\xff\x00"),
    ARRAY: ((), (1,), (1, 2), (2, 1), (None,), (1, None)),
    STRUCT: ((1, "a"), (1, None), (None, None), (2, "a")),
    MAP: ((), (("a", 1),), (("a", 1), ("b", 2)), (("a", None),)),
    STRUCTS: ((), ((1, "a"),), ((1, "a"), None), ((None, "b"), (1, "a"))),
}
# Not -0.0, which DuckDB makes 0.0 where it sorts, and Python takes for the same where rows go.
_ODD = (float("nan"), float("inf"))
RARE_VALUES: dict[str, tuple[object, ...]] = {"DOUBLE": _ODD, "FLOAT": _ODD}
TYPES = tuple(VALUES)
_OFTEN = ("INT", "INT", "INT", "INT", "STRING", "STRING", SMALL_DECIMAL, "BIGINT", "DOUBLE")


def random_type(rng: Random) -> str:
    """A type of a column; more often one that joins and sums."""
    return rng.choice(TYPES + _OFTEN)


def is_compared(type: str) -> bool:
    """Whether values of the type can be equal, grouped and ordered; those of maps cannot."""
    return "MAP<" not in type


def random_value(rng: Random, type: str, nullable: bool) -> object:
    """A value of a column."""
    if nullable and rng.random() < 0.2:
        return None
    if type in RARE_VALUES and rng.random() < 0.1:
        return rng.choice(RARE_VALUES[type])
    return rng.choice(VALUES[type])


def sql(value: object, type: str) -> str:
    """The value as Spark SQL."""
    match value:
        case None:
            return f"CAST(NULL AS {type})"
        case tuple():
            return _nested(value, type)
        case bytes():
            return f"unhex('{value.hex()}')"
        case bool():
            return "TRUE" if value else "FALSE"
        case datetime.datetime():
            return f"{type} '{value}'"
        case datetime.date():
            return f"DATE '{value}'"
        case str():
            return f"'{value}'"
        case int() if type == "INT":
            return str(value) if value >= 0 else f"({value})"
        case float() if value != value or value == float("inf") or str(value) == "-0.0":
            return f"CAST('{value}' AS {type})"
        case _:
            return f"CAST({value} AS {type})"


def _nested(value: tuple[Any, ...], type: str) -> str:
    """Arrays, structs and maps by the functions that make them."""
    if type == STRUCT:
        return f"named_struct('p', {sql(value[0], 'INT')}, 'q', {sql(value[1], 'STRING')})"
    if type == MAP:
        keys = sql(tuple(key for key, _ in value), "ARRAY<STRING>")
        return f"map_from_arrays({keys}, {sql(tuple(item for _, item in value), ARRAY)})"
    items = ", ".join(sql(one, type[len("ARRAY<") : -1]) for one in value)
    return f"CAST(array({items}) AS {type})"
