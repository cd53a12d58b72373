"""Round trips, maintenance of all queries, long runs; resumable, numbers in docs/correctness.md.

    python -m tests.roundtrip.proof

Outcomes are kept per state of the sources under build/proof, so a run that was interrupted goes on
where it stopped, and a changed source starts anew. The page tells how far it got.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession

from tests.roundtrip import long_runs
from tests.roundtrip.as_views import follow, groups_of
from tests.roundtrip.cases import GROUPS, create_group_tables, load_cases
from tests.roundtrip.check import Case, check
from tests.roundtrip.maintain import check as maintain
from tests.roundtrip.proved import ROOT, Proved, digest_of, proved
from tests.roundtrip.session import open_session

PAGE = ROOT / "docs" / "correctness.md"
TITLES = {
    "corpus": "queries of our own, SQL",
    "frames": "queries of our own, DataFrames",
    "tpch": "TPC-H",
    "tpcds": "TPC-DS",
}
BENCHMARKS = ("tpch", "tpcds")
Record = dict[str, object]
SEED, ROUNDS = 1, 3


def main() -> int:
    """Run what is not yet known, write the page, and answer with the exit code."""
    sources = proved()
    trips, deltas = Log("roundtrip"), Log("maintain")
    cases = {group: load_cases(group) for group in GROUPS}
    if trips.lacks(cases) or deltas.lacks(cases):
        with tempfile.TemporaryDirectory(prefix="rollview-proof-") as folder:
            spark = open_session(Path(folder))
            try:
                create_group_tables(spark, set(GROUPS))
                _run(spark, cases, trips, one)
                _publish(trips, deltas, cases, sources)
                publish = partial(_publish, trips, deltas, cases, sources)
                _follow(spark, {g: cases[g] for g in BENCHMARKS}, deltas, publish)
                rest = {g: some for g, some in cases.items() if g not in BENCHMARKS}
                _run(spark, rest, deltas, changed, publish)
            finally:
                spark.stop()
    for run in long_runs.missing():
        _publish(trips, deltas, cases, sources)
        print(f"{run.name}: {long_runs.carry_out(run).said}", flush=True)
    if not _publish(trips, deltas, cases, sources):
        print("src/ changed while the proof ran, so it is not known what was proved: run it again")
        return 1
    failed = [bool(r["failures"]) for log in (trips, deltas) for r in log.known.values()]
    failed += [run.exit != 0 for run in long_runs.known().values()]
    print(f"{failed.count(False)} passed, {failed.count(True)} failed")
    return 1 if any(failed) else 0


class Log:
    """The outcomes of one part, of this run and earlier ones of the same sources."""

    def __init__(self, part: str) -> None:
        self._path = ROOT / "build" / "proof" / f"{part}-{digest()}.jsonl"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self.known = read(self._path)

    def lacks(self, cases: Mapping[str, Sequence[Case]]) -> bool:
        """Whether any case is not known yet."""
        return any(case.id not in self.known for some in cases.values() for case in some)

    def add(self, record: Record) -> None:
        """Keep an outcome, now and for the next run."""
        append(self._path, self.known, record)


def _run(
    spark: SparkSession,
    cases: Mapping[str, Sequence[Case]],
    log: Log,
    check_one: Callable[[SparkSession, str, Case], Record],
    now_and_then: Callable[[], object] = lambda: None,
) -> None:
    for group, some in cases.items():
        for number, case in enumerate(some):
            if case.id not in log.known:
                log.add(check_one(spark, group, case))
                if number % 10 == 0:
                    now_and_then()


def _follow(
    spark: SparkSession,
    cases: Mapping[str, Sequence[Case]],
    log: Log,
    publish: Callable[[], object],
) -> None:
    """The queries of the benchmarks as views, a few in a lake."""
    for group, all_cases in cases.items():
        for some in groups_of(all_cases):
            if all(case.id in log.known for case in some):
                continue
            for one in follow(spark, some, SEED, ROUNDS):
                failures = {str(number): text[:500] for number, text in enumerate(one.wrong)}
                log.add(
                    {
                        "id": one.id,
                        "group": group,
                        "failures": failures,
                        "carried": one.fails is None,
                        "modes": one.modes,
                        "rows": one.rows,
                    }
                )
            publish()


def _publish(trips: Log, deltas: Log, cases: Mapping[str, Sequence[Case]], sources: Proved) -> bool:
    """Write the page, unless the sources are no longer those that were proved."""
    if proved().digest != sources.digest:
        return False
    wanted = {group: len(some) for group, some in cases.items()}
    PAGE.write_text(page(trips.known, deltas.known, wanted, sources), encoding="utf-8")
    return True


def changed(spark: SparkSession, group: str, case: Case) -> Record:
    """Change the tables of a case, carry the changes through, compare, and say how it went."""
    started = time.perf_counter()
    outcome = maintain(spark, case, SEED, ROUNDS)
    seconds = round(time.perf_counter() - started, 2)
    print(f"{'FAIL' if outcome.failures else 'ok  '} {case.id} changed {seconds}s", flush=True)
    return {
        "id": case.id,
        "group": group,
        "failures": {stage: text[:500] for stage, text in outcome.failures.items()},
        "carried": "maintain" in outcome.seconds,
    }


def one(spark: SparkSession, group: str, case: Case) -> Record:
    """Check one case and say how it went."""
    started = time.perf_counter()
    outcome = check(spark, case)
    seconds = round(time.perf_counter() - started, 2)
    print(f"{'FAIL' if outcome.failures else 'ok  '} {case.id} {seconds}s", flush=True)
    return {
        "id": case.id,
        "group": group,
        "failures": {stage: text[:500] for stage, text in outcome.failures.items()},
        "understood": outcome.sql is not None,
        "expects": sorted(case.expect),
        "ties": case.determined is not None,
        "mode": outcome.mode,
        "why": list(outcome.why),
        "at_times": list(outcome.at_times),
    }


def digest() -> str:
    """A name for the state of everything that the outcomes depend on."""
    return digest_of(ROOT, "src/rollview", "tests/corpus", "tests/roundtrip")


def read(log: Path) -> dict[str, Record]:
    """The outcomes of earlier runs; a line that a kill cut off is passed over."""
    known: dict[str, Record] = {}
    for line in log.read_text("utf-8").splitlines() if log.exists() else []:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        known[record["id"]] = record
    return known


def append(log: Path, known: dict[str, Record], record: Record) -> None:
    """Keep an outcome, now and for the next run."""
    known[str(record["id"])] = record
    with log.open("a", encoding="utf-8") as out:
        out.write(json.dumps(record) + "\n")


def page(
    known: dict[str, Record], carried: dict[str, Record], wanted: Mapping[str, int], sources: Proved
) -> str:
    """The page that says what was checked, in which sources, and what came out."""
    failures = [
        f"- `{r['id']}`: {r['failures']}"
        for r in (*known.values(), *carried.values())
        if r["failures"]
    ]
    return _PAGE.format(
        sources=sources,
        when=datetime.now(UTC).date().isoformat(),
        rows="\n".join(_trips(group, known) for group in GROUPS),
        rounds=ROUNDS,
        carried="\n".join(_carried(group, carried, wanted.get(group, 0)) for group in GROUPS),
        long_runs=long_runs.page(),
        refreshes=_refreshes(carried),
        modes="\n".join(_modes(group, known, carried) for group in BENCHMARKS),
        queries="\n".join(
            _query(r, carried.get(str(r["id"]), {}))
            for r in known.values()
            if r["group"] in BENCHMARKS
        ),
        empty=_empty(carried),
        failures="\n".join(failures) or "None.",
    )


def _trips(group: str, known: dict[str, Record]) -> str:
    mine = [r for r in known.values() if r["group"] == group]
    failed = sum(bool(r["failures"]) for r in mine)
    refused = sum(any("." in str(code) for code in r["expects"]) for r in mine)  # type: ignore[attr-defined]
    opaque = sum(not r["understood"] for r in mine) - refused
    counts = (len(mine), len(mine) - failed, failed, refused, opaque)
    return f"| {TITLES[group]} | {' | '.join(map(str, counts))} |"


def _carried(group: str, carried: dict[str, Record], wanted: int) -> str:
    mine = [r for r in carried.values() if r["group"] == group]
    failed = sum(bool(r["failures"]) for r in mine)
    whole = sum(not r["carried"] for r in mine)
    counts = (len(mine) - failed - whole, failed, whole, wanted - len(mine))
    return f"| {TITLES[group]} | {' | '.join(map(str, counts))} |"


def _refreshes(carried: dict[str, Record]) -> str:
    modes = [mode for r in carried.values() for mode in r.get("modes", [])]  # type: ignore[attr-defined]
    return _counted(modes) or "none yet"


def _modes(group: str, known: dict[str, Record], carried: dict[str, Record]) -> str:
    modes = [r.get("mode") for r in known.values() if r["group"] == group]
    counts = [modes.count(mode) for mode in ("incremental", "partial", "full")]
    observed = [set(r.get("modes", [])) for r in carried.values() if r["group"] == group]  # type: ignore[arg-type]
    counts += [observed.count({"incremental"}), sum("full" in modes for modes in observed)]
    return f"| {TITLES[group]} | {' | '.join(map(str, counts))} |"


def _query(record: Record, carried: Record) -> str:
    """What EXPLAIN says of a query, and what its refreshes were."""
    cells = (
        record["id"],
        record.get("mode", ""),
        _codes(record, "why"),
        _codes(record, "at_times"),
        _counted(carried.get("modes", [])),  # type: ignore[arg-type]
        ", ".join(map(str, carried.get("rows", []))),  # type: ignore[call-overload]
    )
    return f"| {' | '.join(map(str, cells))} |"


def _codes(record: Record, part: str) -> str:
    return ", ".join(f"`{code}`" for code in record.get(part, []))  # type: ignore[attr-defined]


def _counted(modes: Sequence[str]) -> str:
    return ", ".join(f"{count} {mode}" for mode, count in Counter(modes).most_common())


def _empty(carried: dict[str, Record]) -> str:
    """The views that had no row after any refresh: of them nothing was shown."""
    told = [r for r in carried.values() if r["group"] in BENCHMARKS and r.get("rows")]
    empty = [f"{r['id']}" for r in told if not any(r["rows"])]  # type: ignore[call-overload]
    return ", ".join(empty) or "none"


_PAGE = """# Correctness

