"""`rollview verify`: compare stored views with recomputation."""

from __future__ import annotations

import typer

from rollview.cli.options import AnyName, Json, Lake, Schema, session
from rollview.cli.output import print_json
from rollview.cli.reports import print_checks
from rollview.errors import RollviewError
from rollview.runtime.report import not_compared

WRONG = 3


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(verify)


def verify(
    context: typer.Context,
    name: AnyName = None,
    lake: Lake = None,
    schema: Schema = None,
    json: Json = False,
) -> None:
    """Compare stored rows with recomputation.

    The query runs at the very source versions that the view reflects.
    Exit code 3 if a view is wrong; a few of the differing rows are shown. Exit code 1 if one could
    not be compared; the others are compared all the same.

    \b
    Examples:
      rollview --lake lake verify revenue
      rollview --lake lake verify --json
    """
    with session(context, lake, schema) as db:
        names = [name] if name else [view.name for view in db.status()]
        reports = []
        for number, each in enumerate(names):
            context.obj.activity.say(f"verifying {each}", done=number, total=len(names))
            try:
                reports.append(db.verify(each))
            except RollviewError as problem:
                if name:
                    raise
                reports.append(not_compared(each, problem))
        context.obj.activity.rest()
        if json:
            print_json([report.to_dict() for report in reports])
        else:
            print_checks(reports)
    if not all(report.correct or report.problem for report in reports):
        raise typer.Exit(WRONG)
    if any(report.problem for report in reports):
        raise typer.Exit(1)
