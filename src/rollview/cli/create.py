"""`rollview create`: define a view and compute its contents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rollview.cli.options import (
    Form,
    JoinTerms,
    Json,
    Lake,
    Name,
    Schema,
    Strategy,
    query_text,
    session,
)
from rollview.cli.output import print_json
from rollview.cli.reports import created, print_created
from rollview.runtime.report import Policy

if TYPE_CHECKING:
    from rollview.session import View

Sql = Annotated[str | None, typer.Argument(metavar="SQL", help="The query; - reads it from stdin.")]
Query = Annotated[
    str | None, typer.Option("--query", metavar="SQL", help="The query, as an option.")
]
File = Annotated[
    Path | None, typer.Option("--file", metavar="FILE", help="A file that holds the query.")
]
PolicyOption = Annotated[Policy, typer.Option("--policy", help="How much a refresh may recompute.")]
Store = Annotated[
    str | None,
    typer.Option("--store", metavar="NAME", help="What its rows are stored as; delta."),
]
Replace = Annotated[bool, typer.Option("--replace", help="Replace a view of that name.")]
IfNotExists = Annotated[
    bool, typer.Option("--if-not-exists", help="Leave a view of that name as it is.")
]


SelfMaintaining = Annotated[
    bool,
    typer.Option("--self-maintaining", help="Keep what refreshes would read of base tables."),
]


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(create)


def create(
    context: typer.Context,
    name: Name,
    sql: Sql = None,
    query: Query = None,
    file: File = None,
    policy: PolicyOption = Policy.AUTO,
    strategy: Strategy = "auto",
    join_terms: JoinTerms = None,
    form: Form = None,
    store: Store = None,
    replace: Replace = False,
    if_not_exists: IfNotExists = False,
    self_maintaining: SelfMaintaining = False,
    lake: Lake = None,
    schema: Schema = None,
    json: Json = False,
) -> None:
    """Create a view and compute its contents.

    \b
    Examples:
      rollview --lake lake create big "SELECT * FROM orders WHERE amount > 100"
      rollview --lake lake create revenue --file revenue.sql --policy incremental
      cat revenue.sql | rollview --lake lake create revenue - --replace
    """
    if replace and if_not_exists:
        raise typer.BadParameter("--replace and --if-not-exists exclude each other")
    text = query_text(sql, query, file)
    with session(context, lake, schema) as db:
        context.obj.activity.say(f"creating {name}")
        view = db.create_view(
            name,
            text,
            policy=policy.value,
            strategy=strategy,
            join_terms=join_terms,
            form=form,
            store=store,
            if_not_exists=if_not_exists,
            replace=replace,
            self_maintaining=self_maintaining,
        )
        context.obj.activity.rest()
        _print(view, as_json=json)


def _print(view: View, *, as_json: bool) -> None:
    if as_json:
        print_json(created(view))
    else:
        print_created(view)
