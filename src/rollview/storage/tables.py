"""Catalog tables and paths, as Spark's session catalog knows them; no jobs, no caches."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from rollview.errors import SourceMissing

SESSION_CATALOG = "spark_catalog"


@dataclass(frozen=True, slots=True)
class LocatedTable:
    """Where a catalog table lies and what reads it; a plain view has a text and no location."""

    name: str
    provider: str
    location: str | None
    schema: StructType
    text: str | None = None


def name_parts(spark: SparkSession, name: str) -> list[str]:
    """The parts of a name as Spark's parser sees them, unquoted."""
    parts = _state(spark).sqlParser().parseMultipartIdentifier(name)
    return [str(parts.apply(position)) for position in range(parts.size())]


@contextmanager
def active(spark: SparkSession) -> Iterator[None]:
    """Within the block, Java code that asks for "the" session of its thread gets this one."""
    jvm: Any = spark._jvm
    sessions = jvm.org.apache.spark.sql.SparkSession
    before = sessions.getActiveSession()
    sessions.setActiveSession(spark._jsparkSession)
    try:
        yield
    finally:
        if before.isDefined():
            sessions.setActiveSession(before.get())
        else:
            sessions.clearActiveSession()


# Files may be written with milliseconds only.
WHOLE_TIMESTAMPS = {"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS"}


@contextmanager
def settings(spark: SparkSession, values: Mapping[str, str]) -> Iterator[None]:
    """Within the block, the session has these settings; afterwards what it had before."""
    before = {key: spark.conf.get(key, None) for key in values}
    for key, value in values.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, earlier in before.items():
            if earlier is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, earlier)


def is_in_session_catalog(parts: list[str]) -> bool:
    """Whether a qualified name belongs to Spark's own catalog."""
    return len(parts) < 3 or parts[0].lower() == SESSION_CATALOG


def locate(spark: SparkSession, name: str) -> LocatedTable:
    """The catalog entry of a table of Spark's own catalog. Raises SourceMissing."""
    entry = catalog_entry(spark, name)
    if entry is None:
        raise missing(name)
    jvm: Any = spark._jvm
    text = entry.viewText()
    uri = entry.storage().locationUri()
    spell = jvm.org.apache.spark.sql.catalyst.catalog.CatalogUtils.URIToString
    return LocatedTable(
        name=name,
        provider=str(entry.provider().get()).lower() if entry.provider().isDefined() else "hive",
        location=str(spell(uri.get())) if uri.isDefined() else None,
        schema=StructType.fromJson(json.loads(entry.schema().json())),
        text=str(text.get()) if text.isDefined() else None,
    )


def layout_of(spark: SparkSession, name: str) -> str:
    """By what Spark's own catalog reads the files of a table: format, options, columns."""
    entry = catalog_entry(spark, name)
    if entry is None:
        return ""
    provider, options = entry.provider(), entry.storage().properties()
    told = sorted(str(options.toSeq().apply(at)) for at in range(options.size()))
    return f"{provider} {told} {entry.schema().json()} {entry.partitionColumnNames()}"


def partitions(spark: SparkSession, name: str) -> list[tuple[str, str]]:
    """The partitions that Spark's own catalog lists of a table, if it does, with their places."""
    entry = catalog_entry(spark, name)
    if entry is None or not entry.tracksPartitionsInCatalog():
        return []
    jvm: Any = spark._jvm
    catalog = _state(spark).catalog()
    found = catalog.listPartitions(entry.identifier(), jvm.scala.Option.empty())
    parts = (found.apply(position) for position in range(found.size()))
    spell = jvm.org.apache.spark.sql.catalyst.catalog.CatalogUtils.URIToString
    return sorted((str(part.spec().mkString(",")), str(spell(part.location()))) for part in parts)


def view_property(spark: SparkSession, name: str, key: str) -> str | None:
    """A property of a catalog view; None if there is no such view or property."""
    entry = catalog_entry(spark, name)
    if entry is None or not entry.viewText().isDefined():
        return None
    value = entry.properties().get(key)
    return str(value.get()) if value.isDefined() else None


def schema_location(spark: SparkSession, schema: str) -> str:
    """The folder of a schema of Spark's own catalog."""
    uri = _state(spark).catalog().getDatabaseMetadata(schema).locationUri()
    jvm: Any = spark._jvm
    return str(jvm.org.apache.spark.sql.catalyst.catalog.CatalogUtils.URIToString(uri))


def missing(name: str) -> SourceMissing:
    """The error for a table that is not there."""
    return SourceMissing(
        f"the table {name} does not exist any more",
        hint="bring it back (for Delta, also by RESTORE or by its old location), or drop the view",
    )


def _state(spark: SparkSession) -> Any:
    return spark._jsparkSession.sessionState()


def catalog_entry(spark: SparkSession, name: str) -> Any | None:
    """What Spark's own catalog has under a name, as its own object; None if nothing."""
    parts = name_parts(spark, name)[-2:]
    jvm: Any = spark._jvm
    option = jvm.scala.Option
    database = option.apply(parts[0]) if len(parts) == 2 else option.empty()
    identifier = jvm.org.apache.spark.sql.catalyst.TableIdentifier(parts[-1], database)
    try:
        return _state(spark).catalog().getTableMetadata(identifier)
    except (AnalysisException, Py4JJavaError):
        return None
