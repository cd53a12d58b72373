"""docs/types.md says what the encoding does."""

from __future__ import annotations

import pytest
from pyspark.sql import types as T

from rollview.storage.encoding import storable
from tests.docs.pages import DOCS

PAGE = DOCS / "types.md"
SECOND = T.DayTimeIntervalType()
TYPES: dict[str, T.DataType] = {
    "BOOLEAN": T.BooleanType(),
    "TINYINT": T.ByteType(),
    "SMALLINT": T.ShortType(),
    "INT": T.IntegerType(),
    "BIGINT": T.LongType(),
    "FLOAT": T.FloatType(),
    "DOUBLE": T.DoubleType(),
    "DECIMAL(12,2)": T.DecimalType(12, 2),
    "BINARY": T.BinaryType(),
    "DATE": T.DateType(),
    "TIMESTAMP": T.TimestampType(),
    "TIMESTAMP_NTZ": T.TimestampNTZType(),
    "VARIANT": T.VariantType(),
    "STRING": T.StringType(),
    "STRING COLLATE UTF8_LCASE": T.StringType("UTF8_LCASE"),
    "CHAR(4)": T.CharType(4),
    "VARCHAR(4)": T.VarcharType(4),
    "TIME(6)": T.TimeType(6),
    "INTERVAL YEAR TO MONTH": T.YearMonthIntervalType(),
    "INTERVAL DAY TO SECOND": SECOND,
    "INTERVAL": T.CalendarIntervalType(),
    "VOID": T.NullType(),
    "ARRAY<INT>": T.ArrayType(T.IntegerType()),
    "ARRAY<INTERVAL DAY TO SECOND>": T.ArrayType(SECOND),
    "MAP<STRING, INT>": T.MapType(T.StringType(), T.IntegerType()),
    "MAP<STRING, VOID>": T.MapType(T.StringType(), T.NullType()),
    "STRUCT<a: INT, b: STRING>": T.StructType().add("a", T.IntegerType()).add("b", T.StringType()),
    "STRUCT<a: VOID>": T.StructType().add("a", T.NullType()),
    "STRUCT<`a b`: INT>": T.StructType().add("a b", T.IntegerType()),
    "STRUCT<>": T.StructType(),
}


def rows() -> dict[str, str]:
    """What the page says: type of the query, stored type."""
    lines = PAGE.read_text("utf-8").splitlines()
    cells = [line.removeprefix("| ").split(" | ") for line in lines if line.startswith("| `")]
    return {_bare(first): _bare(second) for first, second, *_ in cells}


def _bare(cell: str) -> str:
    fence = "``" if cell.startswith("``") else "`"
    return cell.removeprefix(fence).removesuffix(fence)


def test_the_page_lists_these_types() -> None:
    assert list(rows()) == list(TYPES)


@pytest.mark.parametrize("name", TYPES)
def test_type_is_stored_as_the_page_says(name: str) -> None:
    assert rows()[name] == storable(TYPES[name])
