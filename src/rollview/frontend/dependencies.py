"""The present text of what a definition depends on besides its sources."""

from __future__ import annotations

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from rollview.algebra.definition import Dependency, DependencyKind


def current_text(spark: SparkSession, dependency: Dependency) -> str | None:
    """The text of the view or function as it is now; None if it is gone.

    A function that was registered from Python or Scala has no text that could be compared; it
    counts as unchanged while the session knows its name.
    """
    if dependency.kind is DependencyKind.VIEW:
        return _view_text(spark, dependency.name)
    if not spark.catalog.functionExists(dependency.name):
        return None
    return dependency.text if not dependency.text else _function_text(spark, dependency)


def _view_text(spark: SparkSession, name: str) -> str | None:
    state = spark._jsparkSession.sessionState()
    try:
        identifier = state.sqlParser().parseTableIdentifier(name)
        metadata = state.catalog().getTableMetadata(identifier)
    except AnalysisException:
        return None
    text = metadata.viewText()
    return str(text.get()) if text.isDefined() else None


def _function_text(spark: SparkSession, dependency: Dependency) -> str | None:
    state = spark._jsparkSession.sessionState()
    try:
        identifier = state.sqlParser().parseFunctionIdentifier(dependency.name)
        return str(state.catalog().loadPersistentFunction(identifier).toString())
    except (AnalysisException, AttributeError):
        return dependency.text
