"""Statements of ours, done by the session's own methods; all others go to Spark unchanged."""

from __future__ import annotations

from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from rollview.errors import EvaluationFailed
from rollview.frontend.statements import (
    CreateView,
    DescribeView,
    DropView,
    ExplainCreate,
    RefreshView,
    ShowViews,
    parse,
)
from rollview.frontend.translate import spark_errors
from rollview.runtime import worker
from rollview.runtime.catalog import Catalog
from rollview.runtime.lake import Lake
from rollview.runtime.public import plain_name
from rollview.runtime.status import info


def execute(session: Any, lake: Lake, text: str) -> Any:
    """Do what the statement says, and answer what the method of the same name answers."""
    match parse(text):
        case CreateView() as create:
            return session.create_view(
                create.name,
                create.query,
                policy=create.policy,
                replace=create.replace,
                if_not_exists=create.if_not_exists,
            )
        case ExplainCreate(create):
            return session.explain(create.query, policy=create.policy)
        case RefreshView(name, full):
            return session.refresh(name, full=full)
        case DropView(name, if_exists):
            return session.drop_view(name, if_exists=if_exists)
        case ShowViews():
            return session.views()
        case DescribeView(name):
            return info(Catalog(lake).get(plain_name(lake, name)))
        case None:
            return _run(lake, text)


def _run(lake: Lake, text: str) -> DataFrame:
    """Any other statement; what Spark refuses or fails at is said in a line."""
    try:
        with spark_errors(text), worker.quiet():
            return lake.spark.sql(text)
    except (PySparkException, Py4JJavaError) as failure:
        raise EvaluationFailed(
            f"Spark could not run the statement: {worker.cause(failure)}"
        ) from failure
