"""Formats by their marks: what a folder holds, and what a session must have to store views."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from rollview.errors import SessionUnsuitable

EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
_PACKAGE = "io.delta:delta-spark_4.1_2.13:4.4.0"
SELF_TOLD = "delta"  # whose tables say all about themselves
_FILE_FORMATS = ("parquet", "orc", "avro", "json", "csv", "txt")


def provider_of(folder: Path) -> str | None:
    """What Spark's own catalog reads a table's folder with; None if it holds no table for it."""
    log = folder / "_delta_log"
    if log.is_dir():
        # Without a commit it is being made, or its maker was killed: there is no table yet.
        return "delta" if any(log.glob("[0-9]*")) else None
    if any((folder / "metadata").glob("*.metadata.json")):
        return None  # Spark's own catalog cannot hold Iceberg tables beside Delta's
    files = (path for path in folder.rglob("*.*") if not path.name.startswith(("_", ".")))
    suffixes = {suffix.lstrip(".") for path in files for suffix in path.suffixes}
    found = next((name for name in _FILE_FORMATS if name in suffixes), None)
    return "text" if found == "txt" else found


def options_clause(provider: str) -> str:
    """The options that a table which is found by its files is made known with."""
    return " OPTIONS (header 'true', inferSchema 'true')" if provider == "csv" else ""


def check_session(spark: SparkSession) -> None:
    """Raise SessionUnsuitable unless the session can store views."""
    check_settings(
        spark.conf.get("spark.sql.extensions", "") or "",
        spark.conf.get("spark.sql.catalog.spark_catalog", "") or "",
    )


def check_settings(extensions: str, catalog: str) -> None:
    """Raise SessionUnsuitable unless a session with these settings can store views."""
    if EXTENSION in extensions and catalog == CATALOG:
        return
    iceberg = "iceberg" in extensions.lower() or "iceberg" in catalog.lower()
    instead = (
        'store the views in Iceberg: store="iceberg_catalog.namespace"; or ' if iceberg else ""
    )
    found = "it has Iceberg" if iceberg else "it has neither"
    raise SessionUnsuitable(
        f"the Spark session has no Delta Lake, in which views are stored ({found})",
        hint=f"{instead}start it with spark.sql.extensions={EXTENSION} and "
        f"spark.sql.catalog.spark_catalog={CATALOG}, and the package {_PACKAGE}",
    )
