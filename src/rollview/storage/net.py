"""The net effect of weighted rows: equal rows become one, and those that cancel vanish."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, DoubleType, FloatType, LongType, StructField, StructType

from rollview.storage.base import WEIGHT
from rollview.storage.encoding import has_floats, identity


def net(rows: DataFrame, names: Sequence[str], *, signed_zeros: bool = False) -> DataFrame:
    """One row per distinct value, under these names, with the sum of its weights, never zero.

    The weight is the last column of ``rows``. Rows are grouped by their identity, since GROUP BY
    refuses maps and variants, and takes collated strings for equal that are not. It makes one of
    0.0 and -0.0 as well, which expressions over a source can tell apart: ``signed_zeros`` does not.
    """
    plain = [f"c{position}" for position in range(len(names))]
    types = [field.dataType for field in rows.schema.fields[:-1]]
    keys = []
    for name, type in zip(plain, types, strict=True):
        key = identity(name, type)
        if signed_zeros and has_floats(type):
            key = f"struct({key}, {_zero(name, type)})"
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


def _zero(name: str, type: DataType) -> str:
    """SQL text that tells values apart which differ in the signs of zeros."""
    text = f"CAST({name} AS STRING)"
    is_one = f"{name} = 0" if isinstance(type, (FloatType, DoubleType)) else f"{text} LIKE '%-0.0%'"
    return f"CASE WHEN {is_one} THEN {text} END"


def no_change(spark: SparkSession, columns: Sequence[StructField]) -> DataFrame:
    """No rows of these columns and a weight, and no job to find that out."""
    jvm: Any = spark._jvm
    schema = StructType([*columns, StructField(WEIGHT, LongType(), nullable=False)])
    types = jvm.org.apache.spark.sql.types.DataType.fromJson(schema.json())
    return DataFrame(spark._jsparkSession.createDataFrame(jvm.java.util.ArrayList(), types), spark)
