"""`rollview drop`: remove a view and its stored rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rollview.cli.options import Json, Lake, Name, Schema, session
from rollview.cli.output import print_json, print_text
from rollview.errors import UnknownView

if TYPE_CHECKING:
    from rollview.session import Session


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
    schema: Schema = None,
    json: Json = False,
) -> None:
    """Remove a view and its stored rows.

    \b
    Examples:
      rollview --lake lake drop revenue
      rollview --lake lake drop revenue --if-exists
    """
    with session(context, lake, schema) as db:
        context.obj.activity.say(f"dropping {name}")
        was_there = _dropped(db, name, if_exists)
        context.obj.activity.rest()
        if json:
            print_json({"dropped": name if was_there else None})
        else:
            print_text(f"dropped {name}" if was_there else f"there was no view {name}")


def _dropped(db: Session, name: str, if_exists: bool) -> bool:
    """Drop the view and return whether there was one; without --if-exists there must be."""
    try:
        db.drop_view(name)
    except UnknownView:
        if not if_exists:
            raise
        return False
    return True
