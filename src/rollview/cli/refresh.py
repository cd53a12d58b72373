"""`rollview refresh`: bring views up to date."""

from __future__ import annotations

from typing import Annotated

import typer

from rollview.cli.options import AnyName, Json, Lake, Schema, listener, session
from rollview.cli.output import print_json
from rollview.cli.reports import print_refreshes
from rollview.runtime.report import Mode


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(refresh)


def refresh(
    context: typer.Context,
    name: AnyName = None,
    full: Annotated[bool, typer.Option("--full", help="Recompute, whatever is cheaper.")] = False,
    cascade: Annotated[
        bool,
        typer.Option("--cascade/--no-cascade", help="First refresh the views that it reads."),
    ] = True,
    lake: Lake = None,
    schema: Schema = None,
    json: Json = False,
) -> None:
    """Bring a view, or all views, up to date.

    Exit code 1 if a view could not be refreshed; the others are refreshed all the same.

    \b
    Examples:
      rollview --lake lake refresh
      rollview --lake lake refresh revenue --full
    """
    with session(context, lake, schema) as db:
        context.obj.activity.say(f"refreshing {name or 'all views'}")
        total = len(db.views()) if name is None else None
        answer = db.refresh(name, full=full, cascade=cascade, progress=listener(context.obj, total))
        reports = answer if isinstance(answer, list) else [answer]
        context.obj.activity.rest()
        if json:
            print_json([report.to_dict() for report in reports])
        else:
            print_refreshes(reports)
    if any(report.mode in (Mode.FAILED, Mode.SKIPPED) for report in reports):
        raise typer.Exit(1)
