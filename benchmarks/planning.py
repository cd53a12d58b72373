"""Time to plan a query, definition and rendering, over TPC-H and TPC-DS.

    python -m benchmarks.planning [--rounds 3] [--json FILE] [--only REGEX]

Every query is planned once to warm up and then in rounds; the median round counts. Each result is
checked: the query must be understood, and its rendered text must be one that Spark can analyze to
the same columns.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession
from tests.corpus.loader import Query
from tests.roundtrip.benchmark_queries import create_benchmark_tables, load_benchmark

from rollview.frontend.define import define
from rollview.runtime.local_spark import start
from rollview.sql.render import render

BENCHMARKS = ("tpch", "tpcds")


@dataclass(frozen=True)
class Timing:
    """Seconds of the median round for one query; ``analyze`` is Spark alone, for comparison."""

    query: str
    analyze: float
    define: float
    render: float

    @property
    def plan(self) -> float:
        return self.define + self.render


def main() -> None:
    """Measure, print the table, and write JSON if asked."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="rollview-planning-") as folder:
        spark = start(Path(folder))
        try:
            results = {name: _measure(spark, name, options) for name in BENCHMARKS}
        finally:
            spark.stop()
    _print_table(results)
    if options.json:
        Path(options.json).write_text(json.dumps(_report(results, options), indent=2) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.planning")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", help="write the measurements to this file")
    parser.add_argument("--only", default="", help="a regular expression for queries to plan")
    return parser.parse_args()


def _measure(spark: SparkSession, name: str, options: argparse.Namespace) -> list[Timing]:
    create_benchmark_tables(spark, name)
    spark.sql(f"USE {name}")
    queries = [query for query in load_benchmark(name) if re.search(options.only, query.id)]
    for query in queries:
        _check(spark, query)
    rounds = [[_time(spark, query) for query in queries] for _ in range(options.rounds)]
    return [_middle(timings) for timings in zip(*rounds, strict=True)]


def _middle(timings: tuple[Timing, ...]) -> Timing:
    return sorted(timings, key=lambda timing: timing.plan)[len(timings) // 2]


def _check(spark: SparkSession, query: Query) -> None:
    definition = define(spark, query.text, managed={})
    if definition.relation is None:
        raise SystemExit(f"{query.id} is not understood: {definition.reasons}")
    leaves = {source.id: source.name for source in definition.sources}
    columns = spark.sql(render(definition.relation, leaves)).columns
    if columns != [column.name for column in definition.columns]:
        raise SystemExit(f"{query.id} is rendered with other columns: {columns}")


def _time(spark: SparkSession, query: Query) -> Timing:
    started = time.perf_counter()
    spark.sql(query.text)
    analyzed = time.perf_counter()
    definition = define(spark, query.text, managed={})
    defined = time.perf_counter()
    assert definition.relation is not None
    render(definition.relation, {source.id: source.name for source in definition.sources})
    rendered = time.perf_counter()
    return Timing(query.id, analyzed - started, defined - analyzed, rendered - defined)


def _print_table(results: dict[str, list[Timing]]) -> None:
    print(f"{'':8}{'queries':>8}{'median':>9}{'p90':>9}{'max':>9}   slowest")
    everything = [timing for timings in results.values() for timing in timings]
    for name, timings in {**results, "all": everything}.items():
        if timings:
            numbers = _summary(timings)
            slowest = max(timings, key=lambda timing: timing.plan)
            cells = "".join(f"{numbers[key]:8.3f}s" for key in ("median", "p90", "max"))
            print(f"{name:8}{len(timings):8}{cells}   {slowest.query}")
    ratio = statistics.median(timing.plan / timing.analyze for timing in everything)
    print(f"a definition takes {ratio:.1f} times as long as Spark's analysis alone (median)")


def _summary(timings: list[Timing]) -> dict[str, float]:
    seconds = sorted(timing.plan for timing in timings)
    return {
        "median": statistics.median(seconds),
        "p90": seconds[int(0.9 * (len(seconds) - 1))],
        "max": seconds[-1],
    }


def _report(results: dict[str, list[Timing]], options: argparse.Namespace) -> dict[str, object]:
    git = ["git", "rev-parse", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()
    return {
        "benchmark": "planning",
        "commit": commit,
        "settings": {
            "rounds": options.rounds,
            "only": options.only,
            "cores": os.cpu_count(),
            "spark": pyspark.__version__,
        },
        "seconds": {name: _summary(timings) for name, timings in results.items() if timings},
        "queries": {
            timing.query: {
                "analyze": round(timing.analyze, 4),
                "define": round(timing.define, 4),
                "render": round(timing.render, 4),
            }
            for timings in results.values()
            for timing in timings
        },
    }


if __name__ == "__main__":
    main()
