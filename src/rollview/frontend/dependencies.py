"""Functions that a definition depends on besides its sources."""

from __future__ import annotations

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession


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
