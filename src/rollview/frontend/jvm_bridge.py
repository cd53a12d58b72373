"""Java classes that walk Spark's plans, compiled inside Spark's own JVM.

Walking a plan through py4j costs a round trip per node and attribute, and Catalyst's transforms
want Scala functions. So the walk is a few Java classes (folder ``jvm``), compiled once per JVM, and
answers with one JSON text.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from rollview.java_classes import load

_CLASSES = (
    "Placeholder",
    "Stored",
    "Unwritable",
    "Plans",
    "Leaves",
    "Texts",
    "Guard",
    "Exporter",
    "Facts",
    "Frontend",
)


def bridge(spark: SparkSession) -> Any:
    """The `Frontend` object of this JVM, compiled at first use."""
    return load(spark, __package__, _CLASSES)
