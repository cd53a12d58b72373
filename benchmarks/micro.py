"""What a refresh of little costs: by size of view and base, number of views, depth, skew and width.

    python -m benchmarks.micro [--only REGEX] [--rows 1000,100000] [--rounds 3] [--store delta]
                               [--journal FILE] [--json FILE]

Ten rows change each time. Beside a refresh, in the same round, stand a bare Delta MERGE (copy on
write) and a bare append of the same rows into a table like the view, and one read of the same
changes. Sources are Delta and Iceberg tables. The first round warms up; medians of the others
count. All views are verified. With a journal, a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.measuring import (
    Entry,
    Journal,
    circumstances,
    median,
    say,
    timed,
    write_json,
)
from benchmarks.tpch_summary import phases
from tests.roundtrip.proved import proved

import rollview
from rollview.runtime.report import Mode

CHANGED = 10
SIZES = "1000,10000,100000,1000000,10000000"
NAMESPACES = {"delta": "", "iceberg": "iceberg.micro."}
Change = Callable[[int], None]
# What stands beside a refresh: made ready for a round, and then timed.
Beside = Callable[[int], Callable[[], object]]


@dataclass(frozen=True)
class Measure:
    """What to measure: the views, the change of a round, and what stands beside the refresh."""

    views: list[str]
    change: Change
    beside: dict[str, Beside] = field(default_factory=dict)


class Micro:
    """One lake, and what is measured in it."""

    def __init__(self, db: rollview.Session, rounds: int, source: str, store: str) -> None:
        self.db, self.rounds, self.source, self.store = db, rounds, source, store
        self.run = db.spark.sql
        if source == "iceberg":
            self.run("CREATE NAMESPACE IF NOT EXISTS iceberg.micro")

    def aggregate(self, rows: int) -> Measure:
        """A view of so many groups, ten of which change."""
        facts = self._facts("facts", rows)
        self._view("sums", f"SELECT g, sum(x) AS s, count(*) AS n FROM {facts} GROUP BY g")
        self._copy("copied", "sums")
        return Measure(
            ["sums"],
            lambda number: self._update(facts, "g", "x", number),
            {
                "merge": lambda number: self._merge("copied", "g", number),
                "append": lambda number: self._append("copied", number),
                "read": lambda _: self._read_changes(facts),
            },
        )

    def join(self, rows: int) -> Measure:
        """A join of so many rows, to which ten are added."""
        items = self._facts("items", rows)
        kinds = self._table("kinds", "SELECT id AS g, concat('kind ', id) AS name FROM range(1000)")
        query = f"SELECT i.k, i.x, d.name FROM {items} i JOIN {kinds} d ON i.g % 1000 = d.g"
        self._view("joined", query)
        self._copy("copied", "joined")

        def insert(number: int) -> None:
            self.run(f"INSERT INTO {items} SELECT -id - {number}00, id, id FROM range({CHANGED})")

        return Measure(
            ["joined"],
            insert,
            {
                "merge": lambda number: self._merge("copied", "k", number),
                "append": lambda number: self._append("copied", number),
                "read": lambda _: self._read_changes(items),
            },
        )

    def base(self, rows: int) -> Measure:
        """A small view over a base of so many rows, clustered by the key that leads to it."""
        items = self._facts("items", rows)
        heads = self._table("heads", "SELECT id AS k, id % 100 AS h FROM range(100000)")
        # Ten heads change their group: their items must be found among all.
        query = f"SELECT h.h, sum(i.x) AS s FROM {heads} h JOIN {items} i ON i.k = h.k GROUP BY h.h"
        self._view("small", query)
        return Measure(["small"], lambda number: self._update(heads, "k", "h", number))

    def many(self, count: int) -> Measure:
        """So many views over one source."""
        shared = self._facts("shared", 100_000)
        views = [f"of_shared_{number}" for number in range(count)]
        for number, view in enumerate(views):
            query = f"SELECT g % {number + 10} AS h, sum(x) AS s FROM {shared} GROUP BY ALL"
            self._view(view, query)
        return Measure(views, lambda number: self._update(shared, "g", "x", number))

    def depth(self, levels: int) -> Measure:
        """A chain of views, each on the one before."""
        ground = below = self._facts("ground", 100_000)
        views = []
        for level in range(levels):
            self._view(f"level_{level}", f"SELECT g, sum(x) AS x FROM {below} GROUP BY g")
            below = f"level_{level}"
            views.append(below)
        return Measure(views, lambda number: self._update(ground, "g", "x", number))

    def skew(self, rows: int) -> Measure:
        """Nine of ten rows are of one group, which changes, too; its minimum is lost."""
        query = f"SELECT id AS k, IF(id % 10 = 0, id, 0) AS g, id AS x FROM range({rows})"
        skewed = self._table("skewed", query)
        self._view("of_skewed", f"SELECT g, sum(x) AS s, min(x) AS least FROM {skewed} GROUP BY g")

        def delete(number: int) -> None:
            first = CHANGED * number
            self.run(f"DELETE FROM {skewed} WHERE k BETWEEN {first} AND {first + CHANGED - 1}")

        return Measure(["of_skewed"], delete)

    def wide(self, columns: int) -> Measure:
        """Rows of so many columns, in a view that shows them all."""
        shown = ", ".join(f"id + {number} AS c{number}" for number in range(columns))
        wide = self._table("wide", f"SELECT id AS k, {shown} FROM range(20000)")
        self._view("of_wide", f"SELECT * FROM {wide} WHERE k % 2 = 0")
        return Measure(["of_wide"], lambda number: self._update(wide, "k", "c0", number))

    def measured(self, measure: Measure) -> Entry:
        """All rounds of one measure; the first warms up."""
        seconds: dict[str, list[float]] = defaultdict(list)
        reports: list[Entry] = []
        for number in range(self.rounds + 1):
            measure.change(number)
            seconds["refresh"].append(timed(self.db.refresh))
            reports.append(self._reported(measure.views))
            for what, work in measure.beside.items():
                seconds[what].append(timed(work(number)))
        counted = reports[1:]
        return {
            "seconds": {what: median(times[1:]) for what, times in seconds.items()},
            "phases": phases(counted),
            "jobs": median(one["jobs"] for one in counted),
            "rows_read": median(one["rows_read"] for one in counted),
            "correct": all(self.db.verify(view).correct for view in measure.views),
        }

    def _reported(self, views: list[str]) -> Entry:
        """The sums over the last refreshes of the views, which must have gone by changes."""
        reports = [self.db.history(view, limit=1)[0] for view in views]
        wrong = [r.view for r in reports if r.mode not in (Mode.INCREMENTAL, Mode.PARTIAL)]
        if wrong:
            raise SystemExit(f"{wrong} were not refreshed from changes")
        names = dict.fromkeys(name for report in reports for name in report.seconds)
        return {
            "phases": {n: sum(report.seconds.get(n, 0.0) for report in reports) for n in names},
            "jobs": sum(report.jobs for report in reports),
            "rows_read": sum(report.rows_read for report in reports),
        }

    def _view(self, name: str, query: str) -> None:
        store = None if self.store == "delta" else self.store
        self.db.create_view(name, query, policy="incremental", store=store)

    def _update(self, table: str, key: str, column: str, number: int) -> None:
        """Change ten rows, other ones in every round."""
        first = CHANGED * number
        self.run(
            f"UPDATE {table} SET {column} = {column} + 1 "
            f"WHERE {key} BETWEEN {first} AND {first + CHANGED - 1}"
        )

    def _merge(self, table: str, key: str, number: int) -> Callable[[], object]:
        text = (
            f"MERGE INTO {table} c USING ({self._ten_rows(table, number)}) d "
            f"ON c.{key} = d.{key} WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        )
        return lambda: self.run(text)

    def _append(self, table: str, number: int) -> Callable[[], object]:
        text = f"INSERT INTO {table} {self._ten_rows(table, number)}"
        return lambda: self.run(text)

    def _ten_rows(self, table: str, number: int) -> str:
        """As many rows as changed, of the columns of a table, without reading it."""
        text = {"name": "'new'"}
        names = self.db.spark.table(table).columns
        shown = (f"{text.get(name, f'id + {CHANGED * number}')} AS {name}" for name in names)
        return f"SELECT {', '.join(shown)} FROM range({CHANGED})"

    def _read_changes(self, table: str) -> Callable[[], object]:
        """A read of what the newest commit of a source changed, by the means of its format."""
        reader = self.db.spark.read
        if self.source == "iceberg":
            old, new = self.run(
                f"SELECT parent_id, snapshot_id FROM {table}.snapshots ORDER BY committed_at DESC"
            ).collect()[0]
            reader = reader.option("start-snapshot-id", old).option("end-snapshot-id", new)
            return lambda: reader.table(f"{table}.changes").collect()
        newest = self.run(f"DESCRIBE HISTORY {table} LIMIT 1").collect()[0]["version"]
        reader = reader.option("readChangeFeed", "true").option("startingVersion", newest)
        return lambda: reader.table(table).collect()

    def _facts(self, table: str, rows: int) -> str:
        return self._table(table, f"SELECT id AS k, id AS g, id % 97 AS x FROM range({rows})")

    def _table(self, table: str, query: str) -> str:
        name = NAMESPACES[self.source] + table
        more = {"delta": "TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')", "iceberg": ""}
        self.run(f"CREATE TABLE {name} USING {self.source} {more[self.source]} AS {query}")
        return name

    def _copy(self, table: str, view: str) -> None:
        off = "TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')"
        self.run(f"CREATE TABLE {table} USING delta {off} AS SELECT * FROM {view}")


def measures(sizes: list[int]) -> list[tuple[str, int, str]]:
    """Everything there is to measure: the kind, the size, and the format of the sources."""
    fixed = [
        (kind, rows, source)
        for rows in sizes
        for kind in ("aggregate", "join")
        for source in ("delta", "iceberg")
    ]
    others = [
        *(("base", rows) for rows in (1_000_000, 10_000_000)),
        *(("many", count) for count in (1, 10, 50)),
        *(("depth", levels) for levels in range(1, 11)),
        ("skew", 1_000_000),
        ("wide", 200),
    ]
    return [*fixed, *((kind, size, "delta") for kind, size in others)]


def name_of(kind: str, size: int, source: str) -> str:
    """The name of a measure, as --only finds it."""
    return f"{kind} {size} {source}"


def table(found: list[Entry]) -> str:
    """The result for people to read."""
    lines = [f"{'what':28}{'refresh':>9}{'jobs':>6}  beside"]
    for one in found:
        others = [f"{w} {s:.2f} s" for w, s in one["seconds"].items() if w != "refresh"]
        lines.append(
            f"{one['name']:28}{one['seconds']['refresh']:7.2f} s{one['jobs']:6.0f}  "
            f"{', '.join(others)}{'' if one['correct'] else '  WRONG'}"
        )
    return "\n".join(lines)


def measure(options: argparse.Namespace, journal: Journal) -> dict[str, Any]:
    """Take the measures that were asked for, or those that are left."""
    sizes = [int(rows) for rows in options.rows.split(",")]
    found = []
    for kind, size, source in measures(sizes):
        name = name_of(kind, size, source)
        if not re.search(options.only, name):
            continue

        def work(kind: str = kind, size: int = size, source: str = source) -> Entry:
            # A lake for each: views of others would be refreshed as well.
            with tempfile.TemporaryDirectory() as folder, rollview.connect(folder) as db:
                micro = Micro(db, options.rounds, source, options.store)
                taken = micro.measured(getattr(micro, kind)(size))
            return {"name": name_of(kind, size, source), "kind": kind, "size": size, **taken}

        step = f"{name} {options.store} {proved().digest[:8]}"
        found.append({**journal.once(step, work), "source": source})
        say(f"{name} is done")
    return {"measures": found, "rounds": options.rounds, "store": options.store, **circumstances()}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--only", default="", help="a regular expression for what to measure")
    parser.add_argument("--rows", default=SIZES, help="sizes of views")
    parser.add_argument("--rounds", type=int, default=3, help="that count")
    parser.add_argument("--store", default="delta", help="the format of the views")
    parser.add_argument("--journal", type=Path, help="a file to keep, for runs that go on")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(options.journal or Path(folder) / "micro.jsonl")
        journal.path.parent.mkdir(parents=True, exist_ok=True)
        result = measure(options, journal)
    print(table(result["measures"]))
    write_json(options.json, result)


if __name__ == "__main__":
    main()
