"""The command line: the list of commands, and the one place where errors become messages."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from importlib.metadata import version as installed_version
from typing import Annotated

import typer
from typer.exceptions import TyperException

from rollview.cli import (
    bench,
    create,
    declare,
    demo,
    drop,
    explain,
    history,
    output,
    read,
    refresh,
    sql,
    status,
    verify,
    views,
)
from rollview.cli.options import Lake, State
from rollview.errors import Interrupted, RollviewError

INTERRUPTED = 130

app = typer.Typer(
    name="rollview",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="""Materialized views on Apache Spark that are refreshed by what changed.

    \b
    Examples:
      rollview demo
      rollview --lake demo-lake status
      rollview --lake demo-lake refresh
      rollview --lake demo-lake sql "SELECT * FROM revenue LIMIT 5"

    Exit codes: 0 good, 1 error, 2 wrong usage, 3 a view is stale or wrong,
    130 interrupted.
    """,
)

_MODULES = (
    create,
    refresh,
    read,
    explain,
    verify,
    status,
    history,
    drop,
    views,
    declare,
    sql,
    demo,
    bench,
)
COMMANDS = tuple(module.__name__.rpartition(".")[2] for module in _MODULES)

for module in _MODULES:
    module.register(app)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rollview {installed_version('rollview')}")
        raise typer.Exit()


@app.callback()
def program(
    context: typer.Context,
    lake: Lake = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    context.obj.lake = lake
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(arguments: Sequence[str] | None = None, state: State | None = None) -> None:
    """Run the command line and leave the process with its exit code."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments, state or State()))


def run(arguments: Sequence[str], state: State) -> int:
    """Run the command line and return its exit code."""
    # py4j reports a Ctrl-C during a call as an error of its own, with a stack trace.
    logging.getLogger("py4j").setLevel(logging.CRITICAL + 1)
    as_json = state.activity.silent = "--json" in arguments
    try:
        code = app(list(arguments), prog_name="rollview", standalone_mode=False, obj=state)
    except TyperException as error:
        _fail(as_json, "USAGE", error.format_message(), "rollview COMMAND --help")
        return error.exit_code
    except Interrupted as error:
        _fail(as_json, error.code, error.message, error.hint)
        return INTERRUPTED
    except RollviewError as error:
        _fail(as_json, error.code, error.message, error.hint)
        return 1
    # typer turns KeyboardInterrupt into this exit code, without a word.
    if code == INTERRUPTED:
        _fail(as_json, Interrupted.code, "interrupted", None)
    return code if isinstance(code, int) else 0


def _fail(as_json: bool, code: str, message: str, hint: str | None) -> None:
    if as_json:
        output.print_json({"error": {"code": code, "message": message, "hint": hint}})
        return
    print(f"error: {message}", file=sys.stderr)
    if hint:
        print(f"  hint: {hint}", file=sys.stderr)
