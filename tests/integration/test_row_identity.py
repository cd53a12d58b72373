"""Copies of rows with columns of every type are told apart, deleted and summed by identity."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from rollview.errors import DeltaMismatch
from rollview.runtime.compare import compare
from rollview.storage.encoding import quoted
from rollview.storage.files import LocalFiles
from rollview.storage.registry import STORES, backing, segments
from rollview.storage.tables import active

pytestmark = pytest.mark.spark

EVERY = {
    "boolean": "true",
    "tinyint": "-128Y",
    "smallint": "32767S",
    "int": "-2147483648",
    "bigint": "9223372036854775807L",
    "float": "float('NaN')",
    "double": "-0.5D",
    "decimal": "cast(12345678901234567890.123456789 as decimal(38, 9))",
    "string": "'ü ✓ \\n'",
    "collated": "'aB' collate UTF8_LCASE",
    "binary": "X'00FF'",
    "date": "date'0001-01-01'",
    "timestamp": "timestamp'1883-11-18 12:03:58.123456'",
    "timestamp_ntz": "timestamp_ntz'2024-02-29 23:59:59.999999'",
    "time": "cast('12:13:14.123456' as time(6))",
    "interval_year_month": "interval '178956970-7' year to month",
    "interval_day_second": "interval '-106751991 04:00:54.775808' day to second",
    "interval_calendar": "make_interval(-1, 2, -3, 4, -5, 6, -7.000001)",
    "void": "null",
    "variant": 'parse_json(\'{"b": [1, null, 2.50], "a": "x"}\')',
    "array_of_void": "array(null)",
    "array_of_interval": "array(interval '1' day, null)",
    "array_of_array_of_collated": "array(array('aB' collate UTF8_LCASE), null)",
    "map": "map('a', 1, 'b', null)",
    "map_from_collated": "map('aB' collate UTF8_LCASE, array(null))",
    "map_of_struct": "map(1, named_struct('a b', interval '1' second))",
    "map_empty": "map()",
    "struct_odd_names": "named_struct('a b', 1, 'c,d;e', null, 'ü`\\'', interval '1' month)",
    "struct_case": "named_struct('a', 1, 'b', named_struct('A', time'01:02:03', 'x.y', 2))",
    "struct_of_variant": "named_struct('v', parse_json('[1]'), 'i', make_interval(0, 1))",
}
# The same value written in another way, and a value that a comparison by = would take for it.
TWINS = {
    "map": ("map('a', 1, 'b', null)", "map('b', null, 'a', 1)"),
    "map_of_map": ("map(1, map('a', 1, 'b', 2))", "map(1, map('b', 2, 'a', 1))"),
    "array_of_map": ("array(map('a', 1, 'b', 2), null)", "array(map('b', 2, 'a', 1), null)"),
    "struct_of_map": (
        "named_struct('m', map(1, 'x', 2, 'y'))",
        "named_struct('m', map(2, 'y', 1, 'x'))",
    ),
    "variant": ('parse_json(\'{"a": 1, "b": 2}\')', 'parse_json(\'{"b": 2, "a": 1}\')'),
    "double": ("double('NaN')", "-double('NaN')"),
    "zero": ("0.0D", "-0.0D"),
}
OTHERS = {
    "collated": ("'aB' collate UTF8_LCASE", "'ab' collate UTF8_LCASE"),
    "nested_collated": ("array('aB' collate UNICODE_CI)", "array('AB' collate UNICODE_CI)"),
    "null": ("cast(null as string)", "''"),
    "null_struct": ("named_struct('a', cast(null as int))", "cast(null as struct<a: int>)"),
    "null_array": ("array(cast(null as int))", "cast(array() as array<int>)"),
    "map_value": ("map('a', 1)", "map('a', cast(null as int))"),
    "variant_type": ("parse_json('1')", "cast('1' as variant)"),
    "calendar": ("make_interval(0, 0, 0, 1)", "make_interval(0, 0, 0, 0, 24)"),
    "binary": ("X'00'", "X'0000'"),
}


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> Iterator[SparkSession]:
    own = spark.newSession()
    own.conf.set("spark.sql.timeType.enabled", "true")
    with active(own):
        yield own


@pytest.fixture(scope="module")
def every_type(session: SparkSession) -> DataFrame:
    """Two rows, one of them NULL throughout."""
    present = ", ".join(f"{text} AS {quoted(name)}" for name, text in EVERY.items())
    columns = [f"IF(id = 1, {quoted(name)}, NULL) AS {quoted(name)}" for name in EVERY]
    return session.sql(f"SELECT {', '.join(columns)} FROM (SELECT {present}), range(1, 3)")


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("how", ["merge", "rewrite"])
def test_copies_of_rows_of_every_type_go_one_by_one(
    session: SparkSession, every_type: DataFrame, tmp_path: Path, store: str, how: str
) -> None:
    table = backing(session, store, f"file:{tmp_path}/data", "id", every_type.schema)
    table.create()
    table.replace(every_type, 1, "{}")
    table.append(every_type, 2, "{}")
    getattr(table, how)(every_type.selectExpr("*", "-1L AS w"), 3, "{}")
    assert not compare(table.read(), every_type)
    getattr(table, how)(every_type.selectExpr("*", "-1L AS w"), 4, "{}")
    assert table.read().isEmpty()
    getattr(table, how)(every_type.selectExpr("*", "2L AS w"), 5, "{}")
    assert not compare(table.read(), every_type.unionAll(every_type))


def test_segments_of_every_type_add_up(
    session: SparkSession, every_type: DataFrame, tmp_path: Path
) -> None:
    state = segments(session, LocalFiles(), str(tmp_path))
    columns = every_type.schema
    base = state.base("n", every_type.unionAll(every_type), columns)
    less = state.delta("n", every_type.selectExpr("*", "-1L AS w"), columns)
    more = state.delta("n", every_type.where("int IS NULL").selectExpr("*", "2L AS w"), columns)
    assert (base.rows, less.rows, more.rows) == (4, 2, 1)
    read = state.read("n", (base,), columns)
    assert not compare(read, every_type.unionAll(every_type))
    # Parquet does not say which elements are never NULL.
    assert read.dtypes == every_type.dtypes
    assert not compare(state.read("n", (base, less), columns), every_type)
    third = every_type.unionAll(every_type.where("int IS NULL")).unionAll(
        every_type.where("int IS NULL")
    )
    assert not compare(state.read("n", (base, less, more), columns), third)


@pytest.mark.parametrize("how", ["merge", "rewrite"])
def test_many_columns_take_no_longer_to_plan(
    session: SparkSession, tmp_path: Path, how: str
) -> None:
    columns = ", ".join(f"id + {n} AS n{n}, 'x' || id AS s{n}" for n in range(60))
    wide = session.sql(f"SELECT {columns} FROM range(5)")
    table = backing(session, STORES[0], f"file:{tmp_path}/data", "id", wide.schema)
    table.create()
    table.replace(wide, 1, "{}")
    started = time.monotonic()
    getattr(table, how)(wide.where("n0 < 2").selectExpr("*", "-1L AS w"), 2, "{}")
    assert table.read().count() == 3
    assert time.monotonic() - started < 60


@pytest.mark.parametrize("name", TWINS)
def test_a_value_is_the_same_however_it_was_written(
    session: SparkSession, tmp_path: Path, name: str
) -> None:
    one, other = TWINS[name]
    stored = session.sql(f"SELECT 1 AS k, {one} AS v UNION ALL SELECT 2, {one}")
    table = backing(session, STORES[0], f"file:{tmp_path}/data", "id", stored.schema)
    table.create()
    table.replace(stored, 1, "{}")
    table.merge(session.sql(f"SELECT 1 AS k, {other} AS v, -1L AS w"), 2, "{}")
    assert [row.k for row in table.read().select("k").collect()] == [2]


@pytest.mark.parametrize("name", OTHERS)
def test_values_that_look_alike_are_told_apart(
    session: SparkSession, tmp_path: Path, name: str
) -> None:
    one, other = OTHERS[name]
    stored = session.sql(f"SELECT {one} AS v")
    table = backing(session, STORES[0], f"file:{tmp_path}/data", "id", stored.schema)
    table.create()
    table.replace(stored, 1, "{}")
    with pytest.raises(DeltaMismatch):
        table.merge(session.sql(f"SELECT {other} AS v, -1L AS w"), 2, "{}")
    table.merge(session.sql(f"SELECT {one} AS v, -1L AS w"), 2, "{}")
    assert table.read().isEmpty()
