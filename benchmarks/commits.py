"""Ways to commit a change of a view's rows compared: append, MERGE, rewrite, replace.

    python -m benchmarks.commits [--rows 100000] [--files 4] [--changed 1500] [--json FILE]

Half of the changed rows go and half come; an append only adds rows. Every way has a backing table
of its own, all are measured in turn, round by round, after two rounds that warm up, and reported as
ratios to replacing all rows. Every table is compared with what it should hold at the end.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from rollview.runtime.compare import compare
from rollview.runtime.local_spark import start
from rollview.storage.delta_backing import DeltaBacking

COLUMNS = (
    "id",
    "id % 100 AS a_group",
    "concat('name ', id) AS name",
    "CAST(id * 1.5 AS DECIMAL(18, 2)) AS amount",
    "id * 0.1D AS ratio",
)
WARM_UP = 2


class Bench:
    """Backing tables of equal rows, one per way, and the changes of each round."""

    def __init__(self, spark: SparkSession, folder: Path, options: argparse.Namespace) -> None:
        self.spark = spark
        self.rows, self.half = options.rows, options.changed // 2
        columns = self.table(0, 1).schema
        self.backings: dict[str, DeltaBacking] = {}
        for way in ("replace", "rewrite", "merge", "append"):
            backing = DeltaBacking(spark, f"file:{folder}/{way}", way, columns)
            backing.create()
            backing.replace(self.table(0, self.rows).repartition(options.files), 1, "{}")
            self.backings[way] = backing

    def table(self, low: int, high: int) -> DataFrame:
        return self.spark.range(low, high).selectExpr(*COLUMNS)

    def apply(self, way: str, number: int) -> None:
        """Round ``number``: the rows move on by half of the changed ones."""
        gone, come = number * self.half, self.rows + number * self.half
        backing = self.backings[way]
        match way:
            case "replace":
                rows = self.table(gone + self.half, come + self.half)
                backing.replace(rows, number + 2, "{}")
            case "append":
                backing.append(self.table(come, come + self.half), number + 2, "{}")
            case _:
                old = self.table(gone, gone + self.half).selectExpr("*", "-1L")
                new = self.table(come, come + self.half).selectExpr("*", "1L")
                getattr(backing, way)(old.unionAll(new), number + 2, "{}")

    def wrong(self, rounds: int) -> list[str]:
        end = self.rows + rounds * self.half
        moved, grown = self.table(rounds * self.half, end), self.table(0, end)
        return [
            way
            for way, backing in self.backings.items()
            if compare(backing.read(), grown if way == "append" else moved)
        ]


def measured(spark: SparkSession, group: str, action: Callable[[], None]) -> tuple[float, int]:
    """Seconds and Spark jobs of an action."""
    spark.sparkContext.setJobGroup(group, group)
    started = time.perf_counter()
    action()
    seconds = time.perf_counter() - started
    return seconds, len(spark.sparkContext.statusTracker().getJobIdsForGroup(group))


def main() -> None:
    """Measure, print the table, and write JSON if asked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.commits")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--files", type=int, default=4)
    parser.add_argument("--changed", type=int, default=1_500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", help="write the measurements to this file")
    options = parser.parse_args()
    found: dict[str, list[tuple[float, int]]] = {}
    with tempfile.TemporaryDirectory(prefix="rollview-commits-") as folder:
        spark = start(Path(folder))
        bench = Bench(spark, Path(folder), options)
        for number in range(WARM_UP + options.rounds):
            for way in bench.backings:
                group = f"{way} {number}"
                outcome = measured(spark, group, lambda w=way, n=number: bench.apply(w, n))
                if number >= WARM_UP:
                    found.setdefault(way, []).append(outcome)
        wrong = bench.wrong(WARM_UP + options.rounds)
        spark.stop()
    if wrong:
        raise SystemExit(f"wrong after the measurement: {', '.join(wrong)}")
    medians = {way: statistics.median(s for s, _ in times) for way, times in found.items()}
    print(f"{'way':10}{'seconds':>9}{'ratio':>8}{'jobs':>6}")
    for way, median in medians.items():
        print(f"{way:10}{median:9.2f}{median / medians['replace']:8.2f}{found[way][-1][1]:6}")
    if options.json:
        ratios = {way: round(median / medians["replace"], 3) for way, median in medians.items()}
        settings = {"rows": options.rows, "files": options.files, "changed": options.changed}
        text = json.dumps({"benchmark": "commits", **settings, **ratios}) + "\n"
        Path(options.json).write_text(text)


if __name__ == "__main__":
    main()
