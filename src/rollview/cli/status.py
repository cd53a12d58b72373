"""`rollview status`: which views are behind their tables."""

from __future__ import annotations

from typing import Annotated

import typer

from rollview.cli.options import AnyName, Json, Lake, Schema, session
from rollview.cli.output import print_json
from rollview.cli.reports import print_status

STALE = 3


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(status)


def status(
    context: typer.Context,
    name: AnyName = None,
    check: Annotated[
        bool, typer.Option("--check", help="Exit with code 3 unless every view is fresh.")
    ] = False,
    lake: Lake = None,
    schema: Schema = None,
    json: Json = False,
) -> None:
    """Show which views are behind their tables.

    \b
    Examples:
      rollview --lake lake status
      rollview --lake lake status --check || rollview --lake lake refresh
    """
    with session(context, lake, schema) as db:
        context.obj.activity.say("comparing versions")
        states = db.status(name)
        context.obj.activity.rest()
        if json:
            print_json([state.to_dict() for state in states])
        else:
            print_status(states)
    if check and not all(state.fresh for state in states):
        raise typer.Exit(STALE)
