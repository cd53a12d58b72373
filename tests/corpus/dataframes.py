"""Queries built as DataFrames: what only the DataFrame API says, or says otherwise than SQL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

Builder = Callable[[SparkSession], DataFrame]


@dataclass(frozen=True)
class Frame:
    """A named function that builds a DataFrame, and the reason or error to expect."""

    name: str
    build: Builder
    expect: frozenset[str] = frozenset()


FRAMES: dict[str, Frame] = {}


def frame(*expect: str) -> Callable[[Builder], Builder]:
    """Put a function into the corpus under its own name."""

    def register(build: Builder) -> Builder:
        FRAMES[build.__name__] = Frame(build.__name__, build, frozenset(expect))
        return build

    return register


@frame()
def select_and_filter(spark: SparkSession) -> DataFrame:
    return spark.table("orders").where(F.col("amount") > 10).select("id", "amount")
