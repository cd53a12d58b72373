"""Sessions and folders that will do, and those that will not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import rollview
from rollview import Session
from rollview import errors as e
from rollview.runtime import connect as connecting
from rollview.testing import assert_same_rows
from tests.integration.conftest import control

pytestmark = pytest.mark.spark


def test_sessions_that_will_not_do(own: SparkSession) -> None:
    with pytest.raises(e.SessionUnsuitable, match="takes a SparkSession or a folder, not a int"):
        rollview.connect(3)  # type: ignore[arg-type]
    with pytest.raises(e.SparkUnsupported, match=r"Spark 3\.5\.1 is not supported"):
        connecting._check_version("3.5.1")
    with pytest.raises(e.SessionUnsuitable, match="there is no schema nowhere"):
        rollview.connect(own, schema="nowhere")
    with pytest.raises(e.SessionUnsuitable, match=r"views cannot live in the schema iceberg.x"):
        rollview.connect(own, schema="iceberg.x")
    with pytest.raises(e.BadOption, match="there is no view store 'tape'"):
        rollview.connect(own, store="tape")
    bare = own.newSession()
    bare.conf.set("spark.sql.catalog.spark_catalog", "org.example.Nothing")
    with pytest.raises(e.SessionUnsuitable, match="has no Delta Lake, in which views are stored"):
        rollview.connect(bare)


def test_folders_that_will_not_do(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(e.LakeNotFound, match=r"the lake folder .*/none does not exist"):
        rollview.connect(tmp_path / "none")
    (tmp_path / "file").write_text("")
    with pytest.raises(e.LakeNotFound, match="is not a folder"):
        rollview.connect(tmp_path / "file")
    with pytest.raises(e.SessionUnsuitable, match="is active in this process"):
        rollview.connect(tmp_path)


def test_control_state_that_cannot_be_written(db: Session, own: SparkSession) -> None:
    control(db).write_text("a file where the folder should be")
    again = rollview.connect(own)
    assert again.views() == []
    with pytest.raises(e.LakeNotWritable, match=r"cannot write .*/_rollview: File exists"):
        again.create_view("counted", "SELECT count(*) AS n FROM orders")
    assert not own.catalog.tableExists("counted")
    control(db).unlink()
    again.create_view("counted", "SELECT count(*) AS n FROM orders")
    assert_same_rows(again.read("counted"), [(3,)])


def test_a_folder_shows_what_others_put_there(spark: SparkSession, tmp_path: Path) -> None:
    lake = Path(spark.conf.get("spark.rollview.lake") or "")
    db = rollview.connect(lake)
    spark.sql("CREATE TABLE things USING delta AS SELECT 1 AS a")
    spark.sql("CREATE TABLE plain USING parquet AS SELECT 2 AS a")
    home = lake / "default.db"
    for made in ("things", "plain"):
        shutil.copytree(home / made, home / f"{made}_copy")
    shutil.copytree(home / "things", lake / "shop.db" / "things")
    shutil.copytree(home / "things", lake / "odd name.db" / "things")
    query = "SELECT a FROM things_copy UNION ALL SELECT a FROM plain_copy"
    db.create_view("copies", f"{query} UNION ALL SELECT a FROM shop.things")
    assert_same_rows(spark.table("copies"), [(1,), (1,), (2,)])
    db.drop_view("copies")
    db.sql("DROP TABLE things_copy")
    db.sql("DROP TABLE plain_copy")
    assert not (home / "things_copy").exists()
    shutil.rmtree(home / "things")
    db.views()
    with pytest.raises(e.UnknownTable, match="things"):
        db.create_view("gone", "SELECT * FROM things")
    spark.sql("DROP TABLE plain")
    shutil.rmtree(lake / "odd name.db")
    db.sql("DROP SCHEMA shop CASCADE")


PLAIN = """
    import rollview
    from pyspark.sql import SparkSession
    plain = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    try:
        rollview.connect(plain.getOrCreate())
    except rollview.RollviewError as error:
        print(error)
"""


def test_a_session_without_delta(tmp_path: Path) -> None:
    """A Spark as it comes from the shop, in a process of its own: this one has the jars."""
    environment = {k: v for k, v in os.environ.items() if k != "PYSPARK_GATEWAY_PORT"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PLAIN)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    message, hint = done.stdout.splitlines()
    told = "the Spark session has no Delta Lake, in which views are stored (it has neither)"
    assert message == f"[SETUP.SESSION] {told}"
    assert hint.endswith("and the package io.delta:delta-spark_4.1_2.13:4.4.0")
    assert not (tmp_path / "spark-warehouse").exists()


FIRST = """
    import os, signal, sys, rollview
    from rollview.storage import faults
    db = rollview.connect(sys.argv[1])
    db.sql("CREATE TABLE orders USING delta AS SELECT 1 AS id")
    db.create_view("counted", "SELECT count(*) AS n FROM orders")
    db.sql("INSERT INTO orders VALUES (2)")
    with faults.planned("commit.committed", lambda: os.kill(os.getpid(), signal.SIGKILL)):
        db.refresh("counted")
"""
SECOND = """
    import sys, rollview
    with rollview.connect(sys.argv[1]) as db:
        print(db.spark.table("counted").collect()[0]["n"], db.spark.table("orders").count())
        report = db.refresh("counted")
        print(report.mode, report.number, [r.mode.value for r in db.history("counted")])
        print(db.verify("counted").correct)
"""


def test_a_folder_survives_the_death_of_its_process(tmp_path: Path) -> None:
    lake = tmp_path / "a lake"
    lake.mkdir()
    environment = {k: v for k, v in os.environ.items() if k != "PYSPARK_GATEWAY_PORT"}

    def run(program: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", textwrap.dedent(program), str(lake)]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=300, check=False
        )

    assert run(FIRST).returncode == -9
    second = run(SECOND)
    assert second.stdout.splitlines() == ["2 2", "noop 2 ['noop', 'full']", "True"], second.stderr
    assert second.stderr == ""
