"""What changed between two versions of a table, compared with the difference of its contents."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from rollview.algebra.definition import Source, SourceKind
from rollview.errors import SourceVersionGone
from rollview.storage import registry
from rollview.storage.base import WEIGHT
from rollview.storage.delta_changes import DeltaChanges, Plan
from rollview.storage.delta_diff import Way
from rollview.storage.delta_log import forget
from tests.integration.conftest import private_session

pytestmark = pytest.mark.spark

BATCH = 12
ROWS = "SELECT int(id % 7) AS k, IF(id % 5 = 0, NULL, string(id % 3)) AS v, int(id % 3) AS p"


@pytest.fixture(scope="module")
def own(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    session = private_session(spark, tmp_path_factory.mktemp("changes"))
    session.conf.set("spark.databricks.delta.stats.collect", "true")
    session.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    session.conf.set("spark.sql.sources.parallelPartitionDiscovery.parallelism", "4")
    yield session
    session.sql(f"DROP SCHEMA {session.catalog.currentDatabase()} CASCADE")


class Table:
    """A Delta table with a history, and what each version of it holds."""

    def __init__(self, own: SparkSession, name: str, columns: str, *clauses: str) -> None:
        self.own = own
        self.name = name
        own.sql(f"CREATE TABLE {name} ({columns}) USING delta {' '.join(clauses)}")
        self.location = own.sql(f"DESCRIBE DETAIL {name}").collect()[0]["location"]
        self.changes = DeltaChanges(own, name, self.location)
        self.full_name = f"spark_catalog.{own.catalog.currentDatabase()}.{name}"
        self.source = registry.source(
            own, Source("s", SourceKind.TABLE, self.full_name, "delta", ())
        )

    @property
    def folder(self) -> Path:
        return Path(self.location.removeprefix("file:"))

    @property
    def version(self) -> int:
        return int(self.source.state().version)

    def run(self, *statements: str) -> int:
        """The version after these statements, in which {t} is the table."""
        for statement in statements:
            self.own.sql(statement.replace("{t}", self.name))
        return self.version

    def ways(self, before: int, after: int, columns: Sequence[str]) -> list[Plan]:
        """Every way to read the change, the cheapest first."""
        best = self.changes.plan(str(before), str(after), columns)
        other = Way.FILES if best.diff.way is Way.FEED else Way.FEED
        second = self.changes.plan(str(before), str(after), columns, other)
        return [best] if second.diff == best.diff else [best, second]


def counted(rows: DataFrame) -> Counter[str]:
    return Counter(repr(spelled(row)) for row in rows.collect())


def spelled(value: Any) -> Any:
    """A value such that equal texts are equal values."""
    match value:
        case None:
            return None
        case dict():
            return sorted(repr((spelled(key), spelled(item))) for key, item in value.items())
        case list() | tuple():
            return [spelled(item) for item in value]
        case _:
            return str(value)


def weighed(changes: DataFrame) -> dict[str, int]:
    (found,) = weighed_at_once([changes])
    return found


def weighed_at_once(changes: Sequence[DataFrame]) -> list[dict[str, int]]:
    """Each change as weights of values; one job for all, since that is what takes the time."""
    told_apart = [frame.select("*", F.lit(n)) for n, frame in enumerate(changes)]
    found: list[dict[str, int]] = [{} for _ in changes]
    for row in reduce(DataFrame.unionAll, told_apart).collect():
        *values, weight, n = row
        assert weight != 0
        assert repr(spelled(values)) not in found[n], "a value stands there twice"
        found[n][repr(spelled(values))] = weight
    return found


def difference(before: Counter[str], after: Counter[str]) -> dict[str, int]:
    changed = Counter(after)
    changed.subtract(before)
    return {row: weight for row, weight in changed.items() if weight}


def check(
    table: Table,
    columns: Sequence[str],
    versions: Sequence[int],
    renamed: dict[str, str] | None = None,
) -> set[Way]:
    """Compare all pairs of these versions, both ways. Gives the ways that were taken."""
    contents = {}
    for version in versions:
        rows = table.source.read(str(version))
        then = {c: c if c in rows.columns else (renamed or {}).get(c, "NULL") for c in columns}
        contents[version] = counted(rows.selectExpr(*then.values()))
    cases = [
        (old, new, plan)
        for old, new in combinations(versions, 2)
        for plan in table.ways(old, new, columns)
    ]
    for start in range(0, len(cases), BATCH):
        some = cases[start : start + BATCH]
        changes = weighed_at_once([table.changes.read(plan, columns) for _, _, plan in some])
        for (old, new, plan), found in zip(some, changes, strict=True):
            assert found == difference(contents[old], contents[new]), (old, new, plan.diff.way)
    return {plan.diff.way for _, _, plan in cases}


def check_types(table: Table, columns: Sequence[str]) -> None:
    """A change has the columns in the order, and of the types, that were asked for."""
    last = table.source.read(str(table.version))
    for before in ("0", str(table.version)):
        found = table.source.changes(before, str(table.version), columns)
        assert found.dtypes == [*last.select(*columns).dtypes, (WEIGHT, "bigint")]


def jobs(own: SparkSession, frame: DataFrame) -> int:
    """How many Spark jobs it takes to bring a result here."""
    context = own.sparkContext
    group = uuid.uuid4().hex
    context.setJobGroup(group, "counted")
    try:
        frame.collect()
        return len(context.statusTracker().getJobIdsForGroup(group))
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]


def test_every_statement_that_changes_rows(own: SparkSession) -> None:
    table = Table(
        own, "moved", "k INT, v STRING, p INT", "TBLPROPERTIES (delta.enableChangeDataFeed = true)"
    )
    table.run(
        f"INSERT INTO {{t}} {ROWS} FROM range(40)",
        "UPDATE {t} SET v = 'new' WHERE k = 3",
        "DELETE FROM {t} WHERE k = 4",
        "MERGE INTO {t} USING (SELECT DISTINCT k + 3 AS k FROM {t}) s ON {t}.k = s.k "
        "WHEN MATCHED AND {t}.k = 5 THEN DELETE WHEN MATCHED THEN UPDATE SET v = 'merged' "
        "WHEN NOT MATCHED THEN INSERT (k, v) VALUES (s.k, NULL)",
        "INSERT INTO {t} VALUES (50, 'passing', 1), (50, 'passing', 1)",
        "UPDATE {t} SET v = 'again' WHERE v = 'new' OR v = 'merged'",
        "DELETE FROM {t} WHERE k = 50",
        "TRUNCATE TABLE {t}",
        f"INSERT OVERWRITE {{t}} {ROWS} FROM range(20)",
        "RESTORE {t} TO VERSION AS OF 4",
    )
    assert check(table, ["v", "k"], [1, 2, 3, 4, 7, 8, 9, 10]) == set(Way)
    check_types(table, ["v", "k"])
    whole = table.changes.changes("0", str(table.version), [])
    assert weighed(whole) == {"[]": table.source.read(str(table.version)).count()}
    assert jobs(own, table.changes.changes("1", "4", ["k", "v"], Way.FEED)) == 1


def test_deletion_vectors_partitions_and_a_feed_that_comes_and_goes(own: SparkSession) -> None:
    table = Table(
        own,
        "marked",
        "k INT, v STRING, p INT",
        "PARTITIONED BY (p)",
        "TBLPROPERTIES (delta.enableDeletionVectors = true)",
    )
    own.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    table.run(
        f"INSERT INTO {{t}} {ROWS} FROM range(60)",
        "DELETE FROM {t} WHERE k = 1",
        "UPDATE {t} SET v = NULL WHERE k = 2",
        "ALTER TABLE {t} SET TBLPROPERTIES (delta.enableChangeDataFeed = true)",
        "UPDATE {t} SET v = 'fed' WHERE k = 3 OR v IS NULL",
        "DELETE FROM {t} WHERE k = 5 AND p = 1",
        f"INSERT OVERWRITE {{t}} SELECT * FROM ({ROWS} FROM range(9)) WHERE p = 2",
        "ALTER TABLE {t} SET TBLPROPERTIES (delta.enableChangeDataFeed = false)",
        "RESTORE {t} TO VERSION AS OF 2",
    )
    own.conf.set("spark.sql.sources.partitionOverwriteMode", "static")
    table.run(f"INSERT OVERWRITE {{t}} {ROWS} FROM range(9)")
    assert check(table, ["p", "k", "v"], [1, 2, 3, 5, 6, 7, 9, 10]) == set(Way)
    gone = table.changes.plan("1", "2", ["k"]).diff
    assert {bool(file.get("deletionVector")) for file, _ in gone.files} == {True, False}
    assert jobs(own, table.changes.changes("1", "2", ["k"])) == 1


def test_values_that_cannot_be_grouped_and_columns_that_come(own: SparkSession) -> None:
    table = Table(
        own,
        "shaped",
        "m MAP<STRING, INT>, v VARIANT, s STRUCT<a: INT, n: ARRAY<MAP<INT, STRING>>>, d STRING",
        "TBLPROPERTIES (delta.columnMapping.mode = 'name', delta.enableChangeDataFeed = true)",
    )
    value = "parse_json(concat('{\"a\": [', id % 3, ', \"', id % 2, '\"]}'))"
    struct = "named_struct('a', id % 2, 'n', array(map(1, 'x', 2, string(id % 2))))"
    table.run(
        f"INSERT INTO {{t}} SELECT map('a', id % 2, 'b', 1), {value}, {struct}, string(id % 3) "
        "FROM range(12)",
        "INSERT INTO {t} VALUES (map('b', 1, 'a', 0), parse_json('1'), NULL, NULL), "
        "(NULL, NULL, named_struct('a', 1, 'n', NULL), NULL)",
        "UPDATE {t} SET v = parse_json('{\"a\": 1.5}') WHERE s.a = 1",
        "ALTER TABLE {t} RENAME COLUMN d TO e",
        "ALTER TABLE {t} ADD COLUMN x INT",
        "UPDATE {t} SET x = 7 WHERE e = '1'",
        "DELETE FROM {t} WHERE e = '2'",
    )
    assert check(table, ["s", "v", "m"], [1, 2, 3, 6, 7]) == set(Way)
    check(table, ["e"], [1, 6, 7], renamed={"e": "d"})
    check(table, ["x", "e"], [4, 6, 7])
    check_types(table, ["m", "v", "s", "x"])
    assert table.changes.obstacle("1", "7", ["d"]) == (
        "the column d of shaped was renamed to e between version 1 and version 7"
    )


def test_what_changes_no_row_takes_no_job(own: SparkSession) -> None:
    table = Table(own, "still", "k INT, v STRING, p INT")
    table.run(f"INSERT INTO {{t}} {ROWS} FROM range(10)", f"INSERT INTO {{t}} {ROWS} FROM range(9)")
    first = table.version
    analyzed(table)
    last = table.run(
        "OPTIMIZE {t} ZORDER BY (k)",
        "VACUUM {t}",
        # It describes every file anew, without removing any.
        "ALTER TABLE {t} SET TBLPROPERTIES (delta.enableRowTracking = true)",
        "ALTER TABLE {t} SET TBLPROPERTIES (delta.enableDeletionVectors = true)",
        "COMMENT ON TABLE {t} IS 'quiet'",
    )
    assert last > first + 3
    found = table.changes.changes(str(first), str(last), ["V", "k"])
    assert found.dtypes == [("V", "string"), ("k", "int"), (WEIGHT, "bigint")]
    assert jobs(own, found) == 0
    assert jobs(own, table.changes.changes(str(last), str(last), ["v"])) == 0
    compacted = table.changes.plan("0", str(last), ["k"]).diff
    assert len(compacted.files) == 1


def analyzed(table: Table) -> None:
    """Compute the statistics of all files anew.

    Spark refuses ANALYZE TABLE of Delta tables; this is what Delta itself offers for it.
    """
    own, before = table.own, table.version
    delta: Any = own._jvm.org.apache.spark.sql.delta  # type: ignore[union-attr]
    statistics = delta.stats.StatisticsCollection
    everything = (getattr(statistics, f"recompute$default${n}")() for n in (4, 5))
    log = delta.DeltaLog.forTable(own._jsparkSession, table.location)
    nothing = own._jvm.scala.Option.empty()  # type: ignore[union-attr]
    statistics.recompute(own._jsparkSession, log, nothing, *everything)
    assert table.version == before + 1


def test_columns_with_the_names_of_the_feed(own: SparkSession) -> None:
    table = Table(
        own,
        "reserved",
        f"_change_type STRING, _commit_version BIGINT, {WEIGHT} INT",
        "TBLPROPERTIES (delta.enableDeletionVectors = true)",
    )
    table.run(
        "INSERT INTO {t} VALUES ('insert', 1, 1), ('insert', 1, 1), ('delete', NULL, 2)",
        "DELETE FROM {t} WHERE _change_type = 'delete'",
    )
    for pair, expected in {
        ("0", "2"): {"['1', 'insert']": 2},
        ("1", "2"): {"['2', 'delete']": -1},
    }.items():
        found = table.changes.changes(*pair, [WEIGHT, "_change_type"])
        assert weighed(found) == expected


def test_history_that_is_gone(own: SparkSession) -> None:
    table = Table(own, "lost", "k INT, v STRING, p INT")
    table.run(f"INSERT INTO {{t}} {ROWS} FROM range(10)", "DELETE FROM {t} WHERE k = 1")
    table.run("INSERT INTO {t} VALUES (1, 'x', 1)", "UPDATE {t} SET v = 'y' WHERE k = 2")
    assert table.version == 4
    assert [table.source.readable(str(v)) for v in range(5)] == [True] * 5
    assert [table.source.size(str(v)).rows for v in range(5)] == [0, 10, 8, 9, 9]
    assert table.source.obstacle("1", "4", ["k"]) is None

    last = table.run("VACUUM {t} RETAIN 0 HOURS")  # which may be recorded in the log, too
    assert table.source.obstacle("1", "4", ["k"]) == (
        f"files that were removed between version 1 and version 4 of {table.full_name} "
        "have been vacuumed"
    )
    with pytest.raises(SourceVersionGone, match="have been vacuumed"):
        table.source.changes("1", "4", ["k"])
    assert [table.source.readable(str(v)) for v in range(5)] == [True, False, False, False, True]
    # All that was there at version 0 is known, although what came between is gone.
    assert table.source.obstacle("0", "4", ["k"]) is None
    assert weighed(table.source.changes("0", "4", ["k"])) == difference(
        Counter(), counted(table.source.read("4").select("k"))
    )

    log = own._jvm.org.apache.spark.sql.delta.DeltaLog.forTable(  # type: ignore[union-attr]
        own._jsparkSession, table.location
    )
    log.checkpoint()
    for version in range(3):
        (table.folder / f"_delta_log/{version:020}.json").unlink()
        (table.folder / f"_delta_log/{version:020}.crc").unlink()
    forget(own, table.location)
    assert table.source.obstacle("0", str(last), ["k"]) == (
        f"version 1 of {table.full_name}, which lies between version 0 and version {last}, "
        "is not in its log any more"
    )
    assert table.source.obstacle("1", "2", ["k"]) == (
        f"version 2 of {table.full_name} is not in its log any more"
    )
    assert not table.source.readable("0")
    assert not table.source.readable("1")
    assert table.source.size("1").rows is None


def test_columns_that_went_or_changed(own: SparkSession) -> None:
    table = Table(
        own,
        "other",
        "a INT, b INT, c INT",
        "TBLPROPERTIES (delta.columnMapping.mode = 'name', delta.enableTypeWidening = true)",
    )
    first = str(table.run("INSERT INTO {t} VALUES (1, 2, 3)"))
    dropped = str(table.run("ALTER TABLE {t} DROP COLUMN b"))
    said = f"the column b of {table.full_name} was dropped between version {first} and version "
    assert table.source.obstacle(first, dropped, ["b"]) == f"{said}{dropped}"
    again = str(table.run("ALTER TABLE {t} ADD COLUMN b INT"))
    assert "is not the one that it had" in str(table.source.obstacle(first, again, ["a", "b"]))
    assert table.source.obstacle(dropped, again, ["b"]) is None
    wider = str(table.run("ALTER TABLE {t} ALTER COLUMN a TYPE BIGINT"))
    assert table.source.obstacle(again, wider, ["c", "a"]) == (
        f"the column a of {table.full_name} was INT at version {again} and is BIGINT at version "
        f"{wider}"
    )
    assert table.source.obstacle(again, wider, ["c"]) is None
