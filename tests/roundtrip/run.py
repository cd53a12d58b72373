"""Runs the round trip over chosen queries in one Spark process and prints what fails.

python -m tests.roundtrip.run                       everything
python -m tests.roundtrip.run --corpus --only window
python -m tests.roundtrip.run --tpch --only q15 --sql
python -m tests.roundtrip.run --plain               only check that Spark runs the queries
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from pathlib import Path

from pyspark.sql import SparkSession

from rollview.testing import rows_of
from tests.roundtrip.cases import GROUPS, create_group_tables, load_cases
from tests.roundtrip.check import Case, Outcome, check
from tests.roundtrip.session import open_session


def main() -> int:
    """Run, print, and answer with the exit code."""
    options = _options()
    groups = {group for group in GROUPS if getattr(options, group)} or set(GROUPS)
    cases = [case for group in GROUPS if group in groups for case in load_cases(group)]
    cases = [case for case in cases if re.search(options.only, case.id)]
    groups = {group for group in groups if any(_belongs(case, group) for case in cases)}
    with tempfile.TemporaryDirectory(prefix="rollview-roundtrip-") as folder:
        spark = open_session(Path(folder))
        try:
            create_group_tables(spark, groups)
            outcomes = [_run(spark, case, options) for case in cases]
        finally:
            spark.stop()
    _print_summary(outcomes)
    return 1 if any(outcome.failures for outcome in outcomes) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.roundtrip.run")
    parser.add_argument("--only", default="", help="a regular expression for ids to run")
    for group in GROUPS:
        parser.add_argument(f"--{group}", action="store_true")
    parser.add_argument("--sql", action="store_true", help="print the rendered SQL of failures")
    parser.add_argument("--all-sql", action="store_true", help="print all rendered SQL")
    parser.add_argument("--plain", action="store_true", help="only run the original queries")
    parser.add_argument("--full", action="store_true", help="whole messages, not the first lines")
    return parser.parse_args()


def _belongs(case: Case, group: str) -> bool:
    if group == "frames":
        return case.id.startswith("frames.")
    return case.schema == group and not case.id.startswith("frames.")


def _run(spark: SparkSession, case: Case, options: argparse.Namespace) -> Outcome:
    started = time.perf_counter()
    outcome = _plain(spark, case) if options.plain else check(spark, case)
    seconds = time.perf_counter() - started
    for stage, message in outcome.failures.items():
        text = message if options.full else _short(message)
        print(f"FAIL {case.id} [{stage}] {text}", flush=True)
    if not outcome.failures:
        print(f"ok   {case.id} {seconds:.1f}s", flush=True)
    if outcome.sql and (options.all_sql or (options.sql and outcome.failures)):
        print("    " + outcome.sql.replace("\n", "\n    "), flush=True)
    return outcome


def _plain(spark: SparkSession, case: Case) -> Outcome:
    spark.sql(f"USE {case.schema}")
    outcome = Outcome(case.id)
    with outcome.stage("original"):
        frame = spark.sql(case.query) if isinstance(case.query, str) else case.query(spark)
        if case.raises is None:
            rows = rows_of(frame)
            assert rows or "empty" in case.id, "the result is empty, which shows little"
    return outcome


def _short(message: str) -> str:
    lines = [line for line in message.splitlines() if line.strip()]
    return " | ".join(lines[:4])[:400]


def _print_summary(outcomes: list[Outcome]) -> None:
    failed = [outcome for outcome in outcomes if outcome.failures]
    print(f"\n{len(outcomes) - len(failed)} of {len(outcomes)} queries hold")
    for outcome in failed:
        stage, message = next(iter(outcome.failures.items()))
        print(f"  {outcome.id:45} {stage:9} {message.splitlines()[0][:140] if message else ''}")
    stages = sorted({stage for outcome in outcomes for stage in outcome.seconds})
    for stage in stages:
        total = sum(outcome.seconds.get(stage, 0.0) for outcome in outcomes)
        print(f"  {stage:9} {total:7.1f}s")


if __name__ == "__main__":
    raise SystemExit(main())
