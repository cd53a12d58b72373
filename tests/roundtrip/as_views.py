"""The TPC queries as views of a lake: every table changes, every view is refreshed and compared.

    python -m tests.roundtrip.as_views --tpch
    python -m tests.roundtrip.as_views --tpcds --only 'q0[1-5]' --rounds 3

Unlike `maintain`, which carries changes through the algebra alone, this goes the whole way: Delta
tables with inserts, updates and deletes, their changes read between versions, state on disk,
commits. What it compares with is the original text at the versions that the view reflects.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.types import DateType, NumericType, StringType, StructField

import rollview
from rollview.runtime.report import RefreshReport
from tests.roundtrip.cases import create_group_tables, load_cases
from tests.roundtrip.check import Case
from tests.roundtrip.session import open_session

_LARGE = 1000  # rows from which one in a hundred changes; of smaller tables, one in four
_VIEWS = 25  # that share a lake: its tables take as long to change as some views to refresh


@dataclass
class Followed:
    """One view through all rounds: the modes of its refreshes, its rows, and what was wrong."""

    id: str
    text: str
    modes: list[str] = field(default_factory=list)
    rows: list[int | None] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    fails: str | None = None  # the query itself, with what the tables have become


def follow(
    spark: SparkSession,
    cases: Sequence[Case],
    seed: int,
    rounds: int,
    tell: Callable[[str], None] = print,
) -> list[Followed]:
    """Views of these queries, which are all over the tables of one schema, in a lake of theirs."""
    schema, chance = cases[0].schema, random.Random(seed)
    own = f"views_of_{schema}_{chance.randrange(10**9)}"
    spark.sql(f"CREATE SCHEMA {own}")
    listed = spark.sql(f"SHOW TABLES IN {schema}").collect()
    tables = [row.tableName for row in listed if not row.isTemporary]
    for table in tables:
        spark.sql(f"CREATE TABLE {own}.{table} USING delta AS SELECT * FROM {schema}.{table}")
    spark.sql(f"USE {own}")
    db = rollview.connect(spark)
    followed = {}
    for case in cases:
        name = case.id.replace(".", "_")
        db.create_view(name, str(case.query), policy="incremental")
        tell(f"{name} created")
        followed[name] = Followed(case.id, str(case.query))
    for number in range(1, rounds + 1):
        for table in tables:
            for statement in changes(spark, table, chance):
                spark.sql(statement)
            if number % 2 == 0:  # else every name that a query asks for is changed sooner or later
                spark.sql(
                    f"INSERT INTO {table} SELECT * FROM {schema}.{table} "
                    f"EXCEPT ALL SELECT * FROM {table}"
                )
        for report in db.refresh():
            _compare(db, followed[report.view], report)
            tell(f"round {number}: {report.view} {report.mode} {report.seconds.get('total')} s")
    spark.sql("USE default")
    spark.sql(f"DROP SCHEMA {own} CASCADE")
    return list(followed.values())


def _compare(db: rollview.Session, followed: Followed, report: RefreshReport) -> None:
    followed.modes.append(str(report.mode))
    followed.rows.append(report.rows)
    if report.error is not None:
        try:
            db.spark.sql(followed.text).collect()
        except (PySparkException, Py4JJavaError) as error:  # some causes come wrapped
            followed.fails = str(error)
        else:
            followed.wrong.append(str(report.error))
        return
    check = db.verify(report.view)
    if not check.correct:
        followed.wrong.append(
            f"{report.mode}: {check.missing} missing, {check.unexpected} unexpected rows; "
            f"missing {check.missing_sample}, unexpected {check.unexpected_sample}"
        )


def changes(spark: SparkSession, table: str, chance: random.Random) -> list[str]:
    """Statements that delete some rows of a table, update some and insert some."""
    fields = spark.table(table).schema.fields
    names = [f.name for f in fields]
    part = 100 if spark.table(table).count() > _LARGE else 4
    salt = chance.randrange(1000)
    drawn = f"pmod(hash({', '.join(names)}, {salt}), {part})"
    mixed = ", ".join(f"{chance.choice('aab')}.{name}" for name in names)
    numbered = f"SELECT *, row_number() OVER (ORDER BY {drawn}, {names[0]}) AS n FROM {table}"
    one = chance.choice([f for f in fields if _other_value(f) is not None])
    return [
        f"DELETE FROM {table} WHERE {drawn} = 0",
        f"UPDATE {table} SET {one.name} = {_other_value(one)} WHERE {drawn} = 1",
        f"INSERT INTO {table} SELECT {mixed} FROM ({numbered}) a JOIN ({numbered}) b "
        f"ON a.n = b.n + {chance.randint(1, 5)} WHERE pmod(hash(a.n, {salt}), {part}) = 2",
    ]


def _other_value(field: StructField) -> str | None:
    match field.dataType:
        case NumericType():
            return f"{field.name} + 1"
        case DateType():
            return f"date_add({field.name}, 1)"
        case StringType():
            return f"concat(substr({field.name}, 2), left({field.name}, 1))"
        case _:
            return None


def groups_of(cases: Sequence[Case]) -> list[Sequence[Case]]:
    """The cases in groups that share a lake."""
    return [cases[start : start + _VIEWS] for start in range(0, len(cases), _VIEWS)]


def main() -> int:
    """Run, print, and answer with the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--tpch", action="store_true")
    parser.add_argument("--tpcds", action="store_true")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    names = {name for name in ("tpch", "tpcds") if getattr(options, name)} or {"tpch", "tpcds"}
    print(f"seed {options.seed}")
    followed = []
    with tempfile.TemporaryDirectory(prefix="rollview-as-views-") as folder:
        spark = open_session(Path(folder))
        create_group_tables(spark, names)
        for name in sorted(names, reverse=True):
            cases = [case for case in load_cases(name) if re.search(options.only, case.id)]
            for some in groups_of(cases):
                followed += follow(spark, some, options.seed, options.rounds)
        spark.stop()
    for one in followed:
        if one.wrong:
            print(f"WRONG {one.id}: {one.wrong}")
    wrong = sum(bool(one.wrong) for one in followed)
    print(f"{len(followed) - wrong} of {len(followed)} views are right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
