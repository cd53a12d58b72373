"""What changed between two snapshots of an Iceberg table, compared with its contents at both.

One session and few tables: every table has a history, and pairs of its versions are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import pytest
from pyspark.sql import SparkSession

import rollview
from rollview.algebra.definition import Source, SourceKind
from rollview.runtime.report import Mode
from rollview.storage import registry
from rollview.storage.base import WEIGHT, ChangeSource
from rollview.storage.iceberg_diff import difference as files_between
from rollview.storage.iceberg_staging import written
from rollview.storage.iceberg_table import table_now
from rollview.testing import assert_view_matches_recompute
from tests.integration.conftest import private_session
from tests.integration.test_changes import ROWS, counted, difference, jobs, weighed_at_once

pytestmark = pytest.mark.spark

MERGE_ON_READ = ", ".join(f"'write.{kind}.mode' = 'merge-on-read'" for kind in ("delete", "update"))


@pytest.fixture(scope="module")
def own(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    session = private_session(spark, tmp_path_factory.mktemp("iceberg"))
    yield session
    session.sql(f"DROP SCHEMA {session.catalog.currentDatabase()} CASCADE")


class Table:
    """An Iceberg table, and the versions that it has had."""

    def __init__(self, own: SparkSession, name: str, clauses: str = "") -> None:
        self.own = own
        self.name = f"iceberg.{own.catalog.currentDatabase()}.{name}"
        own.sql(f"CREATE TABLE {self.name} (k INT, v STRING, p INT) USING iceberg {clauses}")
        self.source: ChangeSource = registry.source(
            own, Source("s", SourceKind.TABLE, self.name, "iceberg", ())
        )
        self.versions = [self.version]

    @property
    def version(self) -> str:
        return self.source.state().version

    def run(self, statement: str) -> str:
        """The version after a statement, in which {t} is the table."""
        self.own.sql(statement.replace("{t}", self.name))
        self.versions.append(self.version)
        return self.version

    def call(self, procedure: str, arguments: str = "") -> str:
        return self.run(f"CALL iceberg.system.{procedure}('{self.name}'{arguments})")

    def check(self, columns: Sequence[str], pairs: Sequence[tuple[str, str]] | None = None) -> None:
        """Compare pairs of versions: neighbours, the first and the last, and backwards."""
        ends = (self.versions[0], self.versions[-1])
        chosen = pairs or [*pairwise(self.versions), ends, ends[::-1]]
        contents = {v: counted(self.source.read(v).select(*columns)) for v in self.versions}
        for before, after in chosen:
            assert self.source.obstacle(before, after, columns) is None
        frames = [self.source.changes(before, after, columns) for before, after in chosen]
        assert all(frame.columns == [*columns, WEIGHT] for frame in frames)
        for (before, after), found in zip(chosen, weighed_at_once(frames), strict=True):
            assert found == difference(contents[before], contents[after]), (before, after)


def delete_equal(own: SparkSession, table: Table, keys: Sequence[int]) -> None:
    """Commit an equality delete, as streaming engines do; Spark writes none itself.

    Its file is one with the column to compare: that of a table that has it as its first one, too.
    """
    name = f"iceberg.{own.catalog.currentDatabase()}.keys"
    own.sql(f"CREATE TABLE IF NOT EXISTS {name} (k INT) USING iceberg")
    rows = own.createDataFrame([(key,) for key in keys], "k INT").coalesce(1)
    (file,) = written(table_now(own, name), rows)
    target = table_now(own, table.name)
    jvm: Any = own._jvm
    ids = own.sparkContext._gateway.new_array(jvm.int, 1)  # type: ignore[union-attr]
    ids[0] = target.schema().findField("k").fieldId()
    made = (
        jvm.org.apache.iceberg.FileMetadata.deleteFileBuilder(target.spec())
        .ofEqualityDeletes(ids)
        .withPath(str(file.location()))
        .withFormat("parquet")
        .withFileSizeInBytes(file.fileSizeInBytes())
        .withRecordCount(file.recordCount())
        .build()
    )
    target.newRowDelta().addDeletes(made).commit()
    table.versions.append(table.version)


def test_files_that_are_written_anew(own: SparkSession) -> None:
    table = Table(own, "moved", "PARTITIONED BY (p)")
    table.run(f"INSERT INTO {{t}} {ROWS} FROM range(20)")
    table.run(f"INSERT INTO {{t}} {ROWS} FROM range(5)")
    assert [table.source.size(version).rows for version in table.versions] == [0, 20, 25]
    table.run("DELETE FROM {t} WHERE k = 4")
    before = table.run("UPDATE {t} SET v = 'new', p = 1 WHERE k = 3")
    after = table.call("rewrite_data_files", ", options => map('rewrite-all', 'true')")
    assert table.source.same_rows(before, after)
    assert jobs(own, table.source.changes(before, after, ["k"])) == 0
    table.run("INSERT OVERWRITE {t} VALUES (1, NULL, 1), (2, 'x', 1)")
    assert len(set(table.versions)) == len(table.versions)
    table.check(["v", "k"])


def test_a_compaction_is_not_read(own: SparkSession) -> None:
    """What was added before all files were rewritten is read where it was added."""
    table = Table(own, "compacted")
    before = table.run(f"INSERT INTO {{t}} {ROWS} FROM range(5000)")
    table.run("INSERT INTO {t} VALUES (9, 'few', 1)")
    after = table.call("rewrite_data_files", ", options => map('rewrite-all', 'true')")
    found = table.source.changes(before, after, ["k", "v"])
    assert [tuple(row) for row in found.collect()] == [(9, "few", 1)]
    read = files_between(own, table_now(own, table.name), before, after)
    assert (read.tasks(1).size(), read.tasks(-1).size()) == (1, 0)
    table.check(["k", "v"], [(before, after), (table.versions[0], after)])


@pytest.mark.parametrize("version", ["2", "3"], ids=["position deletes", "deletion vectors"])
def test_rows_that_are_deleted_beside_their_files(own: SparkSession, version: str) -> None:
    table = Table(
        own, f"beside_{version}", f"TBLPROPERTIES ('format-version' = '{version}', {MERGE_ON_READ})"
    )
    table.run(f"INSERT INTO {{t}} {ROWS} FROM range(40)")
    table.run("DELETE FROM {t} WHERE k = 4")
    assert table.source.size(table.version).rows is None
    table.run("UPDATE {t} SET v = 'new' WHERE k = 3 AND p = 1")
    table.run("DELETE FROM {t} WHERE k = 3 OR v IS NULL")
    table.run(f"INSERT INTO {{t}} {ROWS} FROM range(5)")
    if version == "2":
        delete_equal(own, table, [1, 2])
        table.run("INSERT INTO {t} VALUES (1, 'after the delete', 0)")
    before = table.version
    after = table.call("rewrite_data_files", ", options => map('rewrite-all', 'true')")
    assert table.source.same_rows(before, after)
    table.check(["k", "v", "p"])


def test_rows_that_were_rolled_back(own: SparkSession) -> None:
    table = Table(own, "back")
    first = table.run(f"INSERT INTO {{t}} {ROWS} FROM range(10)")
    table.run("DELETE FROM {t} WHERE k = 1")
    gone = table.run("INSERT INTO {t} VALUES (8, 'gone', 0)")
    table.call("rollback_to_snapshot", f", {first}")
    last = table.run("INSERT INTO {t} VALUES (9, 'kept', 0)")
    table.check(["k", "v"], [(gone, last), (gone, first), (first, last)])


def test_snapshots_between_that_were_expired(own: SparkSession) -> None:
    table = Table(own, "expired")
    before = table.run(f"INSERT INTO {{t}} {ROWS} FROM range(10)")
    between = [table.run(f"DELETE FROM {{t}} WHERE k = {key}") for key in (1, 2)]
    after = table.run("INSERT INTO {t} VALUES (8, 'new', 0)")
    expired = ", ".join(f"{snapshot}L" for snapshot in between)
    own.sql(
        f"CALL iceberg.system.expire_snapshots(table => '{table.name}', "
        f"snapshot_ids => array({expired}))"
    )
    table.versions = [before, after]
    table.check(["k", "v"], [(before, after)])
    assert not table.source.readable(between[0])
    assert table.source.obstacle(between[0], after, ["k"]) == (
        f"snapshot {between[0]} of {table.name} has been expired"
    )


def test_columns_that_come_and_go(own: SparkSession) -> None:
    table = Table(own, "evolved")
    first = table.run(f"INSERT INTO {{t}} {ROWS} FROM range(10)")
    own.sql(f"ALTER TABLE {table.name} ADD COLUMN extra INT FIRST")
    own.sql(f"ALTER TABLE {table.name} RENAME COLUMN v TO w")
    renamed = table.run("INSERT INTO {t} VALUES (7, 20, 'x', 1)")
    table.check(["k", "w", "extra"], [(first, renamed), (renamed, first)])
    own.sql(f"ALTER TABLE {table.name} DROP COLUMN p")
    own.sql(f"ALTER TABLE {table.name} ADD COLUMN p INT")
    again = table.run("DELETE FROM {t} WHERE k = 20")
    obstacle = table.source.obstacle
    assert obstacle(renamed, again, ["k", "w"]) is None
    assert "is not the one of snapshot" in str(obstacle(renamed, again, ["p"]))
    assert "no column z" in str(obstacle(renamed, again, ["z"]))
    own.sql(f"ALTER TABLE {table.name} ALTER COLUMN k TYPE BIGINT")
    wider = table.run("INSERT INTO {t} VALUES (7, 30, 'x', 1)")
    assert "the column k" in str(obstacle(again, wider, ["k"]))
    table.versions = [renamed, again, wider]
    table.check(["w", "extra"])


def test_a_view_of_both_formats(own: SparkSession) -> None:
    table = Table(own, "shops", f"TBLPROPERTIES ('format-version' = '3', {MERGE_ON_READ})")
    table.run("INSERT INTO {t} VALUES (1, 'north', 0), (2, 'south', 0), (2, 'south', 0)")
    own.sql("CREATE TABLE sold USING delta AS SELECT * FROM VALUES (1, 5), (2, 7) AS t(shop, n)")
    db = rollview.connect(own)
    query = f"SELECT s.v, sum(o.n) AS n FROM sold o JOIN {table.name} s ON o.shop = s.k GROUP BY 1"
    db.create_view("both", query, policy="incremental")
    for statements in (
        ["INSERT INTO sold VALUES (1, 1), (3, 4)", "INSERT INTO {t} VALUES (3, 'east', 0)"],
        ["DELETE FROM {t} WHERE k = 2", "UPDATE sold SET n = n + 1 WHERE shop = 1"],
        ["UPDATE {t} SET v = 'north' WHERE k = 3", "DELETE FROM sold WHERE n = 7"],
    ):
        for statement in statements:
            own.sql(statement.replace("{t}", table.name))
        report = db.refresh("both")
        assert not isinstance(report, list)
        assert (report.mode, report.error) == (Mode.INCREMENTAL, None)
        assert_view_matches_recompute(db, "both")
    table.call("rewrite_data_files", ", options => map('rewrite-all', 'true')")
    again = db.refresh("both")
    assert not isinstance(again, list)
    assert again.mode is Mode.NOOP
