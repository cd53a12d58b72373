"""What a refresh of little costs: by size of the view, number of views, depth, skew and width.

    python -m benchmarks.micro [--only REGEX] [--rows 1000,100000] [--rounds 3] [--json FILE]

Ten rows change each time, or as many as the name says. Beside a refresh, in the same round, stand
a bare Delta MERGE of ten rows into a table like the view (copy on write), a bare append of ten
rows, and one read of the same changes. The first round warms up; medians of the others count. All
views are verified.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.roundtrip.proved import proved

import rollview
from rollview.runtime.report import Mode

CHANGED = 10
Seconds = dict[str, list[float]]
Measure = dict[str, Any]


class Micro:
    """One lake, and what is measured in it."""

    def __init__(self, db: rollview.Session, rounds: int) -> None:
        self.db, self.rounds = db, rounds
        self.run = db.spark.sql

    def aggregate(self, rows: int) -> Measure:
        """A view of so many groups, ten of which change."""
        table, view = f"facts_{rows}", f"sums_{rows}"
        self._facts(table, rows)
        query = f"SELECT g, sum(x) AS s, count(*) AS n FROM {table} GROUP BY g"
        self.db.create_view(view, query, policy="incremental")
        self._plain("copied", view)

        def change(number: int) -> None:
            self._update(table, "g", "x", number)

        def merge(number: int) -> None:
            self.run(
                f"MERGE INTO copied c USING (SELECT g, s + 1 AS s, n FROM copied WHERE g BETWEEN "
                f"{10 * number} AND {10 * number + CHANGED - 1}) d ON c.g = d.g "
                "WHEN MATCHED THEN UPDATE SET *"
            )

        return self._measured(f"aggregate {rows}", [view], change, {"merge": merge})

    def join(self, rows: int) -> Measure:
        """A join of so many rows, to which ten are added."""
        table, view = f"items_{rows}", f"joined_{rows}"
        self._facts(table, rows)
        self._table("kinds", "SELECT id AS g, concat('kind ', id) AS name FROM range(1000)")
        query = f"SELECT i.k, i.x, d.name FROM {table} i JOIN kinds d ON i.g % 1000 = d.g"
        self.db.create_view(view, query, policy="incremental")
        self._plain("copied", view)

        def change(number: int) -> None:
            self.run(
                f"INSERT INTO {table} SELECT -id - {number} * 100, id, id FROM range({CHANGED})"
            )

        def append(number: int) -> None:
            self.run(f"INSERT INTO copied SELECT id, id + {number}, 'new' FROM range({CHANGED})")

        def read(_: int) -> None:
            newest = self.run(f"DESCRIBE HISTORY {table} LIMIT 1").collect()[0]["version"]
            rows = (
                self.db.spark.read.option("readChangeFeed", "true")
                .option("startingVersion", newest)
                .table(table)
            )
            rows.collect()

        return self._measured(f"join {rows}", [view], change, {"append": append, "read": read})

    def many(self, count: int) -> Measure:
        """So many views over one source."""
        self._facts("shared", 100_000)
        views = [f"of_shared_{number}" for number in range(count)]
        for number, view in enumerate(views):
            query = f"SELECT g % {number + 10} AS h, sum(x) AS s FROM shared GROUP BY ALL"
            self.db.create_view(view, query, policy="incremental")

        def change(number: int) -> None:
            self._update("shared", "g", "x", number)

        return self._measured(f"views {count}", views, change, {})

    def depth(self, levels: int) -> Measure:
        """A chain of views, each on the one before."""
        self._facts("ground", 100_000)
        below, views = "ground", []
        for level in range(levels):
            view = f"level_{levels}_{level}"
            query = f"SELECT g, sum(x) AS x FROM {below} GROUP BY g"
            self.db.create_view(view, query, policy="incremental")
            views.append(view)
            below = view

        def change(number: int) -> None:
            self._update("ground", "g", "x", number)

        return self._measured(f"depth {levels}", views, change, {})

    def skew(self, rows: int) -> Measure:
        """Nine of ten rows are of one group, which changes, too; its minimum is lost."""
        self._table(
            "skewed", f"SELECT id AS k, IF(id % 10 = 0, id, 0) AS g, id AS x FROM range({rows})"
        )
        query = "SELECT g, sum(x) AS s, min(x) AS least FROM skewed GROUP BY g"
        self.db.create_view("of_skewed", query, policy="incremental")

        def change(number: int) -> None:
            self.run(f"DELETE FROM skewed WHERE k BETWEEN {10 * number} AND {10 * number + 9}")

        return self._measured(f"skew {rows}", ["of_skewed"], change, {})

    def wide(self, columns: int) -> Measure:
        """Rows of so many columns, in a view that shows them all."""
        shown = ", ".join(f"id + {number} AS c{number}" for number in range(columns))
        self._table("wide", f"SELECT id AS k, {shown} FROM range(20000)")
        self.db.create_view("of_wide", "SELECT * FROM wide WHERE k % 2 = 0", policy="incremental")

        def change(number: int) -> None:
            self._update("wide", "k", "c0", number)

        return self._measured(f"wide {columns}", ["of_wide"], change, {})

    def irrelevant(self, rows: int) -> Measure:
        """So many rows come, of which ten can matter; beside it, the predicate over them alone."""
        self._table("sparse", "SELECT id AS k, id % 1000 AS g FROM range(1000)")
        self._table("names", "SELECT id AS g, concat('name ', id) AS name FROM range(1000)")
        query = "SELECT s.k, n.name FROM sparse s JOIN names n ON s.g = n.g WHERE n.g < 10"
        self.db.create_view("few", query, policy="incremental")

        def change(number: int) -> None:
            self.run(f"INSERT INTO sparse SELECT id + {number + 1} * {rows}, id FROM range({rows})")

        def test(number: int) -> None:
            new = f"k >= {(number + 1) * rows} AND g <= 9"
            self.run(f"SELECT count(*) FROM sparse WHERE {new}").collect()

        return self._measured(f"irrelevant {rows}", ["few"], change, {"test": test})

    def _measured(
        self,
        name: str,
        views: list[str],
        change: Callable[[int], None],
        beside: dict[str, Callable[[int], None]],
    ) -> Measure:
        seconds: Seconds = defaultdict(list)
        jobs: list[int] = []
        for number in range(self.rounds + 1):
            change(number)
            seconds["refresh"].append(_timed(self.db.refresh))
            reports = [self.db.history(view, limit=1)[0] for view in views]
            wrong = [r.view for r in reports if r.mode not in (Mode.INCREMENTAL, Mode.PARTIAL)]
            if wrong:
                raise SystemExit(f"{name}: {wrong} were not refreshed from changes")
            jobs.append(sum(report.jobs for report in reports))
            for what, work in beside.items():
                seconds[what].append(_timed(lambda work=work, number=number: work(number)))
        found = {what: statistics.median(times[1:]) for what, times in seconds.items()}
        correct = all(self.db.verify(view).correct for view in views)
        _say(f"{name} is done")
        return {"name": name, "seconds": found, "jobs": jobs[-1], "correct": correct}

    def _update(self, table: str, key: str, column: str, number: int) -> None:
        """Change ten rows, other ones in every round."""
        first = CHANGED * number
        self.run(
            f"UPDATE {table} SET {column} = {column} + 1 "
            f"WHERE {key} BETWEEN {first} AND {first + CHANGED - 1}"
        )

    def _facts(self, table: str, rows: int) -> None:
        self._table(table, f"SELECT id AS k, id AS g, id % 97 AS x FROM range({rows})")

    def _table(self, table: str, query: str) -> None:
        if not self.db.spark.catalog.tableExists(table):
            feed = "TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')"
            self.run(f"CREATE TABLE {table} USING delta {feed} AS {query}")

    def _plain(self, table: str, view: str) -> None:
        off = "TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')"
        self.run(f"CREATE OR REPLACE TABLE {table} USING delta {off} AS SELECT * FROM {view}")


def measures(sizes: list[int]) -> dict[str, Callable[[Micro], Measure]]:
    """Everything there is to measure, by name."""
    found: dict[str, Callable[[Micro], Measure]] = {}
    for rows in sizes:
        found[f"aggregate {rows}"] = lambda micro, rows=rows: micro.aggregate(rows)
        found[f"join {rows}"] = lambda micro, rows=rows: micro.join(rows)
    for count in (1, 10, 50):
        found[f"views {count}"] = lambda micro, count=count: micro.many(count)
    for levels in (1, 3, 10):
        found[f"depth {levels}"] = lambda micro, levels=levels: micro.depth(levels)
    found["skew 1000000"] = lambda micro: micro.skew(1_000_000)
    found["wide 200"] = lambda micro: micro.wide(200)
    found["irrelevant 1000000"] = lambda micro: micro.irrelevant(1_000_000)
    return found


def table(found: list[Measure]) -> str:
    """The result for people to read."""
    lines = [f"{'what':20}{'refresh':>9}{'jobs':>6}  beside"]
    for one in found:
        others = [f"{w} {s:.2f} s" for w, s in one["seconds"].items() if w != "refresh"]
        lines.append(
            f"{one['name']:20}{one['seconds']['refresh']:7.2f} s{one['jobs']:6}  "
            f"{', '.join(others)}{'' if one['correct'] else '  WRONG'}"
        )
    return "\n".join(lines)


def _timed(work: Callable[[], object]) -> float:
    started = time.monotonic()
    work()
    return round(time.monotonic() - started, 3)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--only", default="", help="a regular expression for what to measure")
    parser.add_argument("--rows", default="1000,100000,1000000", help="sizes of views")
    parser.add_argument("--rounds", type=int, default=3, help="that count")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    sizes = [int(rows) for rows in options.rows.split(",")]
    found = []
    for name, measure in measures(sizes).items():
        if not re.search(options.only, name):
            continue
        # A lake for each: views of others would be refreshed as well.
        with tempfile.TemporaryDirectory() as folder, rollview.connect(folder) as db:
            found.append(measure(Micro(db, options.rounds)))
    print(table(found))
    if options.json is not None:
        result = {"measures": found, "rounds": options.rounds, "sources": str(proved())}
        options.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