Written by `make proof` on {when}; do not edit. `make test` checks a part of the same: round trips
and generated cases by a new seed every time, which it prints; of the TPC views all of TPC-H and
every tenth of TPC-DS.

What was proved: {sources}. `python -m tests.roundtrip.proved` prints the same for a checkout, so
that it can be seen whether these are its sources.

## The round trip: Spark's plan to algebra and back

Every query is run by Spark as it is written. Then it is defined (Spark's analyzed plan, reduced,
read into the algebra), written to JSON and read back without loss, rendered as SQL and run; and the
original is run once more over sources that were put in its place. Both must give the bag of rows
and the schema of the first run: NULLs, duplicates and all, floats within 1e-9, ties as the corpus
marks them. Queries that are left to chance are run but not compared.

| queries | checked | hold | fail | refused as expected | kept whole, not as algebra |
|---|---|---|---|---|---|
{rows}

"Kept whole" are queries with a part that has no form in the algebra (see [limits](limits.md)); they
are recomputed by Spark's own plan.

The TPC queries come from the extensions of DuckDB, translated to Spark's dialect, at scale 0.01;
where a LIMIT follows an incomplete order, the order is completed so that the result is determined.
A third of TPC-DS would find no rows at that scale; the conditions that stand in the way are relaxed
(`tests/roundtrip/relaxed.py`).

