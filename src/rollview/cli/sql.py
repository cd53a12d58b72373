"""`rollview sql`: run any SQL on the lake, our statements included."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rollview.cli.options import Json, Lake, Limit, Schema, query_text, session
from rollview.cli.output import print_json, print_text
from rollview.cli.reports import created, print_created, print_refreshes, print_view, print_views
from rollview.cli.rows import print_frame
from rollview.runtime.report import Mode, RefreshReport, ViewInfo

Text = Annotated[
    str | None, typer.Argument(metavar="SQL", help="One statement; - reads it from stdin.")
]
File = Annotated[
    Path | None, typer.Option("--file", metavar="FILE", help="A file that holds the statement.")
]


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(sql)


def sql(
    context: typer.Context,
    text: Text = None,
    file: File = None,
    limit: Limit = 20,
    lake: Lake = None,
    schema: Schema = None,
    json: Json = False,
) -> None:
    """Run one SQL statement on the lake.

    \b
    Besides all of Spark SQL:
      CREATE [OR REPLACE] MATERIALIZED VIEW [IF NOT EXISTS] name
        [REFRESH POLICY AUTO | INCREMENTAL | INCREMENTAL STRICT | FULL] AS query
      REFRESH MATERIALIZED VIEW name [FULL]
      EXPLAIN CREATE MATERIALIZED VIEW name AS query
      DROP MATERIALIZED VIEW [IF EXISTS] name
      SHOW MATERIALIZED VIEWS
      DESCRIBE MATERIALIZED VIEW name

    \b
    Examples:
      rollview --lake lake sql "SELECT * FROM orders ORDER BY amount DESC LIMIT 10"
      rollview --lake lake sql "REFRESH MATERIALIZED VIEW revenue"
    """
    statement = query_text(text, None, file)
    with session(context, lake, schema) as db:
        context.obj.activity.say("running")
        answer: Any = db.sql(statement)
        if hasattr(answer, "collect"):
            print_frame(context, answer, limit, as_json=json)
        else:
            context.obj.activity.rest()
            _print_answer(answer, as_json=json)
    if isinstance(answer, RefreshReport) and answer.mode is Mode.FAILED:
        raise typer.Exit(1)


def _print_answer(answer: Any, *, as_json: bool) -> None:
    if as_json:
        print_json(_document(answer))
    elif isinstance(answer, RefreshReport):
        print_refreshes([answer])
    elif isinstance(answer, list) and all(isinstance(item, ViewInfo) for item in answer):
        print_views(answer)
    elif isinstance(answer, ViewInfo):
        print_view(answer)
    elif _is_new_view(answer):
        print_created(answer)
    elif answer is None:
        print_text("done")
    else:
        print_text(str(answer))


def _document(answer: Any) -> object:
    if isinstance(answer, list):
        return [_document(item) for item in answer]
    if _is_new_view(answer):
        return created(answer)
    if hasattr(answer, "to_dict"):
        return answer.to_dict()
    return {"done": True} if answer is None else {"answer": str(answer)}


def _is_new_view(answer: Any) -> bool:
    # Imported late for the sake of --help; by now the session has loaded PySpark anyway.
    from rollview.session import View

    return isinstance(answer, View)
