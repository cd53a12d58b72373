"""`rollview bench`: run the measurements that come with the source tree."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from rollview.cli.options import Json
from rollview.cli.output import print_text
from rollview.errors import BadOption

_TREE = Path(__file__).parents[3]


class Benchmark(StrEnum):
    """The benchmarks by the names that people type."""

    PLAN = "plan"


_SCRIPTS = {Benchmark.PLAN: "planning"}


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(bench)


def bench(
    context: typer.Context,
    name: Annotated[Benchmark, typer.Argument(metavar="NAME", help="plan: time to plan a query.")],
    rounds: Annotated[
        int,
        typer.Option("--rounds", metavar="N", min=1, help="The median of so many rounds counts."),
    ] = 3,
    only: Annotated[
        str, typer.Option("--only", metavar="REGEX", help="Only the queries that match.")
    ] = "",
    json: Json = False,
) -> None:
    """Run a benchmark of the source tree.

    \b
    Examples:
      rollview bench plan
      rollview bench plan --only tpch --rounds 1 --json
    """
    script = _TREE / "benchmarks" / f"{_SCRIPTS[name]}.py"
    if not script.is_file():
        raise BadOption(
            f"the benchmark {name} is not there: {script} does not exist",
            hint="benchmarks come with the source tree; run rollview from a checkout",
        )
    with tempfile.TemporaryDirectory(prefix="rollview-bench-") as folder:
        result = Path(folder) / "result.json"
        command = [sys.executable, "-m", f"benchmarks.{script.stem}", "--rounds", str(rounds)]
        command += ["--only", only, "--json", str(result)]
        with context.obj.activity as activity:
            activity.say(f"running the benchmark {name}")
            done = subprocess.run(
                command, cwd=_TREE, stdout=subprocess.PIPE, text=True, check=False
            )
        if done.returncode:
            print(done.stdout, file=sys.stderr, end="")
            raise typer.Exit(1)
        # The table of the script is for people; programs get its JSON and nothing else.
        print_text((result.read_text() if json else done.stdout).rstrip())
