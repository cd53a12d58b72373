"""TPC-H: the 22 queries as views under a refresh stream, against recomputing them.

    python -m benchmarks.tpch [--scale 1] [--change 0.001] [--views q01,q05] [--rounds 3]
                              [--policy auto] [--store delta] [--regret] [--lake FOLDER]
                              [--json FILE]

The stream inserts new orders with their items, deletes the oldest, and updates prices of items,
statuses of orders, costs of parts and segments of customers: the given part of each table. A round
has two batches of it. After the first, each view is refreshed alone and pays for the changes that
it reads, and is recomputed: the plain query, written to a table of the same kind in the same
session. After the second, one refresh of all views shares the changes. The first round warms up and
does not count; medians of the others do. At the end each view is refreshed once more with nothing
changed, and all are verified.

With --regret, every candidate way to refresh is forced once, after a batch of its own, to see how
far the ways that were chosen are from the best.

A lake that is kept (--lake) is filled once, and a run in it that was stopped goes on where it was.
From scale 10 on, views are recomputed in one round only.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.measuring import (
    Entry,
    Journal,
    circumstances,
    folder_of,
    say,
    timed,
    write_json,
)
from benchmarks.tpch_data import change, load
from benchmarks.tpch_summary import Rounds, summary, table
from tests.roundtrip.benchmark_queries import load_benchmark
from tests.roundtrip.proved import proved

import rollview
from rollview.planning.overrides import APPLY, STRATEGY
from rollview.runtime.report import RefreshReport

LARGE = 10.0
# The candidates, as a session asks for them; what a view cannot do falls back to what it can.
WAYS = (
    ("counting", "merge"),
    ("counting", "rewrite"),
    ("key-scoped", "merge"),
    ("key-scoped", "rewrite"),
    ("recompute", "auto"),
)
PLAIN = {
    "delta": "plain_{view} USING delta",
    "iceberg": "iceberg.plain.{view} USING iceberg",
}


class Bench:
    """One lake with the tables and the views, and the journal of what was measured in it."""

    def __init__(
        self,
        db: rollview.Session,
        views: dict[str, str],
        journal: Journal,
        options: argparse.Namespace,
    ) -> None:
        self.db, self.views, self.journal, self.options = db, views, journal, options
        # A round of its own for each: the change of a round must not hit the same rows again.
        self.batches = 0
        once = options.scale >= LARGE
        self.rounds = Rounds(options.rounds, (1,) if once else tuple(range(1, options.rounds + 1)))

    def run(self) -> None:
        """All rounds; the first one, number 0, warms up."""
        for number in range(self.rounds.count + 1):
            self._batch()
            self._each(f"alone {number}", lambda view: described(self._refreshed(view)))
            say(f"round {number} of {self.rounds.count}: all views were refreshed alone")
            if number in self.rounds.recomputed or (number == 0 and self.options.scale < LARGE):
                self._each(f"recomputed {number}", self._recomputed)
            self._batch()
            self.journal.once(f"together {number}", self._together)
            say(f"round {number} of {self.rounds.count} is done")
        if self.options.regret:
            for way in WAYS:
                self._forced(*way)
        self._each("idle", lambda view: described(self._refreshed(view)))
        self._each("verified", lambda view: {"correct": self.db.verify(view).correct})

    def result(self) -> dict[str, Any]:
        """Medians over the rounds that count."""
        return summary(self.journal.entries, list(self.views), self.rounds)

    def _each(self, step: str, work: Any) -> None:
        for view in self.views:
            self.journal.once(f"{step} {view}", partial(work, view))

    def _batch(self) -> None:
        number = self.batches
        self.batches += 1

        def work() -> Entry:
            return {"seconds": timed(lambda: change(self.db, number, self.options.change))}

        self.journal.once(f"changes {number}", work)

    def _forced(self, strategy: str, way: str) -> None:
        """Every view by one way, after a batch for it."""
        self._batch()
        conf = self.db.spark.conf
        conf.set(STRATEGY, strategy)
        conf.set(APPLY, way)
        try:
            self._each(
                f"forced {strategy} {way}",
                lambda view: {"view": view, **described(self._refreshed(view))},
            )
        finally:
            conf.unset(STRATEGY)
            conf.unset(APPLY)
        say(f"all views were refreshed by {strategy}, {way}")

    def _refreshed(self, view: str) -> RefreshReport:
        report = self.db.refresh(view)
        assert isinstance(report, RefreshReport)
        return report

    def _recomputed(self, view: str) -> Entry:
        target = PLAIN[self.options.store].format(view=view)
        text = f"CREATE OR REPLACE TABLE {target} AS {self.views[view]}"
        return {"seconds": timed(lambda: self.db.spark.sql(text))}

    def _together(self) -> Entry:
        return {"seconds": timed(self.db.refresh)}


def described(report: RefreshReport) -> Entry:
    """What the journal keeps of a refresh."""
    return {
        "mode": report.mode,
        "strategy": report.strategy,
        "apply": report.apply,
        "seconds": report.seconds["total"],
        "expected": (report.costs or {}).get("expected"),
        "phases": report.seconds,
        "jobs": report.jobs,
        "bytes_read": report.bytes_read,
        "rows_read": report.rows_read,
        "rows_changed": sum(report.rows_changed.values()),
        "reason": report.reason,
    }


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Run the benchmark, or what is left of it."""
    queries = {query.name: query.text for query in load_benchmark("tpch")}
    wanted = options.views.split(",") if options.views else list(queries)
    unknown = [name for name in wanted if name not in queries]
    if unknown:
        raise SystemExit(f"there is no query {', '.join(unknown)}; there are: {', '.join(queries)}")
    views = {name: queries[name] for name in wanted}
    with folder_of(options.lake, "tpch") as folder, rollview.connect(folder) as db:
        load(db, options.scale)
        if options.store == "iceberg":
            db.spark.sql("CREATE NAMESPACE IF NOT EXISTS iceberg.plain")
        for name, text in views.items():
            store = None if options.store == "delta" else options.store
            db.create_view(name, text, policy=options.policy, store=store, if_not_exists=True)
            say(f"the view {name} is there")
        name = f"tpch-{options.change:g}-{options.policy}-{options.store}"
        journal = Journal(folder / f"{name}-{proved().digest[:8]}.jsonl")
        bench = Bench(db, views, journal, options)
        bench.run()
        result = bench.result()
    settings = {name: getattr(options, name) for name in ("scale", "change", "policy", "store")}
    return {**result, **settings, "rounds": options.rounds, **circumstances()}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--change", type=float, default=0.001)
    parser.add_argument("--views", help="names, separated by commas; all if not given")
    parser.add_argument("--rounds", type=int, default=3, help="that count")
    parser.add_argument("--policy", default="auto")
    parser.add_argument("--store", default="delta", choices=list(PLAIN))
    parser.add_argument("--regret", action="store_true", help="force every way once as well")
    parser.add_argument("--lake", type=Path, help="a folder to keep, for runs that go on")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    result = measure(options)
    print(table(result))
    write_json(options.json, result)


if __name__ == "__main__":
    main()
