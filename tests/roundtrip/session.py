"""A Spark session for running the round trip outside pytest."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from rollview.runtime.local_spark import start


def open_session(folder: Path) -> SparkSession:
    """A local session with Delta and Iceberg whose warehouse is in the folder."""
    spark = start(folder)
    # The tables are tiny: more partitions and adaptive planning only cost time.
    spark.conf.set("spark.sql.shuffle.partitions", "1")
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    return spark
