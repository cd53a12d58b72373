"""A Spark session for running the round trip outside pytest."""

from __future__ import annotations

import glob
import os
from pathlib import Path

from pyspark.sql import SparkSession

EXTENSIONS = (
    "io.delta.sql.DeltaSparkSessionExtension,"
    "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
)
PACKAGES = (
    "io.delta:delta-spark_4.1_2.13:4.4.0,org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0"
)


def open_session(folder: Path) -> SparkSession:
    """A local session with Delta and Iceberg whose warehouse is in the folder."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.sql.extensions", EXTENSIONS)
        .config(
            "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog"
        )
        .config("spark.sql.warehouse.dir", str(folder))
        .config("spark.databricks.delta.snapshotPartitions", "1")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.driver.memory", "2g")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.ui.enabled", "false")
    )
    if jars := os.environ.get("ROLLVIEW_JARS"):
        builder.config("spark.driver.extraClassPath", ":".join(glob.glob(f"{jars}/*.jar")))
    else:
        builder.config("spark.jars.packages", PACKAGES)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark
