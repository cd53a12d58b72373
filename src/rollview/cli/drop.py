"""`rollview drop`: remove a view and its stored rows."""

from __future__ import annotations

from typing import Annotated

import typer

from rollview.cli.options import Json, Lake, Name, session
from rollview.cli.output import print_json, print_text


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(drop)


def drop(
    context: typer.Context,
    name: Name,
    if_exists: Annotated[
        bool, typer.Option("--if-exists", help="Do not complain if there is no such view.")
    ] = False,
    lake: Lake = None,
    json: Json = False,
) -> None:
    """Remove a view and its stored rows.

    \b
    Examples:
      rollview --lake lake drop revenue
      rollview --lake lake drop revenue --if-exists
    """
    with session(context, lake) as db:
        context.obj.activity.say(f"dropping {name}")
        db.drop_view(name, if_exists=if_exists)
        context.obj.activity.rest()
        if json:
            print_json({"dropped": name})
        else:
            print_text(f"dropped {name}")
