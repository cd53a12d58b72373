"""TPC-H: the 22 queries as views under a refresh stream, against recomputing them.

    python -m benchmarks.tpch [--scale 1] [--change 0.001] [--views q01,q05] [--rounds 3]
                              [--policy auto] [--lake FOLDER] [--json FILE]

The stream inserts new orders with their items, deletes the oldest, and updates prices of items,
statuses of orders, costs of parts and segments of customers: the given part of each table. A round
has two batches of it. After the first, each view is refreshed alone and pays for the changes that
it reads, and is recomputed: the plain query, written to a Delta table in the same session. After
the second, one refresh of all views shares the changes. The first round warms up and does not
count; medians of the others do. All views are verified at the end.

A lake that is kept (--lake) is filled once, and a run in it that was stopped goes on where it was.
From scale 10 on, views are recomputed in one round only.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.roundtrip.benchmark_queries import load_benchmark
from tests.roundtrip.proved import proved

import rollview
from rollview.runtime.report import Mode

LARGE = 10.0
TABLES = ("region", "nation", "supplier", "part", "partsupp", "customer", "orders", "lineitem")
Entry = dict[str, Any]


class Journal:
    """What was measured, one line of JSON each, in a file that outlives a stopped run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = path.read_text().splitlines() if path.exists() else []
        self.entries: dict[str, Entry] = {e["step"]: e for e in map(json.loads, lines)}

    def once(self, step: str, work: Callable[[], Entry]) -> Entry:
        """The entry of a step, which is taken now unless it was before."""
        if step not in self.entries:
            entry = {"step": step, **work()}
            with self.path.open("a") as file:
                file.write(json.dumps(entry) + "\n")
            self.entries[step] = entry
        return self.entries[step]


class Bench:
    """One lake with the tables and the views, and the journal of what was measured in it."""

    def __init__(
        self,
        db: rollview.Session,
        views: dict[str, str],
        journal: Journal,
        options: argparse.Namespace,
    ) -> None:
        self.db, self.views, self.journal = db, views, journal
        self.part, self.rounds = options.change, options.rounds
        self.recomputed_in = [1] if options.scale >= LARGE else list(range(options.rounds + 1))

    def run(self) -> None:
        """All rounds; the first one, number 0, warms up."""
        for number in range(self.rounds + 1):
            self._batch(2 * number)
            for view in self.views:
                self.journal.once(f"alone {number} {view}", lambda view=view: self._alone(view))
            _say(f"round {number} of {self.rounds}: all views were refreshed alone")
            if number in self.recomputed_in or number == 0:
                for view in self.views:
                    self.journal.once(
                        f"recomputed {number} {view}", lambda view=view: self._recomputed(view)
                    )
            self._batch(2 * number + 1)
            self.journal.once(f"together {number}", self._together)
            _say(f"round {number} of {self.rounds} is done")
        for view in self.views:
            self.journal.once(f"verified {view}", lambda view=view: self._verified(view))

    def result(self) -> dict[str, Any]:
        """Medians over the rounds that count."""
        found = [self._of(view) for view in self.views]
        numbers = range(1, self.rounds + 1)
        together = [self.journal.entries[f"together {number}"]["seconds"] for number in numbers]
        affected = [one for one in found if one["affected"]]
        run = {
            "recompute_seconds": round(sum(one["recompute_seconds"] for one in affected), 3),
            "refresh_seconds": statistics.median(together),
        }
        return {"views": found, "run": run}

    def _of(self, view: str) -> Entry:
        entries = self.journal.entries
        alone = [entries[f"alone {number} {view}"] for number in range(1, self.rounds + 1)]
        whole = [e for n in self.recomputed_in if n and (e := entries[f"recomputed {n} {view}"])]
        changed = [one for one in alone if one["mode"] != Mode.NOOP]

        def median(name: str) -> float:
            return statistics.median(one[name] for one in changed or alone)

        return {
            "view": view,
            "affected": bool(changed),
            "mode": (changed or alone)[-1]["mode"],
            "recompute_seconds": statistics.median(one["seconds"] for one in whole),
            "refresh_seconds": median("seconds"),
            "phases": (changed or alone)[-1]["phases"],
            "jobs": median("jobs"),
            "bytes_read": median("bytes_read"),
            "rows_changed": median("rows_changed"),
            "correct": entries[f"verified {view}"]["correct"],
        }

    def _batch(self, number: int) -> None:
        self.journal.once(f"changes {number}", lambda: self._timed(lambda: self._change(number)))

    def _change(self, number: int) -> None:
        """Keys of orders are sparse, 8 of 32 in use; new ones lie above all others."""
        run = self.db.spark.sql
        few = max(1, int(int(run("SELECT count(*) FROM orders").collect()[0][0]) * self.part))
        [(oldest, newest)] = run(
            "SELECT max(k), (SELECT max(o_orderkey) FROM orders) FROM "
            f"(SELECT o_orderkey AS k FROM orders ORDER BY 1 LIMIT {few})"
        ).collect()
        for table, key in (("orders", "o_orderkey"), ("lineitem", "l_orderkey")):
            columns = self.db.spark.table(table).columns
            shown = ", ".join(f"{key} + {newest}" if c == key else c for c in columns)
            run(f"INSERT INTO {table} SELECT {shown} FROM {table} WHERE {key} <= {oldest}")
            run(f"DELETE FROM {table} WHERE {key} <= {oldest}")
        slots = max(1, round(1 / self.part))
        turn = number % slots
        updates = (
            ("lineitem", "l_extendedprice = l_extendedprice + 1", "l_orderkey DIV 32", turn),
            ("orders", "o_orderstatus = IF(o_orderstatus = 'F', 'O', 'F')", "o_orderkey DIV 32", 0),
            ("partsupp", "ps_supplycost = ps_supplycost + 1", "ps_partkey", turn),
            (
                "customer",
                "c_mktsegment = IF(c_mktsegment = 'BUILDING', 'MACHINERY', 'BUILDING')",
                "c_custkey",
                turn,
            ),
        )
        for table, change, key, slot in updates:
            run(f"UPDATE {table} SET {change} WHERE ({key}) % {slots} = {slot}")

    def _alone(self, view: str) -> Entry:
        report = self.db.refresh(view)
        return {
            "mode": report.mode,
            "seconds": report.seconds["total"],
            "phases": report.seconds,
            "jobs": report.jobs or 0,
            "bytes_read": report.bytes_read or 0,
            "rows_changed": sum(report.rows_changed.values()),
            "reason": report.reason,
        }

    def _recomputed(self, view: str) -> Entry:
        text = f"CREATE OR REPLACE TABLE plain_{view} USING delta AS {self.views[view]}"
        return self._timed(lambda: self.db.spark.sql(text))

    def _together(self) -> Entry:
        return self._timed(self.db.refresh)

    def _verified(self, view: str) -> Entry:
        return {"correct": self.db.verify(view).correct}

    @staticmethod
    def _timed(work: Callable[[], object]) -> Entry:
        started = time.monotonic()
        work()
        return {"seconds": round(time.monotonic() - started, 3)}


