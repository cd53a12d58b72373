"""The net effect of weighted rows: equal rows become one, and those that cancel vanish."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, DoubleType, FloatType, LongType, StructField, StructType

from rollview.storage.base import WEIGHT
from rollview.storage.encoding import identity, is_loosely_identified


def net(rows: DataFrame, names: Sequence[str], *, exact: bool = False) -> DataFrame:
    """One row per distinct value, under these names, with the sum of its weights, never zero.

    The weight is the last column of ``rows``. Rows are grouped by their identity, since GROUP BY
    refuses maps and variants, and takes collated strings for equal that are not. What expressions
    over a source can still tell apart, 0.0 from -0.0 and the order in a map, ``exact`` does too.
    """
    plain = [f"c{position}" for position in range(len(names))]
    types = [field.dataType for field in rows.schema.fields[:-1]]
    keys = []
    for name, type in zip(plain, types, strict=True):
        key = identity(name, type)
        if exact and is_loosely_identified(type):
            key = f"struct({key}, {_exactly(name, type)})"
        keys.append((name, key))
    grouped = (
        rows.toDF(*plain, "w")
        .groupBy(*[F.expr(key).alias(f"k{position}") for position, (_, key) in enumerate(keys)])
        .agg(
            F.coalesce(F.sum("w"), F.lit(0)).alias("w"),
            *[F.any_value(name).alias(name) for name, key in keys if key != name],
        )
    )
    values = [
        F.col(f"k{position}" if key == name else name).alias(shown, metadata={})
        for position, ((name, key), shown) in enumerate(zip(keys, names, strict=True))
    ]
    return grouped.where("w != 0").select(*values, F.col("w").alias(WEIGHT))


def _exactly(name: str, type: DataType) -> str:
    """SQL text that tells values apart which are the same by their identity."""
    text = f"CAST({name} AS STRING)"
    if isinstance(type, (FloatType, DoubleType)):
        return f"CASE WHEN {name} = 0 THEN {text} END"
    return text


def no_change(spark: SparkSession, columns: Sequence[StructField]) -> DataFrame:
    """No rows of these columns and a weight, and no job to find that out."""
    jvm: Any = spark._jvm
    schema = StructType([*columns, StructField(WEIGHT, LongType(), nullable=False)])
    types = jvm.org.apache.spark.sql.types.DataType.fromJson(schema.json())
    return DataFrame(spark._jsparkSession.createDataFrame(jvm.java.util.ArrayList(), types), spark)
