"""`rollview read`: show the rows of a view."""

from __future__ import annotations

import typer

from rollview.cli.options import Json, Lake, Limit, Name, Schema, session
from rollview.cli.rows import print_frame


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(read)


def read(
    context: typer.Context,
    name: Name,
    limit: Limit = 20,
    lake: Lake = None,
    schema: Schema = None,
    json: Json = False,
) -> None:
    """Show the rows of a view as of its last refresh.

    \b
    Examples:
      rollview --lake lake read revenue
      rollview --lake lake read revenue --limit 0 --json
    """
    with session(context, lake, schema) as db:
        context.obj.activity.say(f"reading {name}")
        print_frame(context, db.read(name), limit, as_json=json)
