"""`rollview bench`: run the measurements that come with the source tree."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Mapping
from enum import StrEnum
from json import loads
from pathlib import Path
from typing import Annotated

import typer

from rollview.cli.options import Json
from rollview.cli.output import print_json, print_text
from rollview.errors import BadOption

_TREE = Path(__file__).parents[3]
_SAID = 50  # lines of a script that failed are shown


class Benchmark(StrEnum):
    """The benchmarks by the names that people type."""

    PLAN = "plan"
    TPCH = "tpch"
    MICRO = "micro"


_SCRIPTS = {Benchmark.PLAN: "planning", Benchmark.TPCH: "tpch", Benchmark.MICRO: "micro"}

Which = Annotated[
    Benchmark,
    typer.Argument(
        metavar="NAME",
        help="plan: time to plan a query. tpch: refreshes against recomputation. "
        "micro: what refreshes of little cost.",
    ),
]
Rounds = Annotated[
    int, typer.Option("--rounds", metavar="N", min=1, help="The median of so many rounds counts.")
]
Only = Annotated[
    str | None,
    typer.Option("--only", metavar="REGEX", help="plan, micro: the queries or measures to take."),
]
Scale = Annotated[
    float | None, typer.Option("--scale", metavar="N", help="tpch: gigabytes of data; 1.")
]
Change = Annotated[
    float | None, typer.Option("--change", metavar="PART", help="tpch: part of each table; 0.001.")
]
Views = Annotated[
    str | None, typer.Option("--views", metavar="NAMES", help="tpch: such as q01,q05; all.")
]
Store = Annotated[
    str | None, typer.Option("--store", metavar="STORE", help="tpch, micro: of the views; delta.")
]
Regret = Annotated[
    bool, typer.Option("--regret", help="tpch: force every way to refresh once as well.")
]
PolicyOption = Annotated[
    str | None, typer.Option("--policy", metavar="POLICY", help="tpch: of the views; auto.")
]
Keep = Annotated[
    Path | None,
    typer.Option("--keep", metavar="FOLDER", help="tpch: a lake to keep, for runs to go on."),
]


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(bench)


def bench(
    context: typer.Context,
    name: Which,
    rounds: Rounds = 3,
    only: Only = None,
    scale: Scale = None,
    change: Change = None,
    views: Views = None,
    policy: PolicyOption = None,
    store: Store = None,
    regret: Regret = False,
    keep: Keep = None,
    json: Json = False,
) -> None:
    """Run a benchmark of the source tree.

    \b
    Examples:
      rollview bench plan --only tpch --rounds 1 --json
      rollview bench tpch --scale 1 --change 0.001 --views q01,q05
      rollview bench micro --only "aggregate 1000 "
    """
    given: dict[Benchmark, dict[str, object]] = {
        Benchmark.PLAN: {"--only": only},
        Benchmark.MICRO: {"--only": only, "--store": store},
        Benchmark.TPCH: {
            "--scale": scale,
            "--change": change,
            "--views": views,
            "--policy": policy,
            "--store": store,
            "--regret": regret or None,
            "--lake": keep and keep.absolute(),
        },
    }
    _check_options(name, given)
    command = _command(name, {"--rounds": rounds, **given[name]})
    with context.obj.activity as activity:
        activity.say(f"running the benchmark {name}")
        table, measured = _measured(command, activity.say)
    # The table of the script is for people; programs get its JSON and nothing else.
    if json:
        print_json(loads(measured))
    else:
        print_text(table.rstrip())


def _command(name: Benchmark, options: Mapping[str, object]) -> list[str]:
    """The command line of a benchmark's script with the options that were given."""
    script = _TREE / "benchmarks" / f"{_SCRIPTS[name]}.py"
    if not script.is_file():
        raise BadOption(
            f"the benchmark {name} is not there: {script} does not exist",
            hint="benchmarks come with the source tree; run rollview from a checkout",
        )
    command = [sys.executable, "-m", f"benchmarks.{script.stem}"]
    for option, value in options.items():
        if value is not None:
            command += [option] if value is True else [option, str(value)]
    return command


def _measured(command: list[str], say: Callable[[str], None]) -> tuple[str, str]:
    """The table that a script prints, and the JSON that it writes."""
    with tempfile.TemporaryDirectory(prefix="rollview-bench-") as folder:
        result = Path(folder) / "result.json"
        table = _run([*command, "--json", str(result)], say)
        return table, result.read_text()


def _run(command: list[str], say: Callable[[str], None]) -> str:
    """What a script prints; what it says meanwhile, on its standard error, is passed on."""
    said: deque[str] = deque(maxlen=_SAID)
    with (
        tempfile.TemporaryFile("w+") as printed,
        subprocess.Popen(
            command, cwd=_TREE, stdout=printed, stderr=subprocess.PIPE, text=True
        ) as process,
    ):
        for line in process.stderr or ():
            said.append(line)
            say(line.rstrip())
        if process.wait():
            print("".join(said), file=sys.stderr, end="")
            raise typer.Exit(1)
        printed.seek(0)
        return printed.read()


def _check_options(name: Benchmark, given: Mapping[Benchmark, Mapping[str, object]]) -> None:
    """Raise BadOption if an option of another benchmark was given."""
    for other, options in given.items():
        wrong = [o for o, value in options.items() if value is not None and o not in given[name]]
        if wrong:
            raise BadOption(
                f"{wrong[0]} is an option of the benchmark {other}, not of {name}",
                hint="leave it out; rollview bench --help tells which belong to which",
            )
