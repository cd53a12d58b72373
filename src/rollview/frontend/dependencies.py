"""The present text of what a definition depends on besides its sources."""

from __future__ import annotations

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from rollview.algebra.definition import Dependency, DependencyKind


def current_text(spark: SparkSession, dependency: Dependency) -> str | None:
    """The text of the view or function as it is now; None if it is gone."""
    if dependency.kind is DependencyKind.VIEW:
        return view_text(spark, dependency.name)
    return function_text(spark, dependency.name)


def view_text(spark: SparkSession, name: str) -> str | None:
    """The query of a plain view; None if there is no such view."""
    state = spark._jsparkSession.sessionState()
    try:
        identifier = state.sqlParser().parseTableIdentifier(name)
        text = state.catalog().getTableMetadata(identifier).viewText()
    except PySparkException:
        return None
    return str(text.get()) if text.isDefined() else None


def function_text(spark: SparkSession, name: str) -> str | None:
    """What the session says of a function; None if it does not know it by this name.

    For a SQL function that is its body. A function registered from Python or Scala has no text:
    it counts as unchanged while the session knows its name.
    """
    state = spark._jsparkSession.sessionState()
    try:
        identifier = state.sqlParser().parseFunctionIdentifier(name)
        info = state.catalog().lookupFunctionInfo(identifier)
    except PySparkException:
        return None
    return f"{info.getClassName()} {info.getUsage()} {info.getExtended()}"
