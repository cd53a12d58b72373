"""Spark's errors as ours: the object, the cause, the fix, and no stack trace."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JJavaError
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


@contextmanager
def analysis_errors(text: str | None, tables: Callable[[], list[str]]) -> Iterator[None]:
    """The same where nothing but analysis happens: whatever Spark raises is about the query."""
    try:
        yield
    except PySparkException as error:
        raise translated(error, text, tables) from None
    except Py4JJavaError as error:
        said = str(error.java_exception.toString()).split("\n", 1)[0]
        raise BadQuery(f"Spark cannot analyze the query: {said}") from None


def translated(
    error: PySparkException, text: str | None = None, tables: Callable[[], list[str]] = list
) -> RollviewError:
    """The error of ours that says the same; ``tables`` tells what there is."""
    condition = error.getCondition() or ""
    parameters = error.getMessageParameters() or {}
    message = first_line(error)
    if condition.startswith("TABLE_OR_VIEW_NOT_FOUND"):
        name = parameters.get("relationName", "?")
        return UnknownTable(
            f"there is no table or view {name}",
            hint=_near(name, tables) or "check the name and its schema; SHOW TABLES lists all",
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


def first_line(error: Exception) -> str:
    """What Spark says in one line, without SQLSTATE and without the plan."""
    text = str(error).strip().split("\nJVM stacktrace")[0]
    line = text.split("\n", 1)[0]
    line = re.sub(r"\s*SQLSTATE: \w+\.?", "", line)
    return line.removesuffix(";").strip()


def _near(name: str, tables: Callable[[], list[str]]) -> str | None:
    wanted = name.replace("`", "").rpartition(".")[2].lower()
    near = difflib.get_close_matches(wanted, [table.lower() for table in tables()], n=3)
    return f"the tables nearest in name are {', '.join(near)}" if near else None


def _place(error: PySparkException) -> str | None:
    found = re.search(r"\(line (\d+), pos (\d+)\)", str(error))
    return f"look at line {found[1]}, position {found[2]} of the query" if found else None
