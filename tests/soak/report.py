"""What came of the kills, as lines, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any, Protocol


@dataclass(frozen=True)
class Kill:
    """One kill: how it was done, and what was found afterwards.

    ``delay`` is counted from the beginning of the refresh, ``busy`` says that base tables were
    written meanwhile, ``said`` is the code of the error that a Python without Java ended with,
    ``gone`` the seconds until the Java process was gone, ``recovery`` those of the next refresh,
    ``seconds`` those of everything together.
    """

    number: int
    kind: str
    delay: float
    busy: bool
    said: str | None
    gone: float | None
    recovery: float | None
    seconds: float
    problems: tuple[str, ...]


class Result(Protocol):
    """What a report needs to know of a run."""

    lake: Path
    seed: int
    short: bool
    missed: int
    kills: list[Kill]


def line(kill: Kill) -> str:
    """One kill in a line, and what to do about it if something is wrong."""
    parts = [
        f"{kill.number:4}  {kill.kind:6} after {kill.delay:6.3f} s",
        "writers busy" if kill.busy else "writers idle",
        "Java gone" if kill.gone is not None else "Java there",
        f"next refresh {kill.recovery} s",
        *([f"said {kill.said}"] if kill.said else []),
        "WRONG" if kill.problems else "right",
    ]
    return "\n".join([", ".join(parts), *(f"      {problem}" for problem in kill.problems)])


def summary(result: Result, unnamed: int) -> str:
    """The table of all kills by kind, and how to see a problem again."""
    rows = [f"{'killed':8}{'kills':>6}{'right':>6}{'median delay':>14}{'median recovery':>17}"]
    for kind in ("python", "java", "both"):
        kills = [kill for kill in result.kills if kill.kind == kind]
        right = sum(not kill.problems for kill in kills)
        delay = _median([kill.delay for kill in kills])
        recovery = _median([kill.recovery for kill in kills if kill.recovery is not None])
        rows.append(f"{kind:8}{len(kills):6}{right:6}{delay:>14}{recovery:>17}")
    rows.append(
        f"{result.missed} refreshes ended before they could be killed; "
        f"{unnamed} files of rows that no commit names, which VACUUM removes in time"
    )
    if any(kill.problems for kill in result.kills):
        rows.append(how_to_see_it_again(result))
    return "\n".join(rows)


def how_to_see_it_again(result: Result) -> str:
    """The moment of a kill is not repeatable to the microsecond; its neighbourhood is."""
    last = result.kills[-1]
    scratch = result.lake.with_name(f"{result.lake.name}.scratch")
    return (
        f"seed {result.seed}, kill {last.number} ({last.kind} after {last.delay} s). "
        f"The lake is as it was found: {result.lake}; what the processes said: {scratch}\n"
        f"again: python -m tests.soak.kills --seed {result.seed} --kills {last.number} "
        f"{'--short ' if result.short else ''}--lake NEW_FOLDER"
    )


def as_json(result: Result, unnamed: int) -> dict[str, Any]:
    """The run as plain data."""
    return {
        "seed": result.seed,
        "kills": [asdict(kill) for kill in result.kills],
        "right": sum(not kill.problems for kill in result.kills),
        "missed": result.missed,
        "unnamed_row_files": unnamed,
    }


def _median(values: Sequence[float]) -> str:
    return f"{median(values):.2f} s" if values else "-"
