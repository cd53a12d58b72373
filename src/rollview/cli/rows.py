"""Rows of a DataFrame on stdout, as a table or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from rollview.cli.output import print_json, print_rows, print_text
from rollview.errors import EvaluationFailed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row


def print_frame(context: typer.Context, frame: DataFrame, limit: int, *, as_json: bool) -> None:
    """Run the query and print its first rows; `limit` 0 means all of them.

    Intervals, which Python has no values for, are printed as Spark's text for them.
    """
    columns = [name for name, _ in frame.dtypes]
    types = [kind for _, kind in frame.dtypes]
    found = _collect(frame, limit)
    cut = 0 < limit < len(found)
    rows = [list(row) for row in (found[:limit] if cut else found)]
    context.obj.activity.rest()
    if as_json:
        described = [{"name": n, "type": t} for n, t in zip(columns, types, strict=True)]
        # Rows are arrays, because a query may give two columns the same name.
        print_json({"columns": described, "rows": rows, "more": cut})
    elif columns:
        print_rows(columns, types, rows, cut)
    else:
        print_text("done")


def _collect(frame: DataFrame, limit: int) -> list[Row]:
    from pyspark.errors import PySparkException

    from rollview.frontend.translate import first_line
    from rollview.runtime.collectable import collectable

    frame = collectable(frame)
    try:
        return frame.collect() if limit == 0 else frame.limit(limit + 1).collect()
    except PySparkException as error:
        raise EvaluationFailed(first_line(error)) from error
