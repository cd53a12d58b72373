"""A local Spark session for a folder-lake: Delta and Iceberg, quiet, fast on one machine."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pyspark import SparkConf, SparkContext
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from rollview.errors import SessionUnsuitable
from rollview.runtime.jars import provide_jars
from rollview.runtime.java import find_java
from rollview.runtime.jvm import LaunchFailed, launch
from rollview.runtime.lifeline import forget_dead
from rollview.sql.quoting import quoted_text

_log = logging.getLogger(__name__)

LAKE_SETTING = "spark.rollview.lake"
ICEBERG_CATALOG = "iceberg"

_LOG4J = Path(__file__).with_name("log4j2.properties")


def start(lake: Path, announce: Callable[[str], None] = _log.info) -> SparkSession:
    """Return the local session of the lake, starting it unless this process already has it.

    `announce` is told in a few words what takes long. Raises JavaMissing, JarUnavailable,
    SparkUnsupported or SessionUnsuitable, each saying what to do.
    """
    _silence_pyspark()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # functions run in this environment
    lake = lake.resolve()
    active = _active(lake)
    if active is not None:
        return active
    find_java()
    jars = provide_jars(announce)
    settings = _settings(lake, jars)
    if SparkContext._gateway is None:
        announce("starting Spark")
        # Only what the Java process itself needs: it would hand the rest on to any other session
        # that this program may start in it later.
        gateway = _launched({k: v for k, v in settings.items() if k.startswith("spark.driver.")})
    else:
        gateway = SparkContext._gateway
        _require_delta(gateway)
    conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    spark = SparkSession(SparkContext(conf=conf, gateway=gateway))
    _place_default_schema(spark, lake)
    return spark


def _silence_pyspark() -> None:
    """PySpark writes every analysis error, with all of its stack, to stderr besides raising it."""
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).disabled = True


def _active(lake: Path) -> SparkSession | None:
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        raise SessionUnsuitable(
            "this program runs under spark-submit, whose session has settings of its own",
            hint="create the session yourself and use rollview.connect(spark)",
        )
    forget_dead()
    context = SparkContext._active_spark_context
    if context is None or context._jsc is None or context._jsc.sc().isStopped():
        return None
    theirs = context.getConf().get(LAKE_SETTING)
    if theirs == str(lake):
        return SparkSession(context)
    whose = f"for the lake {theirs}" if theirs else "that rollview did not start"
    raise SessionUnsuitable(
        f"cannot open the lake {lake}: a Spark session {whose} is active in this process",
        hint="close it first (db.close() or spark.stop()), or use rollview.connect(spark) "
        "to work with the tables of the active session",
    )


def _launched(settings: Mapping[str, str]) -> Any:
    try:
        return launch(settings)
    except LaunchFailed as failure:
        lines = [line.strip() for line in failure.output.splitlines()]
        cause = next((line for line in lines if line and not line.startswith("WARNING")), "silence")
        raise SessionUnsuitable(
            f"Spark did not start: {cause}", hint=f"the whole output is in {failure.log}"
        ) from failure


def _require_delta(gateway: Any) -> None:
    """A Java process outlives its session; one that rollview did not start may lack the jars."""
    loader = gateway.jvm.java.lang.ClassLoader.getSystemClassLoader()
    if loader.getResource("io/delta/sql/DeltaSparkSessionExtension.class") is None:
        raise SessionUnsuitable(
            "the Java process that an earlier Spark session left in this program has no Delta Lake",
            hint="open the lake before other Spark sessions, or in a new process",
        )


def _place_default_schema(spark: SparkSession, lake: Path) -> None:
    """Tables of `default` would lie directly in the warehouse; give it a folder like any other."""
    location = quoted_text(_location(lake / "default.db"))
    spark.sql(f"ALTER DATABASE default SET LOCATION {location}")


def _location(folder: Path) -> str:
    """Hadoop's spelling of a local folder: a scheme but no escapes, which it would escape again."""
    return f"file:{folder}"


def _settings(lake: Path, jars: tuple[Path, ...]) -> dict[str, str]:
    cores = os.cpu_count() or 1
    return {
        LAKE_SETTING: str(lake),
        "spark.app.name": "rollview",
        "spark.master": "local[*]",
        "spark.driver.memory": os.environ.get("ROLLVIEW_DRIVER_MEMORY") or _driver_memory(),
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraClassPath": os.pathsep.join(map(str, jars)),
        "spark.driver.extraJavaOptions": f'"-Dlog4j2.configurationFile={_LOG4J.as_uri()}"',
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension,"
        "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        f"spark.sql.catalog.{ICEBERG_CATALOG}": "org.apache.iceberg.spark.SparkCatalog",
        f"spark.sql.catalog.{ICEBERG_CATALOG}.type": "hadoop",
        # A table that is remembered would not show what other sessions and processes commit.
        f"spark.sql.catalog.{ICEBERG_CATALOG}.cache-enabled": "false",
        f"spark.sql.catalog.{ICEBERG_CATALOG}.warehouse": _location(lake / "iceberg"),
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.warehouse.dir": _location(lake),
        "spark.sql.sources.default": "delta",
        # There is no metastore to keep partitions in: they are found by their folders.
        "spark.sql.hive.manageFilesourcePartitions": "false",
        # Measured in docs/performance.md: re-planning between stages costs more than it saves here.
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.shuffle.partitions": str(cores),
        # By default a hundred, which five views use up: then everything is compiled anew.
        "spark.sql.codegen.cache.maxEntries": "2000",
        "spark.databricks.delta.snapshotPartitions": "1",
        # Reads of several ranges at once are missing in what Spark counts as read.
        "spark.hadoop.parquet.hadoop.vectored.io.enabled": "false",
    }


def _driver_memory() -> str:
    """A quarter of the machine, at least 1 and at most 8 GB: the rest is for the page cache."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    return f"{min(max(total // 4, 1024), 8192)}m"
