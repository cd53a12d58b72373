"""`rollview demo`: a retail lake that changes, and views that follow."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rollview.cli.demo_lake import VIEWS, DemoLake
from rollview.cli.options import Json, Lake, State, listener, session
from rollview.cli.output import print_json, print_table, print_text
from rollview.cli.reports import count, total_seconds
from rollview.cli.verify import WRONG
from rollview.runtime.report import Mode, RefreshReport

if TYPE_CHECKING:
    from rollview.session import Session

_DEFAULT = Path("demo-lake")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the closing table: what one batch meant for one view."""

    batch: str
    view: str
    rows: int | None
    changes: int
    mode: str
    refresh_seconds: float
    recompute_seconds: float
    correct: bool


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(demo)


def demo(
    context: typer.Context,
    scale: Annotated[
        int, typer.Option("--scale", metavar="N", min=1, help="Times 20,000 orders.")
    ] = 1,
    rounds: Annotated[
        int, typer.Option("--rounds", metavar="N", min=1, help="Batches of changes.")
    ] = 3,
    lake: Lake = None,
    json: Json = False,
) -> None:
    """Make a retail lake and watch its views follow.

    The demo changes the tables in batches, refreshes the views after each, and checks them. The
    lake stays, to play with. Run again on the same lake, the demo keeps what is there and
    applies further batches. Without --lake it uses demo-lake in the present folder.

    \b
    Examples:
      rollview demo
      rollview demo --lake shop --scale 10 --rounds 6
    """
    state: State = context.obj
    made = DemoLake.open(lake or state.lake or _DEFAULT, scale)
    with session(context, made.folder) as db:
        _prepare(state, db, made, scale)
        lines = [line for _ in range(rounds) for line in _round(state, db, made)]
        state.activity.rest()
        if json:
            print_json({"lake": str(made.folder), "lines": [asdict(line) for line in lines]})
        else:
            _print_lines(lines)
            _print_next_steps(made.folder)
    if not all(line.correct for line in lines):
        raise typer.Exit(WRONG)


def _prepare(state: State, db: Session, made: DemoLake, scale: int) -> None:
    if made.ready:
        state.activity.note(f"{made.folder} is there already; going on after batch {made.batches}")
        if made.scale != scale:
            state.activity.note(f"it keeps its scale {made.scale}")
    else:
        state.activity.say("making the tables customers, products, orders, items")
        made.fill(db.spark)
    for number, (name, view) in enumerate(VIEWS.items()):
        state.activity.say(f"creating the view {name}", done=number, total=len(VIEWS))
        db.create_view(name, view.query, policy="incremental", if_not_exists=True)
    state.activity.note(f"{made.folder}: 4 tables, {len(VIEWS)} views")


def _round(state: State, db: Session, made: DemoLake) -> list[Line]:
    state.activity.say(f"batch {made.batches + 1}: changing the tables")
    title, changed = made.next_batch(db.spark)
    name = f"{made.batches} {title}"
    state.activity.say(f"batch {name}: refreshing the views")
    answer = db.refresh(progress=listener(state, len(VIEWS)))
    reports = [
        report
        for report in (answer if isinstance(answer, list) else [answer])
        if report.view.rpartition(".")[2] in VIEWS
    ]
    lines = []
    for number, report in enumerate(reports):
        state.activity.say(f"batch {name}: checking {report.view}", done=number, total=len(reports))
        lines.append(_line(db, name, report, changed))
    state.activity.note(f"batch {name}: refreshed and checked")
    return lines


def _line(db: Session, batch: str, report: RefreshReport, changed: dict[str, int]) -> Line:
    view = VIEWS[report.view.rpartition(".")[2]]
    succeeded = report.mode not in (Mode.FAILED, Mode.SKIPPED)
    check = db.verify(report.view)
    return Line(
        batch=batch,
        view=report.view,
        rows=check.rows,
        changes=sum(changed.get(table, 0) for table in view.reads),
        mode=report.mode.value,
        refresh_seconds=total_seconds(report),
        recompute_seconds=_recompute(db, view.query),
        correct=check.correct and succeeded,
    )


def _recompute(db: Session, query: str) -> float:
    """Seconds to run the query anew and store its rows, as a scheduled job would."""
    with tempfile.TemporaryDirectory(prefix="rollview-demo-") as scratch:
        begin = time.perf_counter()
        db.spark.sql(query).write.format("delta").save(f"{scratch}/rows")
        return time.perf_counter() - begin


def _print_lines(lines: list[Line]) -> None:
    header = ["batch", "view", "rows", "changes", "mode", "refresh", "recomputation", "correct"]
    rows: list[list[str]] = []
    for line in lines:
        begins = not rows or lines[len(rows) - 1].batch != line.batch
        rows.append(
            [
                line.batch if begins else "",
                line.view,
                count(line.rows),
                count(line.changes),
                line.mode,
                f"{line.refresh_seconds:.2f} s",
                f"{line.recompute_seconds:.2f} s",
                "yes" if line.correct else "NO",
            ]
        )
    print_table(header, rows, right=("rows", "changes", "refresh", "recomputation"))


def _print_next_steps(folder: Path) -> None:
    # The program may have been started by its path, as `make demo` does.
    found = shutil.which("rollview")
    same = found is not None and Path(found).resolve() == Path(sys.argv[0]).resolve()
    program = "rollview" if same else sys.argv[0]
    start = f"{shlex.quote(program)} --lake {shlex.quote(str(folder))}"
    print_text(
        f"""The lake stays in {folder}. Try next:
  {start} read top_customers
  {start} sql "UPDATE orders SET status = 'shipped' WHERE order_id < 1000"
  {start} status
  {start} refresh
  {start} verify
  {start} explain revenue
  {start} create by_country "SELECT country, count(*) AS customers FROM customers GROUP BY country"
"""
    )
