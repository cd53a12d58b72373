"""Generated views on Spark and Delta: many over the same tables, refreshed and verified together.

    python -m tests.properties.on_delta --views 200 --seed 7

Views, tables and changes are those of the generator without a Java process. What is stored goes
through SQL text, frontend, algebra, deltas and commits; it is compared with Spark running the text.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

import rollview
from rollview import RollviewError, Session
from rollview.algebra.relations import Scan
from rollview.algebra.schema import Schema
from rollview.algebra.traverse import walk
from rollview.runtime.report import Mode
from rollview.sql.render import render
from tests.properties.cases import Batch, Row, Table, random_batches, random_table
from tests.properties.trees import random_view
from tests.properties.values import is_compared, sql

TABLES = ("t0", "t1", "t2")
_MINUS_ZERO = re.compile(r"-0\.0(?!\d)")
DEPTHS = (1, 2, 2, 3, 3, 4, 5)
_MANY = 50_000  # rows that are too many to be compared again and again
_DRAWN = 3  # times as many views as are wanted may be drawn


@dataclass
class Found:
    """What came out: how the refreshes were made, what Spark did not take, and what is wrong."""

    modes: Counter[str] = field(default_factory=Counter)
    refused: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    views: int = 0


class Lake:
    """Tables of one seed in an open lake, and views over them."""

    def __init__(self, db: Session, seed: int) -> None:
        self._db = db
        self._seed = seed
        chance = Random(f"{seed} tables")
        key = chance.choice(("INT", "INT", "STRING"))
        self._tables = {name: random_table(chance, "abc"[int(name[1])], key) for name in TABLES}
        self._rows = {name: list(table.rows) for name, table in self._tables.items()}
        self._views: dict[str, str] = {}
        self.found = Found()

    def run(self, views: int, rounds: int, first: int = 0) -> Found:
        """Make so many views, then change, refresh and verify so often.

        In the place of a view that cannot be had the next one is made.
        """
        for name, table in self._tables.items():
            columns = ", ".join(f"{c.name} {c.type}{_not_null(c.nullable)}" for c in table.columns)
            self._db.spark.sql(f"CREATE TABLE {name} ({columns}) USING delta")
            self._insert(name, list(table.rows))
        for number in range(first, first + views * _DRAWN):
            self._create(number)
            if len(self._views) + len(self.found.wrong) == views:
                break
        self.found.views = len(self._views)
        chance = Random(f"{self._seed} changes")
        for _ in range(rounds):
            current = {
                name: Table(table.columns, tuple(self._rows[name]))
                for name, table in self._tables.items()
            }
            self._apply(random_batches(chance, current)[0], chance)
            self._refresh()
        return self.found

    def _create(self, number: int) -> None:
        """A view that has tables to read, by its number; what Spark itself refuses is left out."""
        chance = Random(f"{self._seed} view {number}")
        schemas: dict[str, Schema] = {name: t.columns for name, t in self._tables.items()}
        while True:
            relation = random_view(chance, schemas, chance.choice(DEPTHS))
            if any(isinstance(node, Scan) for node in walk(relation)):
                break
        name, text = f"v{number}", render(relation, {table: table for table in TABLES})
        try:
            found = self._db.spark.sql(text).limit(_MANY).collect()
        except (PySparkException, Py4JJavaError) as failure:
            self.found.refused.append(f"{name}: {str(failure)[:200]}\n{text}")
            return
        if len(found) == _MANY:
            self.found.refused.append(f"{name}: too many rows\n{text}")
            return
        try:
            self._db.create_view(name, text, policy="strict")
        except RollviewError as failure:
            self.found.wrong.append(f"{self._again(name)}\ncreate: {failure.message}\n{text}")
            return
        self._views[name] = text

    def _apply(self, batch: Batch, chance: Random) -> None:
        """The same rows by different statements: what is added, or all anew, or a part anew."""
        for table in sorted({change.table for change in batch}):
            own = [change for change in batch if change.table == table]
            gone = [change.row for change in own if change.weight < 0]
            before = list(self._rows[table])
            for change in own:
                if change.weight > 0:
                    self._rows[table].append(change.row)
                else:
                    self._rows[table].remove(change.row)
            if not gone:
                self._insert(table, [change.row for change in own])
            elif chance.random() < 0.3:
                self._insert(table, self._rows[table], how="OVERWRITE")
            else:
                self._replace(table, gone, before)

    def _replace(self, table: str, gone: list[Row], before: list[Row]) -> None:
        """Delete every copy of the rows that lost one, then insert what is left and what is new."""
        columns = self._tables[table].columns
        conditions = [
            " AND ".join(
                f"{_compared(c.name, c.type)} <=> {_compared(sql(value, c.type), c.type)}"
                for c, value in zip(columns, row, strict=True)
            )
            for row in gone
        ]
        self._db.spark.sql(f"DELETE FROM {table} WHERE {' OR '.join(conditions)}")
        stay = Counter(map(_text, before))
        for row in set(map(_text, gone)):
            stay[row] = 0
        missing = Counter(map(_text, self._rows[table])) - stay
        by_text = {_text(row): row for row in self._rows[table]}
        self._insert(table, [by_text[text] for text in missing.elements()])

    def _insert(self, table: str, rows: list[Row], how: str = "INTO") -> None:
        columns = self._tables[table].columns
        lines = [
            f"({', '.join(sql(v, c.type) for v, c in zip(row, columns, strict=True))})"
            for row in rows
        ]
        if lines:
            self._db.spark.sql(f"INSERT {how} {table} VALUES {', '.join(lines)}")
        elif how == "OVERWRITE":
            self._db.spark.sql(f"DELETE FROM {table}")

    def _refresh(self) -> None:
        for report in self._db.refresh():
            self.found.modes[report.mode] += 1
            if report.error is not None or report.mode is Mode.FULL:
                self._blame(report.view, f"{report.mode}: {report.reason}")
                continue
            verified = self._db.verify(report.view)  # also if nothing was found to be done
            if not verified.correct:
                self._blame(report.view, str(verified))

    def _blame(self, view: str, why: str) -> None:
        text = self._views[view]
        self.found.wrong.append(f"{self._again(view)}\n{why}\n{text}")

    def _again(self, view: str) -> str:
        return f"python -m tests.properties.on_delta --seed {self._seed} --only {view[1:]}"


def _compared(value: str, type: str) -> str:
    """The value as what Spark can compare."""
    return value if is_compared(type) else f"map_entries({value})"


def _text(row: Row) -> str:
    """The same for rows that are equal to Spark, for which zero has no sign."""
    return _MINUS_ZERO.sub("0.0", repr(row))


def _not_null(nullable: bool) -> str:
    return "" if nullable else " NOT NULL"


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--views", type=int, default=40, help="in all; 40 share their tables")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", type=int, help="the number of one view")
    chosen = parser.parse_args()
    failed = made = 0
    for start in range(0, chosen.views, 40):
        seed = chosen.seed + start // 40
        first, views = 0, min(40, chosen.views - start)
        if chosen.only is not None:
            first, views = chosen.only, 1
        with tempfile.TemporaryDirectory() as folder, rollview.connect(Path(folder)) as db:
            found = Lake(db, seed).run(views, chosen.rounds, first)
        failed, made = failed + len(found.wrong), made + found.views
        print("\n\n".join(found.wrong), flush=True)
        print(f"seed {seed}: {found.views} views, {dict(found.modes)}, {len(found.wrong)} wrong")
        if chosen.only is not None:
            print(*found.refused, sep="\n")
            break
    print(f"{made} views, {failed} wrong")
    complete = chosen.only is not None or made == chosen.views
    return 0 if complete and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
