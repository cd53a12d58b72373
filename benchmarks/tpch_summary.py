"""What the journal of the TPC-H benchmark says: medians, ratios and regret, view by view.

Pure: from the entries of a journal to the result that is printed, written and reported.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.measuring import Entry, geometric_mean, median, ratio, regret, within

NOOP = "noop"
NOT_WORSE = 1.15  # what the chosen way may take against the best


@dataclass(frozen=True)
class Rounds:
    """Which rounds count, and in which of them views were recomputed; the first one warms up."""

    count: int
    recomputed: tuple[int, ...]

    @property
    def counted(self) -> range:
        return range(1, self.count + 1)


def summary(entries: Mapping[str, Entry], views: Sequence[str], rounds: Rounds) -> dict[str, Any]:
    """The result of a whole run."""
    found = [view_summary(entries, view, rounds) for view in views]
    affected = [one for one in found if one["affected"]]
    together = [entries[f"together {number}"]["seconds"] for number in rounds.counted]
    whole = round(sum(one["recompute_seconds"] or 0.0 for one in affected), 3)
    run = {"recompute_seconds": whole, "refresh_seconds": median(together)}
    run["ratio"] = ratio(run["recompute_seconds"], run["refresh_seconds"])
    alone = [one["ratio"] for one in affected if one["ratio"] is not None]
    regrets = [one["regret"] for one in affected]
    return {
        "views": found,
        "run": run,
        "alone": {
            "geometric_mean": geometric_mean(alone),
            "worst": min(alone, default=None),
        },
        "idle": {
            "seconds": max((one["idle_seconds"] for one in found if _is_timed(one)), default=None),
            "jobs": max((one["idle_jobs"] for one in found if _is_timed(one)), default=None),
        },
        "regret": {
            "within": within(regrets, NOT_WORSE),
            "worst": max((r for r in regrets if r is not None), default=None),
        },
        "correct": all(one["correct"] for one in found),
    }


def view_summary(entries: Mapping[str, Entry], view: str, rounds: Rounds) -> Entry:
    """What was measured of one view."""
    alone = [entries[f"alone {number} {view}"] for number in rounds.counted]
    whole = [entries[f"recomputed {number} {view}"]["seconds"] for number in rounds.recomputed]
    changed = [one for one in alone if one["mode"] != NOOP] or alone
    last = changed[-1]
    found: Entry = {
        "view": view,
        "affected": any(one["mode"] != NOOP for one in alone),
        "mode": last["mode"],
        "strategy": last["strategy"],
        "apply": last["apply"],
        "recompute_seconds": median(whole),
        "refresh_seconds": median(one["seconds"] for one in changed),
        "expected_seconds": median(_known(one["expected"] for one in changed)),
        "phases": phases(changed),
    }
    for name in ("jobs", "bytes_read", "rows_read", "rows_changed"):
        found[name] = median(one[name] for one in changed)
    found["ratio"] = ratio(found["recompute_seconds"], found["refresh_seconds"])
    ways = times_by_way(entries, view, changed)
    found["regret"] = regret(_way(last), ways)
    found["ways"] = {way: median(times) for way, times in ways.items()}
    idle = entries.get(f"idle {view}", {})
    found["idle_seconds"], found["idle_jobs"] = idle.get("seconds"), idle.get("jobs")
    found["correct"] = entries[f"verified {view}"]["correct"]
    return found


def phases(entries: Sequence[Entry]) -> dict[str, float]:
    """The median seconds of every phase; one that a round did not have took no time in it."""
    names = dict.fromkeys(name for entry in entries for name in entry["phases"])
    return {
        name: round(median(entry["phases"].get(name, 0.0) for entry in entries) or 0.0, 3)
        for name in names
    }


def times_by_way(
    entries: Mapping[str, Entry], view: str, chosen: Iterable[Entry]
) -> dict[str, list[float]]:
    """The seconds of every way that a view was refreshed: by choice, and forced once each.

    A way that was asked for and could not be taken counts as the one that was.
    """
    found: dict[str, list[float]] = defaultdict(list)
    forced = [e for step, e in entries.items() if step.startswith("forced ") and e["view"] == view]
    for entry in (*chosen, *forced):
        if entry["mode"] != NOOP:
            found[_way(entry)].append(entry["seconds"])
    return dict(found)


def table(result: Mapping[str, Any]) -> str:
    """The result for people to read."""
    lines = [
        f"{'view':6}{'mode':13}{'recompute':>10}{'refresh':>9}{'ratio':>7}{'jobs':>6}{'MB':>8}"
        f"{'rows read':>12}{'changed':>9}{'regret':>8}"
    ]
    for one in result["views"]:
        lines.append(
            f"{one['view']:6}{one['mode']:13}{_number(one['recompute_seconds']):>8} s"
            f"{_number(one['refresh_seconds']):>7} s{_number(one['ratio']):>7}{one['jobs']:6.0f}"
            f"{one['bytes_read'] / 2**20:8.1f}{one['rows_read']:12.0f}{one['rows_changed']:9.0f}"
            f"{_number(one['regret']):>8}{'' if one['correct'] else '  WRONG'}"
        )
    run, alone, idle = result["run"], result["alone"], result["idle"]
    lines.append(
        f"all together: {_number(run['recompute_seconds'])} s, {_number(run['refresh_seconds'])} s,"
        f" ratio {_number(run['ratio'])}"
    )
    lines.append(
        f"each alone: geometric mean {_number(alone['geometric_mean'])}, worst"
        f" {_number(alone['worst'])}"
    )
    lines.append(f"nothing changed: at most {_number(idle['seconds'])} s")
    if result["regret"]["within"] is not None:
        lines.append(
            f"chosen within 15 % of the best: {result['regret']['within']:.0%} of the views, worst"
            f" {_number(result['regret']['worst'])}"
        )
    return "\n".join(lines)


def _way(entry: Entry) -> str:
    return f"{entry['strategy']}, {entry['apply']}"


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _is_timed(one: Entry) -> bool:
    return one["idle_seconds"] is not None


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
