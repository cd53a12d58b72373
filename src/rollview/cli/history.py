"""`rollview history`: what past refreshes did."""

from __future__ import annotations

import typer

from rollview.cli.options import AnyName, Json, Lake, Limit, Schema, session
from rollview.cli.output import print_json
from rollview.cli.reports import print_refreshes


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(history)


def history(
    context: typer.Context,
    name: AnyName = None,
    limit: Limit = 20,
    lake: Lake = None,
    schema: Schema = None,
    json: Json = False,
) -> None:
    """Show what past refreshes did, the newest first.

    \b
    Examples:
      rollview --lake lake history
      rollview --lake lake history revenue --limit 5 --json
    """
    with session(context, lake, schema) as db:
        context.obj.activity.say("reading the history")
        reports = db.history(name, limit or None)
        context.obj.activity.rest()
        if json:
            print_json([report.to_dict() for report in reports])
        else:
            print_refreshes(reports, when=True)
