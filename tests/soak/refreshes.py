"""Hundreds of refreshes of one lake: every view stays right, and nothing grows but the history.

    python -m tests.soak.refreshes --refreshes 200 --seed 1 --lake refreshed

Each round changes the base tables at random and refreshes all views; every tenth compares them with
recomputation. What lies in the lake is counted after every round (`growth`).
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import rollview
from rollview import Session
from rollview.storage.iceberg_table import table_now
from tests.soak import shop
from tests.soak.growth import Census, Round, growing
from tests.soak.scratch import left_behind

TABLES = (
    *shop.TABLES,
    "CREATE TABLE events USING delta AS SELECT CAST(id AS INT) AS id, "
    "CAST(id % 5 AS INT) AS kind FROM range(20)",
)
VIEWS = {
    **{view.name: view.query for view in shop.VIEWS},
    # Rows only come to this one.
    "noted": "SELECT id, kind FROM events WHERE id % 4 > 0",
    "everyone": "SELECT c.id, c.region, o.id AS bought, o.amount FROM customers c "
    "LEFT JOIN orders o ON o.customer = c.id AND o.amount > 90",
    "both_sides": "SELECT c.id, r.id AS refund, r.kind FROM customers c "
    "FULL JOIN refunds r ON r.customer = c.id AND r.amount > 50",
    "content": "SELECT id, region FROM customers c WHERE NOT EXISTS "
    "(SELECT 1 FROM refunds r WHERE r.customer = c.id)",
    "ranked": "SELECT id, customer, rank() OVER (PARTITION BY customer ORDER BY amount DESC) "
    "AS place FROM orders",
    "largest": "SELECT id, customer, amount FROM orders ORDER BY amount DESC, id, customer LIMIT 9",
    "alike": "SELECT orders % 10 AS digit, count(*) AS regions FROM busy GROUP BY orders % 10",
}
# A join, an aggregate of it, and appends: what a minute is enough for.
FEW = ("placed", "busy", "noted")
EVERY = 10  # rounds between two comparisons of all views; one of them is compared in each


class Run:
    """One series of refreshes in one lake."""

    def __init__(
        self, db: Session, seed: int, tell: Callable[[str], None], views: Sequence[str] = (*VIEWS,)
    ) -> None:
        self.seed = seed
        self.rounds: list[Round] = []
        self.problems: list[str] = []
        self.recomputed: list[str] = []
        self._db = db
        self._tell = tell
        self._views = views
        self._census = Census(Path(db._lake.root), self._files_of)

    def set_up(self) -> None:
        """Make the tables and the views, if the lake is a new one."""
        if self._db.views():
            return
        for statement in TABLES:
            self._db.spark.sql(statement)
        for name in self._views:
            self._db.create_view(name, VIEWS[name], policy="incremental")

    def run(self, refreshes: int, every: int = EVERY) -> None:
        """Change and refresh so many times; ends early at the first wrong view."""
        self.set_up()
        for number in range(1, refreshes + 1):
            for statement in changes(Random(f"{self.seed} round {number}")):
                self._db.sql(statement)
            self.rounds.append(self._round(number))
            if number % every == 0 or number == refreshes:
                self.problems += self._wrong(self._views)
            else:
                self.problems += self._wrong([self._views[number % len(self._views)]])
            if number % every == 0 or number == refreshes or self.problems:
                self._tell(line(self.rounds[-1], self.problems))
            if self.problems:
                self.problems.insert(0, f"seed {self.seed}, round {number}")
                return

    def _round(self, number: int) -> Round:
        started = time.monotonic()
        reports = self._db.refresh()
        seconds = round(time.monotonic() - started, 2)
        assert isinstance(reports, list)
        self.problems += [f"{r.view}: {r.mode}: {r.reason}" for r in reports if r.error is not None]
        self.recomputed += [f"{number}: {r.view}: {r.reason}" for r in reports if r.mode == "full"]
        modes = Counter(str(report.mode) for report in reports)
        return Round(number, seconds, dict(modes), self._census.count())

    def _files_of(self, view_id: str) -> tuple[set[str], set[str], list[Path]]:
        """The files of a backing table in Iceberg: live, named by a snapshot, and all."""
        spark, name = self._db.spark, f"{self._db._lake.store}.v_{view_id}"
        live, named = (
            {
                row[0].rpartition("/")[2]
                for row in spark.table(f"{name}.{of}").select("file_path").collect()
            }
            for of in ("files", "all_data_files")
        )
        folder = Path(str(table_now(spark, name).location()).removeprefix("file:"))
        return live, named, [path for path in folder.rglob("*") if path.is_file()]

    def _wrong(self, views: Sequence[str]) -> list[str]:
        reports = [self._db.verify(name) for name in views]
        return [
            f"{r.view}: verify misses {r.missing}, has {r.unexpected} too many"
            for r in reports
            if not r.correct
        ]


def changes(random: Random) -> list[str]:
    """A batch of changes, always with new events; now and then somebody compacts a table."""
    events = ", ".join(f"({random.randrange(1000) * 4 + 1}, {n})" for n in range(5))
    statements = shop.batch(random, random.randint(1, 3))
    statements.append(f"INSERT INTO events VALUES {events}")
    if random.random() < 0.15:
        statements.append(f"OPTIMIZE {random.choice(('orders', 'customers', 'refunds', 'events'))}")
    return statements


def line(last: Round, problems: Sequence[str]) -> str:
    """How far a run has come."""
    counts = last.counts
    modes = ", ".join(f"{count} {mode}" for mode, count in sorted(last.modes.items()))
    return (
        f"{last.number:4}  {last.seconds:6.2f} s, {modes}, {sum(counts.live.values())} live files, "
        f"{sum(counts.segments.values())} segments, {counts.control} control files, "
        f"{counts.unnamed} unnamed, {counts.kept} kept, {'WRONG' if problems else 'right'}"
    )


def summary(run: Run) -> str:
    """Every quarter of a run in a line, and what is wrong."""
    rows = [f"{'rounds':>10}{'median':>9}{'live':>6}{'segments':>10}{'control':>9}{'kept':>7}"]
    size = max(1, len(run.rounds) // 4)
    for start in range(0, len(run.rounds), size):
        some = run.rounds[start : start + size]
        most = [
            max(sum(r.counts.live.values()) for r in some),
            max(sum(r.counts.segments.values()) for r in some),
            max(r.counts.control for r in some),
            max(r.counts.kept for r in some),
        ]
        name = f"{some[0].number}-{some[-1].number}"
        live, segments, control, kept = most
        seconds = median(r.seconds for r in some)
        rows.append(f"{name:>10}{seconds:7.2f} s{live:6}{segments:10}{control:9}{kept:7}")
    rows.append(f"{len(run.recomputed)} refreshes of a view recomputed it as a whole")
    return "\n".join([*rows, *run.recomputed, *run.problems, "WRONG" if run.problems else "right"])


def as_json(run: Run) -> dict[str, Any]:
    """The run as plain data."""
    return {
        "seed": run.seed,
        "rounds": [asdict(r) for r in run.rounds],
        "recomputed": run.recomputed,
        "problems": run.problems,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--refreshes", type=int, default=200)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--lake", type=Path, help="a folder; a temporary one if not given")
    parser.add_argument("--store", help="where views are stored; where they are by default")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    tell = (lambda text: print(text, file=sys.stderr)) if given.json else print
    with tempfile.TemporaryDirectory() as temporary:
        lake = (given.lake or Path(temporary, "lake")).resolve()
        lake.mkdir(parents=True, exist_ok=True)
        tell(f"seed {given.seed}, lake {lake}")
        with rollview.connect(lake, store=given.store) as db:
            run = Run(db, given.seed, lambda text: tell(text))
            run.run(given.refreshes)
        if not run.problems:
            run.problems += growing(run.rounds, settled=given.refreshes >= 80)
            run.problems += left_behind(lake)
    print(json.dumps(as_json(run)) if given.json else summary(run))
    return 1 if run.problems else 0


if __name__ == "__main__":
    sys.exit(main())
