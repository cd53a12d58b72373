"""Spark sessions for the round trip: planning dominates, so they run queries the plainest way."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from rollview.runtime.local_spark import start

# The tables are tiny and every plan is run once: compiling it costs more than running it does.
SETTINGS = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "1",
}


def open_session(folder: Path) -> SparkSession:
    """A local session with Delta and Iceberg whose warehouse is in the folder."""
    return tuned(start(folder))


def tuned(spark: SparkSession) -> SparkSession:
    """A session beside the given one, with the same tables and settings of its own."""
    session = spark.newSession()
    for key, value in SETTINGS.items():
        session.conf.set(key, value)
    return session
