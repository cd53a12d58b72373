"""Functions that a definition depends on besides its sources."""

from __future__ import annotations

import json
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

_SQL = "sqlFunction."
_CREATED = "sqlFunction.createTime"


def function_text(spark: SparkSession, name: str) -> str | None:
    """What the session says of a function; None if it does not know it by this name.

    For a SQL function that is its body. A function registered from Python or Scala has no text:
    it counts as unchanged while the session knows its name.
    """
    state = spark._jsparkSession.sessionState()
    try:
        parts = state.sqlParser().parseMultipartIdentifier(name)
        schema = parts.apply(parts.size() - 2) if parts.size() > 1 else None
        jvm: Any = spark._jvm
        identifier = jvm.org.apache.spark.sql.catalyst.FunctionIdentifier(
            parts.last(), jvm.scala.Option.apply(schema)
        )
        info = state.catalog().lookupFunctionInfo(identifier)
    except PySparkException:
        return None
    return _body(str(info.getUsage())) if info.getClassName() == _SQL else ""


def _body(usage: str) -> str:
    """What a SQL function says and under which settings, without the time it was created at."""
    facts = json.loads(usage)
    kept = {k: v for k, v in facts.items() if k.startswith("sqlFunction.") and k != _CREATED}
    return json.dumps(kept, sort_keys=True)