def load(db: rollview.Session, scale: float) -> None:
    """The tables of TPC-H, in the order of their keys, as Delta tables of the lake."""
    there = {table.name for table in db.spark.catalog.listTables()}
    if not set(TABLES) - there:
        return
    program = Path(sysconfig.get_path("scripts"), "tpchgen-cli")
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "parquet", "-s", f"{scale:g}", "--output-dir", folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for table in TABLES:
            rows = db.spark.read.parquet(f"{folder}/{table}.parquet")
            # The feed lets a refresh read the rows that an UPDATE changed, not whole files.
            feed = {"delta.enableChangeDataFeed": "true"}
            rows.write.format("delta").options(**feed).mode("overwrite").saveAsTable(table)


def table(result: dict[str, Any]) -> str:
    """The result for people to read."""
    lines = [
        f"{'view':6}{'mode':13}{'recompute':>10}{'refresh':>9}{'ratio':>7}{'jobs':>6}{'MB':>8}"
        f"{'changed':>9}"
    ]
    ratios = []
    for one in result["views"]:
        whole, refresh = one["recompute_seconds"], one["refresh_seconds"]
        if one["affected"]:
            ratios.append(whole / refresh)
        lines.append(
            f"{one['view']:6}{one['mode']:13}{whole:8.2f} s{refresh:7.2f} s{whole / refresh:7.2f}"
            f"{one['jobs']:6.0f}{one['bytes_read'] / 2**20:8.1f}{one['rows_changed']:9.0f}"
            f"{'' if one['correct'] else '  WRONG'}"
        )
    run = result["run"]
    whole, refresh = run["recompute_seconds"], run["refresh_seconds"]
    lines.append(f"all together: {whole:.1f} s, {refresh:.1f} s, ratio {whole / refresh:.2f}")
    if ratios:
        mean = math.exp(statistics.mean(math.log(ratio) for ratio in ratios))
        lines.append(f"each alone: geometric mean of {len(ratios)} affected views {mean:.2f}")
    return "\n".join(lines)


@contextmanager
def lake_of(folder: Path | None) -> Iterator[Path]:
    """The lake to work in: the given one, which stays, or one that goes."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
        return
    made = Path(tempfile.mkdtemp(prefix="rollview-tpch-"))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Run the benchmark, or what is left of it."""
    queries = {query.name: query.text for query in load_benchmark("tpch")}
    wanted = options.views.split(",") if options.views else list(queries)
    unknown = [name for name in wanted if name not in queries]
    if unknown:
        raise SystemExit(f"there is no query {', '.join(unknown)}; there are: {', '.join(queries)}")
    views = {name: queries[name] for name in wanted}
    with lake_of(options.lake) as folder, rollview.connect(folder) as db:
        load(db, options.scale)
        for name, text in views.items():
            db.create_view(name, text, policy=options.policy, if_not_exists=True)
            _say(f"the view {name} is there")
        name = f"tpch-{options.change:g}-{options.policy}-{proved().digest[:8]}.jsonl"
        journal = Journal(folder / name)
        bench = Bench(db, views, journal, options)
        bench.run()
        result = bench.result()
    settings = {"scale": options.scale, "change": options.change, "policy": options.policy}
    return {**result, **settings, "rounds": options.rounds, "sources": str(proved())}


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--change", type=float, default=0.001)
    parser.add_argument("--views", help="names, separated by commas; all if not given")
    parser.add_argument("--rounds", type=int, default=3, help="that count")
    parser.add_argument("--policy", default="auto")
    parser.add_argument("--lake", type=Path, help="a folder to keep, for runs that go on")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    result = measure(options)
    print(table(result))
    if options.json is not None:
        options.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
