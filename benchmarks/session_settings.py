"""Settings of the local session compared: refreshes of the demo's views under each.

    python -m benchmarks.session_settings [--rounds 5] [--scale 1] [--changes] [--only REGEX]
                                          [--json FILE]

Full refreshes, or with --changes those from changes, after a batch of changes for each.

All settings are measured in turn in one session, round by round, and reported as ratios to the
first; the first round warms up and does not count. Every view is verified at the end.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import tempfile
import time
from pathlib import Path

import rollview
from rollview.cli.demo_lake import VIEWS, DemoLake

KINDS = 3  # of batches that follow each other
CANDIDATES: dict[str, dict[str, str]] = {
    "as started": {},
    "adaptive on": {"spark.sql.adaptive.enabled": "true"},
    "1 partition": {"spark.sql.shuffle.partitions": "1"},
    "8 partitions": {"spark.sql.shuffle.partitions": "8"},
    "adaptive on, 1 partition": {
        "spark.sql.adaptive.enabled": "true",
        "spark.sql.shuffle.partitions": "1",
    },
    "no whole-stage code": {"spark.sql.codegen.wholeStage": "false"},
}


def main() -> None:
    """Measure, print the table, and write JSON if asked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.session_settings")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--changes", action="store_true", help="refresh from changes")
    parser.add_argument("--only", default="", help="a regular expression for settings")
    parser.add_argument("--json", help="write the measurements to this file")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="rollview-settings-") as folder,
        rollview.connect(folder) as db,
    ):
        lake = DemoLake(Path(folder), options.scale)
        lake.fill(db.spark)
        for name, view in VIEWS.items():
            db.create_view(name, view.query, policy="incremental")
        chosen = {n: s for n, s in CANDIDATES.items() if not s or re.search(options.only, n)}
        seconds = measure(db, options.rounds, chosen, lake if options.changes else None)
        wrong = [name for name in VIEWS if not db.verify(name).correct]
    if wrong:
        raise SystemExit(f"wrong after the measurement: {', '.join(wrong)}")
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    base = medians["as started"]
    print(f"{'settings':28}{'seconds':>9}{'ratio':>8}")
    for name, median in medians.items():
        print(f"{name:28}{median:9.2f}{median / base:8.2f}")
    if options.json:
        ratios = {name: round(median / base, 3) for name, median in medians.items()}
        Path(options.json).write_text(
            json.dumps({"benchmark": "session_settings", **ratios}) + "\n"
        )


def measure(
    db: rollview.Session,
    rounds: int,
    candidates: dict[str, dict[str, str]],
    changing: DemoLake | None,
) -> dict[str, list[float]]:
    """Seconds to refresh all views, per candidate, without the first round."""
    seconds: dict[str, list[float]] = {name: [] for name in candidates}
    for number in range(rounds + 1):
        for name, settings in candidates.items():
            before = {key: db.spark.conf.get(key) for key in settings}
            for key, value in settings.items():
                db.spark.conf.set(key, value)
            spent = sum(refreshed(db, changing) for _ in range(1 if changing is None else KINDS))
            if number:
                seconds[name].append(spent)
            for key, old in before.items():
                db.spark.conf.set(key, str(old))
    return seconds


def refreshed(db: rollview.Session, changing: DemoLake | None) -> float:
    """The seconds of one refresh, in full or after the next batch of changes."""
    if changing is not None:
        changing.next_batch(db.spark)
    started = time.perf_counter()
    db.refresh(full=changing is None)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
