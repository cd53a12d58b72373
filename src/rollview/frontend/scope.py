"""The settings that decide what a query means, and sessions that have them.

A definition keeps them, and everything that concerns it runs in a cloned session that has them,
whoever calls. ``cloneSession`` keeps registered functions and temporary views; ``newSession``
would lose them.
"""

from __future__ import annotations

import re
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

CATALOG = "rollview.catalog"
SCHEMA = "rollview.schema"

_LEGACY = re.compile(r"spark\.sql\.legacy\.[^,\]\s]+")
_DECIDING = (
    "spark.sql.session.timeZone",
    "spark.sql.ansi.enabled",
    "spark.sql.ansi.doubleQuotedIdentifiers",
    "spark.sql.ansi.enforceReservedKeywords",
    "spark.sql.ansi.relationPrecedence",
    "spark.sql.caseSensitive",
    "spark.sql.decimalOperations.allowPrecisionLoss",
    "spark.sql.storeAssignmentPolicy",
    "spark.sql.timestampType",
    "spark.sql.groupByOrdinal",
    "spark.sql.orderByOrdinal",
    "spark.sql.groupByAliases",
    "spark.sql.mapKeyDedupPolicy",
    "spark.sql.parser.escapedStringLiterals",
    "spark.sql.parser.quotedRegexColumnNames",
    "spark.sql.crossJoin.enabled",
    "spark.sql.files.ignoreCorruptFiles",
    "spark.sql.files.ignoreMissingFiles",
    "spark.sql.jsonGenerator.ignoreNullFields",
    "spark.sql.json.enablePartialResults",
    "spark.sql.json.enableExactStringParsing",
    "spark.sql.xml.enablePartialResults",
    "spark.sql.variant.allowDuplicateKeys",
    "spark.sql.chunkBase64String.enabled",
    "spark.sql.icu.caseMappings.enabled",
    "spark.sql.function.concatBinaryAsString",
    "spark.sql.function.eltOutputAsString",
    "spark.sql.charAsVarchar",
    "spark.sql.preserveCharVarcharTypeInfo",
    "spark.sql.readSideCharPadding",
    "spark.sql.columnNameOfCorruptRecord",
    "spark.sql.cteRecursionLevelLimit",
    "spark.sql.cteRecursionRowLimit",
)


def capture(spark: SparkSession) -> tuple[tuple[str, str], ...]:
    """The deciding settings of the session, with its current catalog and schema."""
    explicit = _explicit(spark)
    settings = {
        key: value for key, value in explicit.items() if key.startswith("spark.sql.legacy.")
    }
    for key in _DECIDING:
        value = _effective(spark, key)
        if value is not None:
            settings[key] = value
    settings[CATALOG] = spark.catalog.currentCatalog()
    settings[SCHEMA] = spark.catalog.currentDatabase()
    return tuple(sorted(settings.items()))


def scoped(spark: SparkSession, settings: tuple[tuple[str, str], ...]) -> SparkSession:
    """A cloned session with exactly these deciding settings, the active one of this thread.

    For threads of our own: parts of Spark ask not their session but the active one of the thread,
    and where there is none go by Spark's defaults.
    """
    clone = clone_session(spark)
    jvm: Any = clone._jvm
    jvm.org.apache.spark.sql.classic.SparkSession.setActiveSession(clone._jsparkSession)
    wanted = dict(settings)
    # One text: every answer of Java's costs a message.
    explicit = str(clone._jsparkSession.conf().getAllAsJava().keySet())
    for key in _LEGACY.findall(explicit):
        if key not in wanted:
            clone.conf.unset(key)
    for key, value in wanted.items():
        if key not in (CATALOG, SCHEMA):
            clone.conf.set(key, value)
    manager = clone._jsparkSession.sessionState().catalogManager()
    if CATALOG in wanted:
        manager.setCurrentCatalog(wanted[CATALOG])
    if SCHEMA in wanted:
        clone.catalog.setCurrentDatabase(wanted[SCHEMA])
    return clone


def clone_session(spark: SparkSession) -> SparkSession:
    """A session with the same settings, functions and temporary views, free to be changed."""
    java: Any = spark._jsparkSession.cloneSession()
    return SparkSession(spark.sparkContext, java)


def _effective(spark: SparkSession, key: str) -> str | None:
    """The value in force, default included; None if this version of Spark has no such setting."""
    try:
        return str(spark.conf.get(key))
    except PySparkException:
        return None


def _explicit(spark: SparkSession) -> dict[str, str]:
    pairs = spark._jsparkSession.conf().getAllAsJava()
    return {str(key): str(pairs[key]) for key in pairs}
