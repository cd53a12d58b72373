"""The whole round trip, resumable, with its numbers written to docs/correctness.md.

    python -m tests.roundtrip.proof

Outcomes are kept per state of the sources under build/proof, so a run that was interrupted goes on
where it stopped, and a changed source starts anew.
"""

from __future__ import annotations

import json
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from pyspark.sql import SparkSession

from tests.roundtrip.cases import GROUPS, create_group_tables, load_cases
from tests.roundtrip.check import Case, check
from tests.roundtrip.proved import ROOT, Proved, digest_of, proved
from tests.roundtrip.session import open_session

PAGE = ROOT / "docs" / "correctness.md"
TITLES = {
    "corpus": "queries of our own, SQL",
    "frames": "queries of our own, DataFrames",
    "tpch": "TPC-H",
    "tpcds": "TPC-DS",
}
Record = dict[str, object]


def main() -> int:
    """Run what is not yet known, write the page, and answer with the exit code."""
    sources = proved()
    log = ROOT / "build" / "proof" / f"roundtrip-{digest()}.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    known = read(log)
    missing = {g: [c for c in load_cases(g) if c.id not in known] for g in GROUPS}
    if any(missing.values()):
        with tempfile.TemporaryDirectory(prefix="rollview-proof-") as folder:
            spark = open_session(Path(folder))
            try:
                create_group_tables(spark, {g for g in GROUPS if missing[g]})
                for group in GROUPS:
                    for case in missing[group]:
                        append(log, known, one(spark, group, case))
            finally:
                spark.stop()
    if proved().digest != sources.digest:
        print("src/ changed while the proof ran, so it is not known what was proved: run it again")
        return 1
    PAGE.write_text(page(known, sources), encoding="utf-8")
    failed = [r for r in known.values() if r["failures"]]
    print(f"{len(known) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


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


def page(known: dict[str, Record], sources: Proved) -> str:
    """The page that says what was checked, in which sources, and what came out."""
    rows = []
    for group in GROUPS:
        mine = [r for r in known.values() if r["group"] == group]
        failed = sum(bool(r["failures"]) for r in mine)
        refused = sum(any("." in str(code) for code in r["expects"]) for r in mine)  # type: ignore[attr-defined]
        opaque = sum(not r["understood"] for r in mine) - refused
        rows.append(
            f"| {TITLES[group]} | {len(mine)} | {len(mine) - failed} | {failed} | "
            f"{refused} | {opaque} |"
        )
    failures = [f"- `{r['id']}`: {r['failures']}" for r in known.values() if r["failures"]]
    return _PAGE.format(
        sources=sources,
        when=datetime.now(UTC).date().isoformat(),
        rows="\n".join(rows),
        failures="\n".join(failures) or "None.",
    )


_PAGE = """# Correctness

Written by `make proof` on {when}; do not edit. `make test` checks a rotating part of the same, with
a printed seed.

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
About a quarter of the TPC-DS queries find no rows at that scale and show only that they run.

### Failures

{failures}

To repeat: `make proof`. One query: `python -m tests.roundtrip.run --only tpch.q15 --sql`.
"""


if __name__ == "__main__":
    raise SystemExit(main())
