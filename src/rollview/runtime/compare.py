"""Two bags of rows compared inside Spark: exact values pair rows, floats may differ a little.

Every value is split into an exact part, which can be grouped by whatever its type (entries of maps
sorted, variants and calendar intervals as text, collated strings as bytes), and the floats in it,
in order. Rows with equal exact parts and equal floats cancel by counting. What is left are rows
with floats that are not identical: alone with their key they are compared inside Spark, and only
those that are still apart are brought here and paired.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    CalendarIntervalType,
    DataType,
    DoubleType,
    FloatType,
    MapType,
    NullType,
    StringType,
    StructType,
    VariantType,
)

from rollview.runtime.pairing import RELATIVE_TOLERANCE, Floats, unpaired
from rollview.storage.encoding import quoted

SAMPLE = 5
_NO_FLOATS = "cast(array() as array<double>)"
_CLOSE = (
    "forall(zip_with(a, b, (x, y) -> x = y OR (isnan(x) AND isnan(y)) OR "
    "(greatest(abs(x), abs(y)) < double('inf') AND "  # to which every number would be close
    f"abs(x - y) <= {RELATIVE_TOLERANCE}D * greatest(abs(x), abs(y)))), z -> z)"
)


@dataclass(frozen=True)
class Difference:
    """Rows of the expected bag that are missing, rows nobody expected, and a few of each."""

    rows: int
    missing: int
    unexpected: int
    missing_sample: list[dict[str, Any]]
    unexpected_sample: list[dict[str, Any]]

    def __bool__(self) -> bool:
        return bool(self.missing or self.unexpected)


def compare(actual: DataFrame, expected: DataFrame) -> Difference:
    """What distinguishes two bags of rows with the same column types; names are the expected's."""
    names = expected.columns
    both = _prepared(actual, 1).unionAll(_prepared(expected, -1))
    counted = both.groupBy("k", "f").agg(
        F.sum("w").alias("w"), F.count_if(F.col("w") > 0).alias("n"), F.any_value("d").alias("d")
    )
    if not any(_has_floats(field.dataType) for field in expected.schema.fields):
        return _exact_difference(counted, names)
    counted = counted.persist()
    try:
        total = counted.agg(F.coalesce(F.sum("n"), F.lit(0))).collect()[0][0]
        return _paired_difference(int(total), counted.where("w != 0"), names)
    finally:
        counted.unpersist()


def _prepared(frame: DataFrame, weight: int) -> DataFrame:
    plain = [f"n{position}" for position in range(len(frame.columns))]
    types = [field.dataType for field in frame.schema.fields]
    exact = ", ".join(_exact(n, t, 0) for n, t in zip(plain, types, strict=True))
    floats = [_floats(n, t, 0) for n, t in zip(plain, types, strict=True) if _has_floats(t)]
    shown = ", ".join(_shown(n, t) for n, t in zip(plain, types, strict=True))
    return frame.toDF(*plain).selectExpr(
        f"struct({exact}) AS k",
        f"concat({', '.join(floats)}) AS f" if floats else f"{_NO_FLOATS} AS f",
        f"array({shown}) AS d",
        f"{weight}L AS w",
    )


def _shown(value: str, type: DataType) -> str:
    return f"hex({value})" if isinstance(type, BinaryType) else f"string({value})"


def _exact(value: str, type: DataType, depth: int) -> str:
    """SQL text for the part of a value that must be equal; it can be grouped and sorted."""
    item = f"x{depth}"
    match type:
        case FloatType() | DoubleType():
            return f"({value} IS NULL)"
        case NullType():
            return "true"
        case StringType():
            return value if type.isUTF8BinaryCollation() else f"encode({value}, 'UTF-8')"
        case VariantType():
            return f"concat(schema_of_variant({value}), ' ', to_json({value}))"
        case CalendarIntervalType():
            return f"string({value})"
        case ArrayType():
            return f"transform({value}, {item} -> {_exact(item, type.elementType, depth + 1)})"
        case MapType():
            return (
                f"transform({_entries(value, type, depth)}, {item} -> struct({item}.k, {item}.e))"
            )
        case StructType():
            parts = [_exact(f"{value}.{quoted(f.name)}", f.dataType, depth) for f in type.fields]
            return f"IF({value} IS NULL, NULL, struct({', '.join(parts)}))"
        case _:
            return value


