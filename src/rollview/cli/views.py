"""`rollview views`: the list of views."""

from __future__ import annotations

import typer

from rollview.cli.options import Json, Lake, Schema, session
from rollview.cli.output import print_json
from rollview.cli.reports import print_views


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(views)


def views(
    context: typer.Context, lake: Lake = None, schema: Schema = None, json: Json = False
) -> None:
    """List the views and what they read.

    \b
    Examples:
      rollview --lake lake views
      rollview --lake lake views --json
    """
    with session(context, lake, schema) as db:
        context.obj.activity.say("reading the definitions")
        found = db.views()
        context.obj.activity.rest()
        if json:
            print_json([view.to_dict() for view in found])
        else:
            print_views(found)
