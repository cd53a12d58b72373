"""Every column type comes back from a store as the query's own schema and values.

All columns of a store are written in one commit; there is one test per type and store.
"""

from __future__ import annotations

import json

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import BinaryType, DataType, StructField, StructType

from rollview.errors import UnsupportedType
from rollview.storage.encoding import quoted, storable
from rollview.storage.registry import STORES, backing

pytestmark = pytest.mark.spark

TYPES = {
    "boolean": "true",
    "tinyint": "-128Y",
    "smallint": "32767S",
    "int": "-2147483648",
    "bigint": "9223372036854775807L",
    "float": "float('NaN')",
    "double": "-0.0D",
    "decimal": "cast(12345678901234567890.123456789 as decimal(38, 9))",
    "string": "'ü ✓ \\n'",
    "char": "cast('ab' as char(4))",
    "varchar": "cast('ab' as varchar(4))",
    "collated": "'aB' collate UTF8_LCASE",
    "unicode_collated": "'aB' collate UNICODE_CI_AI",
    "binary": "X'00FF'",
    "date": "date'0001-01-01'",
    "timestamp": "timestamp'1883-11-18 12:03:58.123456'",
    "timestamp_ntz": "timestamp_ntz'2024-02-29 23:59:59.999999'",
    "time": "cast('12:13:14.123456' as time(6))",
    "time_0": "cast('23:59:59' as time(0))",
    "interval_year": "interval '-3' year",
    "interval_year_month": "interval '178956970-7' year to month",
    "interval_month": "interval '14' month",
    "interval_day": "interval '5' day",
    "interval_day_hour": "interval '1 02' day to hour",
    "interval_day_second": "interval '-106751991 04:00:54.775808' day to second",
    "interval_hour_minute": "interval '-1:02' hour to minute",
    "interval_second": "interval '59.000001' second",
    "interval_calendar": "make_interval(-1, 2, -3, 4, -5, 6, -7.000001)",
    "void": "null",
    "variant_object": 'parse_json(\'{"b": [1, null, 2.50], "a": "x"}\')',
    "variant_null": "cast(null as variant)",
    "array": "array(1, null, 3)",
    "array_empty": "array()",
    "array_of_void": "array(null)",
    "array_of_interval": "array(interval '1' day, null)",
    "array_of_array_of_collated": "array(array('aB' collate UTF8_LCASE), null)",
    "map": "map('a', 1, 'b', null)",
    "map_to_interval": "map('a', interval '1' day, 'b', null)",
    "map_from_interval": "map(interval '2' month, 'x')",
    "map_from_collated": "map('aB' collate UTF8_LCASE, array(null))",
    "map_of_struct": "map(1, named_struct('a b', interval '1' second))",
    "map_empty": "map()",
    "struct": "named_struct('order', 1, 'b', array('x'))",
    "struct_null": "cast(null as struct<a: interval day, b: void>)",
    "struct_odd_names": "named_struct('a b', 1, 'c,d;e', null, 'ü`\\'', interval '1' month)",
    "struct_case": "named_struct('a', 1, 'b', named_struct('A', time'01:02:03', 'x.y', 2))",
    "struct_of_variant": "named_struct('v', parse_json('[1]'), 'i', make_interval(0, 1))",
}
# Spark takes every cast from text for nullable, so what is stored as text cannot be in this list.
NEVER_NULL = ["int", "string", "collated", "binary", "array", "map_from_interval", "variant_object"]
NAMES = [
    "a b",
    "c,d;e",
    "{x}(y)=",
    "tab\tand\nline",
    "ü✓",
    "tick`s",
    "dot.ted",
    "SELECT",
    "Mixed",
    "_",
]


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    own = spark.newSession()
    own.conf.set("spark.sql.timeType.enabled", "true")
    return own


@pytest.fixture(scope="module")
def query(session: SparkSession) -> DataFrame:
    present = ", ".join(f"{text} AS {quoted(name)}" for name, text in TYPES.items())
    present += ", " + ", ".join(f"{n} AS {quoted(name)}" for n, name in enumerate(NAMES))
    columns = [f"IF(id = 1, {quoted(name)}, NULL) AS {quoted(name)}" for name in [*TYPES, *NAMES]]
    columns += [f"{quoted(name)} AS {quoted(f'{name} always')}" for name in NEVER_NULL]
    return session.sql(f"SELECT {', '.join(columns)} FROM (SELECT {present}), range(1, 3)")


Content = dict[str, tuple[StructField, list[str]]]


@pytest.fixture(scope="module")
def wanted(query: DataFrame) -> Content:
    return _content(query)


@pytest.fixture(scope="module", params=STORES)
def stored(
    session: SparkSession,
    query: DataFrame,
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Content, Content]:
    """What a store gives back, read directly and through the public name."""
    location = str(tmp_path_factory.mktemp("types") / "data")
    table = backing(session, request.param, location, "types", query.schema)
    table.create()
    table.replace(query, 1, "{}")
    session.sql(f"CREATE OR REPLACE VIEW every_type AS {table.select()}")
    return _content(table.read()), _content(session.table("every_type"))


@pytest.mark.parametrize("name", [*TYPES, *NAMES, *[f"{name} always" for name in NEVER_NULL]])
def test_a_column_comes_back_as_it_was(
    name: str, wanted: Content, stored: tuple[Content, Content]
) -> None:
    field, values = wanted[name]
    for content in stored:
        found, kept = content[name]
        assert _nullable(found.dataType) == _nullable(field.dataType)
        assert found.nullable == field.nullable
        assert kept == values


def test_metadata_of_char_columns_is_not_carried_over(
    session: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> None:
    location = str(tmp_path_factory.mktemp("char") / "data")
    session.sql("CREATE TABLE IF NOT EXISTS padded (c CHAR(4), v VARCHAR(2)) USING delta")
    frame = session.table("padded").selectExpr("c", "v || 'long' AS v")
    table = backing(session, STORES[0], location, "char", frame.schema)
    table.create()
    assert [field.metadata for field in table.read().schema] == [{}, {}]
    session.sql("DROP TABLE padded")


def test_a_type_of_no_kind_is_refused() -> None:
    class OddType(DataType):
        pass

    with pytest.raises(UnsupportedType, match="a column of type odd cannot be stored"):
        storable(OddType())


def _content(frame: DataFrame) -> Content:
    """Values as text: Python has no form for intervals of every kind, nor for VOID in a map."""
    renamed = frame.toDF(*[f"n{position}" for position in range(len(frame.columns))])
    shown = [
        f"hex({name})" if isinstance(field.dataType, BinaryType) else f"string({name})"
        for name, field in zip(renamed.columns, frame.schema.fields, strict=True)
    ]
    texts = renamed.selectExpr(*shown).collect()
    return {
        field.name: (field, sorted(str(row[position]) for row in texts))
        for position, field in enumerate(frame.schema.fields)
    }


def _nullable(type: DataType) -> DataType:
    """The type without NOT NULL inside it, which storage does not keep."""
    text = type.json().replace('"nullable":false', '"nullable":true')
    for flag in ("containsNull", "valueContainsNull"):
        text = text.replace(f'"{flag}":false', f'"{flag}":true')
    wrapped = '{"type":"struct","fields":[{"name":"x","nullable":true,"metadata":{},"type":%s}]}'
    return StructType.fromJson(json.loads(wrapped % text))
