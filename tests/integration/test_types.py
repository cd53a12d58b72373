"""Every type goes through a view: created, read by both its names, refreshed, verified.

All types of a group are columns of one view, each with NULLs and once more without; the tests
are one per type and store. What comes back has the schema of the query, NOT NULL inside of values
too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DataType,
    MapType,
    StructField,
    StructType,
)

import rollview
from rollview.errors import UnsupportedType
from rollview.runtime.report import Mode, RefreshReport, VerifyReport
from rollview.storage.encoding import quoted, storable
from rollview.storage.registry import STORES
from tests.integration.conftest import private_session

pytestmark = pytest.mark.spark

PLAIN = {
    "boolean": "true",
    "tinyint": "-128Y",
    "smallint": "32767S",
    "int": "-2147483648",
    "bigint": "9223372036854775807L",
    "float": "float('NaN')",
    "double": "-2.5e-308D",
    "negative_zero": "-0.0D",
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
    "variant_object": 'parse_json(\'{"b": [1, null, 2.50], "a": "x"}\')',
    "variant_null": "cast(null as variant)",
}
TEXT = {
    "time": "time'12:13:14.123456'",
    "time_0": "cast(time'23:59:59' as time(0))",
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
}
NESTED = {
    "array": "array(1, null, 3)",
    "array_empty": "array()",
    "array_of_void": "array(null)",
    "array_of_struct": "array(named_struct('a', 1, 'b', array(2)))",
    "array_of_interval": "array(interval '1' day, null)",
    "array_of_array_of_collated": "array(array('aB' collate UTF8_LCASE), null)",
    "map": "map('a', 1, 'b', null)",
    "map_to_interval": "map('a', interval '1' day, 'b', null)",
    "map_from_struct": "map(named_struct('a', 1), 'x')",
    "map_from_interval": "map(interval '2' month, 'x')",
    "map_from_collated": "map('aB' collate UTF8_LCASE, array(null))",
    "map_of_struct": "map(1, named_struct('a b', interval '1' second))",
    "map_empty": "map()",
    "struct": "named_struct('order', 1, 'b', array('x'))",
    "struct_empty": "struct()",
    "struct_of_struct": "named_struct('a', named_struct('b', 1, 'c', interval '1' day))",
    "struct_null": "cast(null as struct<a: interval day, b: void>)",
    "struct_odd_names": "named_struct('a b', 1, 'c,d;e', null, 'ü`\\'', interval '1' month)",
    "struct_case": "named_struct('a', 1, 'b', named_struct('A', time'01:02:03', 'x.y', 2))",
    "struct_full": (
        "named_struct('a', 1Y, 'b', 2.5BD, 'c', cast(0.5 as decimal(5, 5)), 'd', date'2024-01-01', "
        "'e', timestamp'2024-01-01', 'f', timestamp_ntz'2024-01-01', 'g', X'01', 'h', true, "
        "'i', 'x', 'j', 1.5D, 'k', array(array(1), array(2)), 'l', map('x', map(1, named_struct("
        "'y', 1))), 'm', named_struct('n', array(named_struct('o', 1))), 'p', cast(1 as variant))"
    ),
    "struct_full_of_text": (
        "named_struct('a', time'12:13:14', 'b', interval '1' month, 'c', interval '1' day, "
        "'d', make_interval(0, 1), 'e', 'aB' collate UTF8_LCASE, 'f', array(interval '1' day), "
        "'g', map(interval '1' day, named_struct('a b', interval '2' day)))"
    ),
    "array_of_calendar": "array(make_interval(0, 1), make_interval(1, 0))",
    "map_of_arrays": "map('x', array(1, 2), 'y', array())",
    "map_of_maps": "map('x', map('y', 'z'), 'y', map('a', 'b'))",
    "collected": "array(array(1, null), array(2))",
    "struct_of_variant": "named_struct('v', parse_json('[1]'), 'i', make_interval(0, 1))",
}
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
VIEWS = {
    "plain_types": PLAIN,
    "text_types": TEXT,
    "nested_types": NESTED,
    "odd_names": {name: str(number) for number, name in enumerate(NAMES)},
}
ALWAYS_NULL = ("void", "variant_null", "struct_null")
COLUMNS = [
    name
    for types in VIEWS.values()
    for type in types
    for name in (type, *([] if type in ALWAYS_NULL else [f"{type} always"]))
]
Content = dict[str, tuple[StructField, list[str]]]


@dataclass(frozen=True)
class Look:
    """Some moment of the views: what their queries give, and what they show, column by column."""

    moment: str
    wanted: Content
    read: Content
    public: Content


@dataclass(frozen=True)
class Kept:
    """What became of the views of one store."""

    looks: list[Look]
    reports: list[RefreshReport]
    checks: dict[str, VerifyReport]


@pytest.fixture(scope="module", params=STORES)
def kept(
    spark: SparkSession, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Kept]:
    own = private_session(spark, tmp_path_factory.mktemp("types"))
    own.conf.set("spark.sql.timeType.enabled", "true")
    own.sql("CREATE TABLE ids USING delta AS SELECT id FROM range(1, 3)")
    db = rollview.connect(own)
    for view in VIEWS:
        db.create_view(view, query(view), store=request.param)
    created = look(db, "created")
    own.sql("INSERT INTO ids VALUES (3), (3), (4)")
    own.sql("DELETE FROM ids WHERE id = 1")
    reports = db.refresh()
    assert isinstance(reports, list)
    refreshed = look(db, "refreshed")
    yield Kept([created, refreshed], reports, {view: db.verify(view) for view in VIEWS})
    own.sql(f"DROP SCHEMA {own.catalog.currentDatabase()} CASCADE")


def query(view: str) -> str:
    """Every value where the id is odd, NULL elsewhere; and the value in every row."""
    columns = []
    for name, text in VIEWS[view].items():
        columns.append(f"IF(id % 2 = 1, {text}, NULL) AS {quoted(name)}")
        if name not in ALWAYS_NULL:
            columns.append(f"{text} AS {quoted(f'{name} always')}")
    return f"SELECT {', '.join(columns)} FROM ids"


def look(db: rollview.Session, moment: str) -> Look:
    return Look(
        moment,
        content([db.spark.sql(query(view)) for view in VIEWS]),
        content([db.read(view) for view in VIEWS]),
        content([db.spark.table(view) for view in VIEWS]),
    )


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_comes_back_as_it_was(name: str, kept: Kept) -> None:
    for look in kept.looks:
        field, values = look.wanted[name]
        for way, shown in (("read", look.read), ("public name", look.public)):
            found, there = shown[name]
            assert found == field, f"{look.moment}, {way}"
            if name.startswith("negative_zero") and look.moment == "refreshed":
                there, values = ([v.lstrip("-") for v in many] for many in (there, values))
            assert there == values, f"{look.moment}, {way}"


def test_the_views_were_refreshed(kept: Kept) -> None:
    assert sorted(report.view for report in kept.reports) == sorted(VIEWS)
    assert {report.mode for report in kept.reports} <= {Mode.FULL, Mode.PARTIAL, Mode.INCREMENTAL}
    first, second = (look.read["int"][1] for look in kept.looks)
    assert (first, second) == (["-2147483648", "None"], ["-2147483648"] * 2 + ["None"] * 2)


@pytest.mark.parametrize("view", VIEWS)
def test_verify_finds_every_type_right(view: str, kept: Kept) -> None:
    check = kept.checks[view]
    pairs = zip(check.missing_sample, check.unexpected_sample, strict=False)
    apart = {name for wanted, found in pairs for name in wanted if wanted[name] != found[name]}
    assert check.correct, f"these types differ: {', '.join(sorted(apart))}"
    assert (check.rows, check.note) == (4, None)


def test_the_queries_do_say_not_null(kept: Kept) -> None:
    """The comparison means something: of columns, inside of them, and of what is stored as text."""
    wanted = {name: field for name, (field, _) in kept.looks[0].wanted.items()}
    for name in ("array_of_struct", "map_from_struct", "struct", "struct_of_struct", "struct_full"):
        for field in (wanted[name], wanted[f"{name} always"]):
            assert field.dataType != without_not_null(field.dataType)
    for name in ("time", "interval_month", "interval_day_second", "interval_calendar", "struct"):
        assert not wanted[f"{name} always"].nullable


def test_metadata_of_char_columns_is_not_carried_over(db: rollview.Session) -> None:
    db.sql("CREATE TABLE padded (c CHAR(4), v VARCHAR(2)) USING delta")
    db.create_view("texts", "SELECT c, v || 'long' AS v FROM padded")
    for frame in (db.read("texts"), db.spark.table("texts")):
        assert [field.metadata for field in frame.schema] == [{}, {}]


def test_comments_of_columns_come_back_as_from_a_plain_view(db: rollview.Session) -> None:
    db.sql("""CREATE TABLE told (
        id INT COMMENT 'it\\'s a \\\\ number', s STRUCT<p: INT COMMENT 'inner'>, bare INT
    ) USING delta""")
    text = "SELECT id, s.p AS q, id + 1 AS next, bare FROM told"
    db.create_view("telling", text)
    wanted = [field.metadata for field in db.spark.sql(text).schema]
    assert wanted == [{"comment": "it's a \\ number"}, {"comment": "inner"}, {}, {}]
    for frame in (db.read("telling"), db.spark.table("telling")):
        assert [field.metadata for field in frame.schema] == wanted


def test_another_comment_is_no_other_type(db: rollview.Session) -> None:
    db.sql("CREATE TABLE noted (s STRUCT<p: INT COMMENT 'this', q: INT>) USING delta")
    db.create_view("notes", "SELECT s FROM noted")
    db.sql("ALTER TABLE noted ALTER COLUMN s.p COMMENT 'that, \\'too\\''")
    db.sql("INSERT INTO noted VALUES (named_struct('p', 1, 'q', 2))")
    db.refresh("notes")
    assert db.verify("notes").correct
    assert db.read("notes").count() == 1


def test_a_type_of_no_kind_is_refused() -> None:
    class OddType(DataType):
        pass

    with pytest.raises(UnsupportedType, match="a column of type odd cannot be stored"):
        storable(OddType())


def without_not_null(type: DataType) -> DataType:
    match type:
        case ArrayType():
            return ArrayType(without_not_null(type.elementType), True)
        case MapType():
            key, value = without_not_null(type.keyType), without_not_null(type.valueType)
            return MapType(key, value, True)
        case StructType():
            return StructType(
                [StructField(f.name, without_not_null(f.dataType), True) for f in type.fields]
            )
        case _:
            return type


def content(frames: list[DataFrame]) -> Content:
    """Values as text: Python has no form for intervals of every kind, nor for VOID in a map."""
    found: Content = {}
    for frame in frames:
        renamed = frame.toDF(*[f"n{position}" for position in range(len(frame.columns))])
        shown = [
            f"hex({name})" if isinstance(field.dataType, BinaryType) else f"string({name})"
            for name, field in zip(renamed.columns, frame.schema.fields, strict=True)
        ]
        texts = renamed.selectExpr(*shown).collect()
        for position, field in enumerate(frame.schema.fields):
            found[field.name] = (field, sorted(str(row[position]) for row in texts))
    return found
