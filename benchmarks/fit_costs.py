"""Fit the constants of the cost model to refreshes that were done, from their history files.

    python -m benchmarks.fit_costs LAKE [LAKE ...] [--ridge 0.05] [--json FILE]

A LAKE is a folder-lake, its ``_rollview`` folder, or a folder with history files. Every piece of a
refresh that the history has is one equation: the amounts of work, times the constants, are the
seconds it took. Solved for constants that are not negative, by least squares of relative errors;
the ridge keeps those where they are about which the past says nothing. Pieces that were done for
the first time in a process are left out. Prints what came out beside what is in force, with the
error of both, and the settings that put the fitted ones in force. Needs no Spark.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from benchmarks.measuring import write_json

from rollview.planning.cost import DEFAULTS, PREFIX, Work

NAMES = tuple(field.name for field in fields(Work))
SHORTEST = 0.05  # seconds: what takes less is no more precisely known
Equation = tuple[Mapping[str, float], float]


def history_files(places: Iterable[Path]) -> Iterator[Path]:
    """All history files below some folders."""
    for place in places:
        yield from sorted(
            path for path in place.rglob("*.json") if path.parent.parent.name == "history"
        )


def equations(reports: Iterable[Mapping[str, Any]]) -> list[Equation]:
    """The work and the seconds of every piece that was not the first of its kind in a process."""
    found: list[Equation] = []
    for report in reports:
        seconds = report.get("seconds") or {}
        total, share = seconds.get("total"), seconds.get("share")
        if share is not None and total and share < 0.9 * total:
            continue  # others were refreshed beside it: how long it took says little
        for piece in (report.get("costs") or {}).get("pieces", ()):
            if not piece["first"] and piece["work"]:
                found.append((piece["work"], max(SHORTEST, float(piece["took"]))))
    return found


def fit(
    observed: Sequence[Equation], start: Mapping[str, float], ridge: float, sweeps: int = 2_000
) -> dict[str, float]:
    """Constants that are not negative, by coordinate descent.

    In multiples of the constants to start from, so that all are of one size: minimizes the sum of
    squared relative errors and ``ridge`` times the squared distances from 1.
    """
    rows = [
        [work.get(name, 0.0) * start[name] / seconds for name in NAMES]
        for work, seconds in observed
    ]
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(NAMES)
    factors = [1.0] * len(NAMES)
    rest = [1.0 - sum(row) for row in rows]
    squares = [sum(cell * cell for cell in column) + ridge for column in columns]
    for _ in range(sweeps):
        moved = 0.0
        for index, column in enumerate(columns):
            if not squares[index]:
                continue
            slope = sum(cell * left for cell, left in zip(column, rest, strict=True))
            slope += ridge * (1.0 - factors[index])
            new = max(0.0, factors[index] + slope / squares[index])
            step = new - factors[index]
            if step:
                rest = [left - step * cell for cell, left in zip(column, rest, strict=True)]
                factors[index] = new
                moved = max(moved, abs(step))
        if moved < 1e-9:
            break
    return {name: factor * start[name] for name, factor in zip(NAMES, factors, strict=True)}


def error(observed: Sequence[Equation], constants: Mapping[str, float]) -> float | None:
    """The median of how far off the model is, as a factor of at least 1."""
    factors = []
    for work, seconds in observed:
        expected = max(SHORTEST, sum(work.get(name, 0.0) * constants[name] for name in NAMES))
        factors.append(max(expected / seconds, seconds / expected))
    return statistics.median(factors) if factors else None


def result(observed: Sequence[Equation], ridge: float) -> dict[str, Any]:
    """What was fitted, beside what is in force."""
    before = {name: value for name, value in asdict(DEFAULTS).items() if name in NAMES}
    after = fit(observed, before, ridge)
    return {
        "pieces": len(observed),
        "in_force": before,
        "fitted": after,
        "error_in_force": error(observed, before),
        "error_fitted": error(observed, after),
        "settings": {f"{PREFIX}{name}": f"{value:.4g}" for name, value in after.items()},
    }


def table(found: Mapping[str, Any]) -> str:
    """The result for people to read."""
    lines = [f"{'constant':14}{'in force':>12}{'fitted':>12}"]
    for name in NAMES:
        lines.append(f"{name:14}{found['in_force'][name]:12.3g}{found['fitted'][name]:12.3g}")
    if found["pieces"]:
        lines.append(
            f"{found['pieces']} pieces: half of them are off by less than a factor of "
            f"{found['error_in_force']:.2f} as it is, {found['error_fitted']:.2f} as fitted"
        )
    lines += [f"{key} {value}" for key, value in found["settings"].items()]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("lakes", nargs="+", type=Path)
    parser.add_argument("--ridge", type=float, default=0.05)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    reports = [json.loads(path.read_text()) for path in history_files(options.lakes)]
    observed = equations(reports)
    if not observed:
        raise SystemExit("no history with costs is there: refresh some views, twice each")
    found = result(observed, options.ridge)
    print(table(found))
    write_json(options.json, found)


if __name__ == "__main__":
    main()