## Changes carried through

The TPC queries are views of lakes: {rounds} times rows are deleted from, updated in and inserted
into every table, the views are refreshed, and compared with Spark's answer to the original text.
The refreshes: {refreshes}. They fail only where the query itself does, by what the tables have
become; a view with such a refresh is left out of the table below. Views without a row after every
refresh, of which the comparison shows nothing: {empty}.

Every other query that is kept as algebra gets {rounds} rounds of random changes to its tables
(rows that come, go, come twice, and are mixed from others). What its delta adds to and takes from
the rows of the round before must be what Spark gives for the original on the changed tables, as
bags; where ties let Spark choose, what no tie touches, and else what the canonical definition
gives. The state of inner operators is carried on in the same way. Left out are queries that only
recomputation can refresh, and those that Spark itself computes in some orders of their rows only.

| queries | hold | fail | left out | not run yet |
|---|---|---|---|---|
{carried}

One query: `python -m tests.roundtrip.as_views --tpch --only q15`, or
`python -m tests.roundtrip.maintain --corpus --only window --rounds 3`.

## Generated views, kills, long runs

{long_runs}

## How the TPC queries are maintained

| queries | incremental | partial | full | observed: all incremental | observed: any full |
|---|---|---|---|---|---|
{modes}

Mode and reasons are what EXPLAIN says; "at times" are the reasons that hold in some refreshes only.
"Observed" are the refreshes above, and "rows" is how many the view had after each. The rounds above
change every table, and move every value that a query compares with: reasons that hold at times
hold more often there than in most lakes.

| query | mode | reasons | at times | observed | rows |
|---|---|---|---|---|---|
{queries}

The reasons are explained in [limits](limits.md); `explain` says which operator each is about.

## Failures

{failures}

To repeat: `make proof`. One query: `python -m tests.roundtrip.run --only tpch.q15 --sql`.
"""


if __name__ == "__main__":
    raise SystemExit(main())
