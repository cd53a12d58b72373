"""Spark's errors as ours: the object, the cause, the fix, and no stack trace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.errors import AnalysisException, ParseException, PySparkException

from rollview.errors import (
    BadQuery,
    RollviewError,
    UnknownColumn,
    UnknownFunction,
    UnknownTable,
)


@contextmanager
def spark_errors(text: str | None = None) -> Iterator[None]:
    """Errors that Spark raises while it reads a query become errors of ours."""
    try:
        yield
    except (AnalysisException, ParseException) as error:
        raise translated(error, text) from None


def translated(error: PySparkException, text: str | None = None) -> RollviewError:
    """The error of ours that says the same."""
    condition = error.getCondition() or ""
    parameters = error.getMessageParameters() or {}
    message = first_line(error)
    if condition.startswith("TABLE_OR_VIEW_NOT_FOUND"):
        name = parameters.get("relationName", "?")
        return UnknownTable(
            f"there is no table or view {name}",
            hint="check the name and its schema; SHOW TABLES lists what there is",
        )
    if condition.startswith("UNRESOLVED_COLUMN"):
        near = parameters.get("proposal")
        return UnknownColumn(
            f"there is no column {parameters.get('objectName', '?')}",
            hint=f"the columns nearest in name are {near}" if near else None,
        )
    if condition.startswith("UNRESOLVED_ROUTINE"):
        return UnknownFunction(
            f"there is no function {parameters.get('routineName', '?')}",
            hint="check the spelling, or register the function in this session",
        )
    return BadQuery(message, hint=_place(error))


def first_line(error: PySparkException) -> str:
    """What Spark says in one line, without SQLSTATE and without the plan."""
    text = str(error).strip().split("\nJVM stacktrace")[0]
    line = text.split("\n", 1)[0]
    line = re.sub(r"\s*SQLSTATE: \w+\.?", "", line)
    return line.removesuffix(";").strip()


def _place(error: PySparkException) -> str | None:
    found = re.search(r"\(line (\d+), pos (\d+)\)", str(error))
    return f"look at line {found[1]}, position {found[2]} of the query" if found else None