def _floats(value: str, type: DataType, depth: int) -> str:
    """SQL text for the array of all floats in a value, never NULL."""
    item = f"x{depth}"
    match type:
        case FloatType() | DoubleType():
            return f"IF({value} IS NULL, {_NO_FLOATS}, array(double({value})))"
        case ArrayType() if _has_floats(type):
            inner = _floats(item, type.elementType, depth + 1)
            return f"coalesce(flatten(transform({value}, {item} -> {inner})), {_NO_FLOATS})"
        case MapType() if _has_floats(type):
            entries = _entries(value, type, depth)
            return f"coalesce(flatten(transform({entries}, {item} -> {item}.f)), {_NO_FLOATS})"
        case StructType() if _has_floats(type):
            parts = [
                _floats(f"{value}.{quoted(f.name)}", f.dataType, depth)
                for f in type.fields
                if _has_floats(f.dataType)
            ]
            return f"concat({', '.join(parts)})"
        case _:
            return _NO_FLOATS


def _entries(value: str, type: MapType, depth: int) -> str:
    """The entries of a map in an order that does not depend on how it was built."""
    item = f"m{depth}"
    key = f"{item}.key"
    # A float in a key is exact: keys are looked up, not computed with.
    exact_key = key if _has_floats(type.keyType) else _exact(key, type.keyType, depth + 1)
    entry = ", ".join(
        [
            f"{exact_key} AS k",
            f"{_exact(f'{item}.value', type.valueType, depth + 1)} AS e",
            f"{_floats(f'{item}.value', type.valueType, depth + 1)} AS f",
        ]
    )
    return f"array_sort(transform(map_entries({value}), {item} -> struct({entry})))"


def _has_floats(type: DataType) -> bool:
    match type:
        case FloatType() | DoubleType():
            return True
        case ArrayType():
            return _has_floats(type.elementType)
        case MapType():
            return _has_floats(type.keyType) or _has_floats(type.valueType)
        case StructType():
            return any(_has_floats(field.dataType) for field in type.fields)
        case _:
            return False


def _exact_difference(counted: DataFrame, names: list[str]) -> Difference:
    total = counted.selectExpr(
        "coalesce(sum(n), 0)",
        "coalesce(sum(greatest(-w, 0)), 0)",
        "coalesce(sum(greatest(w, 0)), 0)",
    ).collect()[0]
    rows, missing, unexpected = (int(number) for number in total)
    return Difference(
        rows,
        missing,
        unexpected,
        _sample(counted.where("w < 0"), names) if missing else [],
        _sample(counted.where("w > 0"), names) if unexpected else [],
    )


def _sample(frame: DataFrame, names: list[str]) -> list[dict[str, Any]]:
    return [_named(row["d"], names) for row in frame.select("d").limit(SAMPLE).collect()]


def _named(shown: list[str], names: list[str]) -> dict[str, Any]:
    return dict(zip(names, shown, strict=True))


def _paired_difference(rows: int, rest: DataFrame, names: list[str]) -> Difference:
    """Compare rows whose floats are not identical, key by key."""
    entry = F.struct("f", F.abs("w").alias("w"), "d")
    keyed = rest.groupBy("k").agg(
        F.collect_list(F.when(F.col("w") > 0, entry)).alias("ours"),
        F.collect_list(F.when(F.col("w") < 0, entry)).alias("theirs"),
    )
    alone = "size(ours) = 1 AND size(theirs) = 1 AND ours[0].w = theirs[0].w AND "
    close = _CLOSE.replace("(a, b,", "(ours[0].f, theirs[0].f,")
    apart = keyed.where(f"NOT ({alone}{close})")
    missing = unexpected = 0
    samples: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
    for row in apart.select("ours", "theirs").toLocalIterator():
        ours, theirs = _repeated(row["ours"]), _repeated(row["theirs"])
        lost, extra = unpaired([f for f, _ in theirs], [f for f, _ in ours])
        missing, unexpected = missing + len(lost), unexpected + len(extra)
        samples[0].extend(_named(theirs[i][1], names) for i in lost[: SAMPLE - len(samples[0])])
        samples[1].extend(_named(ours[i][1], names) for i in extra[: SAMPLE - len(samples[1])])
    return Difference(rows, missing, unexpected, *samples)


def _repeated(entries: list[Any]) -> list[tuple[Floats, list[str]]]:
    return [(entry["f"], entry["d"]) for entry in entries for _ in range(entry["w"])]
