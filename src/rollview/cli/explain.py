"""`rollview explain`: say how a view is, or would be, refreshed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rollview.cli.options import Form, JoinTerms, Json, Lake, Schema, Strategy, query_text, session
from rollview.cli.output import print_json, print_text
from rollview.runtime.report import Policy


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(explain)


def explain(
    context: typer.Context,
    view_or_sql: Annotated[
        str | None,
        typer.Argument(metavar="NAME|SQL", help="A view, or a query that could become one."),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--file", metavar="FILE", help="A file that holds the query.")
    ] = None,
    policy: Annotated[
        Policy, typer.Option("--policy", help="The policy of a query; a view has its own.")
    ] = Policy.AUTO,
    strategy: Strategy = "auto",
    join_terms: JoinTerms = None,
    form: Form = None,
    self_maintenance: Annotated[
        bool,
        typer.Option("--self-maintenance", help="Say what it needs of its base tables, too."),
    ] = False,
    together: Annotated[
        list[str] | None,
        typer.Option("--with", metavar="VIEW", help="The same, together with other views."),
    ] = None,
    lake: Lake = None,
    schema: Schema = None,
    json: Json = False,
) -> None:
    """Say how a view is, or a query would be, refreshed.

    \b
    Examples:
      rollview --lake lake explain revenue
      rollview --lake lake explain "SELECT category, count(*) FROM products GROUP BY category"
      rollview --lake lake explain --file revenue.sql --policy strict
      rollview --lake lake explain revenue --self-maintenance --with sales
    """
    text = query_text(view_or_sql, None, file)
    with session(context, lake, schema) as db:
        context.obj.activity.say("planning")
        explanation = db.explain(
            text,
            policy=policy.value,
            strategy=strategy,
            join_terms=join_terms,
            form=form,
            self_maintenance=together or self_maintenance,
        )
        context.obj.activity.rest()
        if json:
            print_json(explanation.to_dict())
        else:
            print_text(str(explanation))
