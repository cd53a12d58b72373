"""The long runs of the proof, each a command of its own, with what it said in the end.

    python -m tests.roundtrip.long_runs            those that are not known yet
    python -m tests.roundtrip.long_runs kills      one of them

Outcomes are kept per state of the sources under build/proof; make proof puts them on the page.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tests.roundtrip.proved import ROOT, digest_of


@dataclass(frozen=True)
class LongRun:
    """A command, and how many lines at the end of what it prints are its result.

    What comes out depends on src/ and on the folder of the command.
    """

    name: str
    title: str
    command: tuple[str, ...]
    lines: int

    def digest(self) -> str:
        """A name for the state of everything that the outcome depends on."""
        own = Path(*self.command[0].split(".")).parent.as_posix()
        return digest_of(ROOT, "src/rollview", own)


RUNS = (
    LongRun(
        "properties",
        "Generated views over all operators, under generated changes, on DuckDB",
        ("tests.properties.run", "--cases", "10000"),
        1,
    ),
    LongRun(
        "on_delta",
        "Generated views on Spark and Delta, three rounds of changes each",
        ("tests.properties.on_delta", "--views", "200"),
        1,
    ),
    LongRun(
        "kills",
        "Refreshes killed with -9 at random moments, while others write",
        ("tests.soak.kills", "--kills", "50"),
        5,
    ),
    LongRun(
        "refreshes",
        "A dozen views on one lake, refreshed after every round of random changes",
        ("tests.soak.refreshes", "--refreshes", "200"),
        7,
    ),
)


@dataclass(frozen=True)
class Outcome:
    """How a long run ended."""

    exit: int
    minutes: float
    said: str


def known() -> dict[str, Outcome]:
    """The outcomes of the runs of these sources, by name."""
    found = {}
    for run in RUNS:
        path = _path(run, "json")
        if path.exists():
            found[run.name] = Outcome(**json.loads(path.read_text("utf-8")))
    return found


def missing() -> list[LongRun]:
    """The runs that are not known yet."""
    done = known()
    return [run for run in RUNS if run.name not in done]


def carry_out(run: LongRun) -> Outcome:
    """Run a command to its end, and keep what came out; what it prints goes to a file as well."""
    started = time.monotonic()
    wanted = _path(run, "json")  # named after the sources as they are before the run
    with _path(run, "log").open("w", encoding="utf-8") as out:
        command = [sys.executable, "-m", *run.command]
        code = subprocess.run(command, stdout=out, cwd=ROOT, check=False).returncode
    lines = Path(out.name).read_text("utf-8").rstrip().splitlines()
    minutes = round((time.monotonic() - started) / 60, 1)
    outcome = Outcome(code, minutes, "\n".join(lines[-run.lines :]))
    wanted.write_text(json.dumps(vars(outcome)), encoding="utf-8")
    return outcome


def page() -> str:
    """What the long runs gave, for the page of the proof."""
    found = known()
    return "\n\n".join(_part(run, found.get(run.name)) for run in RUNS)


def _part(run: LongRun, outcome: Outcome | None) -> str:
    title = f"{run.title}: `python -m {' '.join(run.command)}`"
    if outcome is None:
        return f"{title}. Not run yet."
    verdict = "right" if outcome.exit == 0 else f"WRONG (exit code {outcome.exit})"
    return f"{title}. {verdict}, {outcome.minutes} minutes.\n\n```text\n{outcome.said}\n```"


def _path(run: LongRun, kind: str) -> Path:
    folder = ROOT / "build" / "proof"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{run.name}-{run.digest()}.{kind}"


def main() -> int:
    """Run what is asked for, or what is not known yet."""
    names = sys.argv[1:]
    failed = 0
    for run in [one for one in RUNS if one.name in names] if names else missing():
        outcome = carry_out(run)
        failed += outcome.exit != 0
        print(f"{run.name}: exit code {outcome.exit}\n{outcome.said}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
