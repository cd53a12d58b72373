"""TPC-H: the 22 queries as views under a refresh stream, against recomputing them.

    python -m benchmarks.tpch [--scale 0.1] [--change 0.001] [--views q01,q05] [--rounds 2]
                              [--policy auto] [--json FILE]

A stream inserts new orders with their items, deletes the oldest, and updates costs of parts,
statuses of orders and segments of customers: the given part of each table. Rounds alternate: in
one, each view is refreshed alone and pays for the changes it reads; in the next, one refresh of all
views shares them. Recomputation is the plain query, written to a Delta table in the same session.
Everything is warm: the first round of each kind does not count. All views are verified at the end.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from tests.roundtrip.benchmark_queries import export, load_benchmark
from tests.roundtrip.proved import proved

import rollview
from rollview.runtime.report import Mode


class Bench:
    """One lake with the tables and the views, and what was measured in it."""

    def __init__(self, db: rollview.Session, views: dict[str, str], options: argparse.Namespace):
        self.db, self.views = db, views
        self.part = options.change
        self.orders = db.spark.table("orders").count()
        self.newest = int(db.spark.sql("SELECT max(o_orderkey) FROM orders").collect()[0][0])
        self.recompute: dict[str, list[float]] = defaultdict(list)
        self.alone: dict[str, list[rollview.RefreshReport]] = defaultdict(list)
        self.together: list[tuple[float, float]] = []
        for name, text in views.items():
            db.create_view(name, text, policy=options.policy)

    def change(self, number: int) -> None:
        """Round ``number`` of the stream."""
        run = self.db.spark.sql
        few = max(1, int(self.orders * self.part))
        # Keys are sparse, 8 of 32 in use; copies get keys above all others.
        oldest = run(
            f"SELECT max(o_orderkey) FROM (SELECT o_orderkey FROM orders ORDER BY 1 LIMIT {few})"
        ).collect()[0][0]
        shift = self.newest * (number + 1)
        for table, key in (("orders", "o_orderkey"), ("lineitem", "l_orderkey")):
            columns = self.db.spark.table(table).columns
            shown = ", ".join(f"{key} + {shift}" if c == key else c for c in columns)
            run(f"INSERT INTO {table} SELECT {shown} FROM {table} WHERE {key} <= {oldest}")
            run(f"DELETE FROM {table} WHERE {key} <= {oldest}")
        slots = max(1, round(1 / self.part))
        run(
            "UPDATE partsupp SET ps_supplycost = ps_supplycost + 1 "
            f"WHERE ps_partkey % {slots} = {number % slots}"
        )
        run(
            "UPDATE orders SET o_orderstatus = IF(o_orderstatus = 'F', 'O', 'F') "
            f"WHERE o_orderkey % {slots * 32} = {number % 8 + 1}"
        )
        run(
            "UPDATE customer SET c_mktsegment = IF(c_mktsegment = 'BUILDING', 'MACHINERY', "
            f"'BUILDING') WHERE c_custkey % {slots} = {number % slots}"
        )

    def recomputed(self, keep: bool) -> float:
        """The time to recompute all views, one after the other."""
        total = 0.0
        for name, text in self.views.items():
            statement = f"CREATE OR REPLACE TABLE plain_{name} USING delta AS {text}"
            seconds = self._timed(lambda statement=statement: self.db.spark.sql(statement))
            total += seconds
            if keep:
                self.recompute[name].append(seconds)
        return total

    def each_alone(self, keep: bool) -> None:
        """Refresh the views one by one."""
        for name in self.views:
            report = self.db.refresh(name)
            if keep:
                self.alone[name].append(report)

    def all_together(self, keep: bool) -> None:
        """Refresh all views at once, and recompute them."""
        seconds = self._timed(lambda: self.db.refresh())
        whole = self.recomputed(keep)
        if keep:
            self.together.append((whole, seconds))

    def result(self) -> dict[str, object]:
        """Medians, with what is wrong."""
        found = []
        for name in self.views:
            reports = self.alone[name]
            changed = [r for r in reports if r.mode is not Mode.NOOP]
            found.append(
                {
                    "view": name,
                    "affected": bool(changed),
                    "mode": str(reports[-1].mode),
                    "recompute_seconds": statistics.median(self.recompute[name]),
                    "refresh_seconds": statistics.median(r.seconds["total"] for r in reports),
                    "phases": reports[-1].seconds,
                    "jobs": statistics.median(r.jobs or 0 for r in reports),
                    "bytes_read": statistics.median(r.bytes_read or 0 for r in reports),
                    "rows_changed": sum(reports[-1].rows_changed.values()),
                    "correct": self.db.verify(name).correct,
                }
            )
        whole, seconds = (statistics.median(column) for column in zip(*self.together, strict=True))
        return {"views": found, "run": {"recompute_seconds": whole, "refresh_seconds": seconds}}

    @staticmethod
    def _timed(work: Callable[[], object]) -> float:
        started = time.monotonic()
        work()
        return time.monotonic() - started


def load(db: rollview.Session, scale: float) -> None:
    """The tables of TPC-H, by their keys, as Delta tables of the lake."""
    with tempfile.TemporaryDirectory() as folder:
        export("tpch", scale, Path(folder, "tables"))
        for path in Path(folder, "tables").iterdir():
            db.spark.read.parquet(str(path)).write.format("delta").saveAsTable(path.stem)


def table(result: dict[str, list[dict[str, object]]]) -> str:
    """The result for people to read."""
    lines = [
        f"{'view':6}{'mode':13}{'recompute':>10}{'refresh':>9}{'ratio':>7}{'jobs':>6}{'MB':>8}"
    ]
    ratios = []
    for one in result["views"]:
        whole, refresh = float(one["recompute_seconds"]), float(one["refresh_seconds"])
        if one["affected"]:
            ratios.append(whole / refresh)
        lines.append(
            f"{one['view']:6}{one['mode']:13}{whole:8.2f} s{refresh:7.2f} s{whole / refresh:7.2f}"
            f"{one['jobs']:6.0f}{float(one['bytes_read']) / 2**20:8.1f}"
            f"{'' if one['correct'] else '  WRONG'}"
        )
    run = result["run"]
    whole, refresh = run["recompute_seconds"], run["refresh_seconds"]
    mean = math.exp(statistics.mean(math.log(ratio) for ratio in ratios)) if ratios else 0.0
    lines.append(f"all together: {whole:.1f} s, {refresh:.1f} s, ratio {whole / refresh:.2f}")
    lines.append(f"each alone: geometric mean of {len(ratios)} affected views {mean:.2f}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--scale", type=float, default=0.1)
    parser.add_argument("--change", type=float, default=0.001)
    parser.add_argument("--views", help="names, separated by commas; all if not given")
    parser.add_argument("--rounds", type=int, default=2, help="that count, of each kind")
    parser.add_argument("--policy", default="auto")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    wanted = options.views.split(",") if options.views else None
    queries = {query.name: query.text for query in load_benchmark("tpch")}
    views = {name: queries[name] for name in wanted or queries}
    with tempfile.TemporaryDirectory() as folder, rollview.connect(Path(folder)) as db:
        load(db, options.scale)
        bench = Bench(db, views, options)
        for number in range(2 * (options.rounds + 1)):
            keep = number >= 2
            bench.change(number)
            bench.each_alone(keep) if number % 2 == 0 else bench.all_together(keep)
            print(f"round {number + 1} of {2 * (options.rounds + 1)}", flush=True)
        result = bench.result()
    settings = {"scale": options.scale, "change": options.change, "policy": options.policy}
    print(table(result))
    if options.json is not None:
        options.json.write_text(json.dumps({**result, "settings": settings, "of": str(proved())}))


if __name__ == "__main__":
    main()
