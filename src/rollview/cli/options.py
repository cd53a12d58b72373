"""What the commands share: their common options and the way to a session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rollview.cli.progress import Activity

if TYPE_CHECKING:
    from rollview.session import Session

Lake = Annotated[
    Path | None,
    typer.Option("--lake", metavar="DIR", help="The lake folder.", envvar="ROLLVIEW_LAKE"),
]
Schema = Annotated[
    str | None,
    typer.Option("--schema", metavar="NAME", help="The schema whose views are meant; default."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
Limit = Annotated[
    int, typer.Option("--limit", metavar="N", min=0, help="At most so many rows; 0 for all.")
]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The view.", show_default=False)]
AnyName = Annotated[
    str | None,
    typer.Argument(metavar="NAME", help="The view; all views if left out.", show_default=False),
]
Strategy = Annotated[
    str, typer.Option("--strategy", metavar="NAME", help="How changes are carried through.")
]
JoinTerms = Annotated[
    str | None,
    typer.Option("--join-terms", metavar="FORM", help="Terms of joins, of strategy counting."),
]
Form = Annotated[
    str | None,
    typer.Option("--form", metavar="FORM", help="pre or post, of strategy algebraic."),
]

_PHASES = {"start": "refreshing", "recompute": "recomputing", "done": "refreshed"}


def connect(lake: Path, schema: str | None) -> Session:
    """Open the lake; imported late, because loading PySpark would slow down --help."""
    from rollview.session import connect as open_lake

    return open_lake(str(lake), schema=schema)


@dataclass
class State:
    """What one run of the program knows. Tests put another `connect` in."""

    connect: Callable[[Path, str | None], Session] = connect
    lake: Path | None = None
    activity: Activity = field(default_factory=Activity)


@contextmanager
def session(
    context: typer.Context, lake: Path | None, schema: str | None = None
) -> Iterator[Session]:
    """The session of the lake that this command, or the program before it, was given."""
    state: State = context.obj
    folder = lake or state.lake
    if folder is None:
        raise typer.BadParameter("say which lake: rollview --lake DIR ..., or set ROLLVIEW_LAKE")
    with state.activity:
        state.activity.say("opening the lake")
        db = state.connect(folder, schema)
        try:
            yield db
        finally:
            state.activity.rest()
            db.close()


def query_text(query: str | None, option: str | None, file: Path | None) -> str:
    """The SQL given as an argument, by --query, in a file, or on stdin (`-`)."""
    given = [text for text in (query, option) if text is not None]
    if len(given) + (file is not None) != 1:
        raise typer.BadParameter("give the SQL once: as an argument, with --query, --file, or -")
    if given and given[0] != "-":
        return given[0]
    if given or str(file) == "-":
        return typer.get_text_stream("stdin").read()
    try:
        return Path(file or "").read_text()
    except OSError as error:
        raise typer.BadParameter(f"cannot read {file}: {error.strerror}") from error


def listener(state: State, total: int | None = None) -> Callable[[str, str, str], None]:
    """A progress callback for the session that shows the phases of a refresh."""
    finished: set[str] = set()

    def progress(event: str, view: str, detail: str) -> None:
        if event == "done":
            finished.add(view)
        words = _PHASES.get(event, event)
        state.activity.say(f"{words} {view}", done=len(finished), total=total)

    return progress
