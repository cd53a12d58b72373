"""The local session: where tables land, what is quiet, what happens to other sessions."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.spark


def run(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own, since a process has one Java for all its life."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(program)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_tables_land_in_the_folders_of_their_schemas_without_a_sound(tmp_path: Path) -> None:
    (tmp_path / "my lake's").mkdir()
    outcome = run(
        """
        import os
        from pathlib import Path
        from pyspark.errors import AnalysisException
        from rollview.runtime.local_spark import start
        lake = Path("my lake's")
        spark = start(lake)
        for key, value in {
            "spark.sql.adaptive.enabled": "false",
            "spark.sql.shuffle.partitions": str(os.cpu_count()),
            "spark.databricks.delta.snapshotPartitions": "1",
            "spark.ui.enabled": "false",
        }.items():
            assert spark.conf.get(key) == value, key
        spark.sql("CREATE TABLE a AS SELECT 1 AS x")
        spark.range(3).write.saveAsTable("b")
        spark.sql("CREATE SCHEMA s")
        spark.sql("CREATE TABLE s.c USING delta AS SELECT 1 AS x")
        spark.sql("CREATE TABLE iceberg.n.d AS SELECT 1 AS x")
        assert start(lake).table("iceberg.n.d").count() == 1
        spark.stop()
        again = start(lake)
        assert again.read.load("my lake's/default.db/b").count() == 3
        try:
            again.sql("SELECT 1 FROM nowhere")
        except AnalysisException:
            again.stop()
        """,
        tmp_path,
    )
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, "", "")
    lake = tmp_path / "my lake's"
    assert [file.name for file in tmp_path.iterdir()] == [lake.name]
    for table in ("default.db/a", "default.db/b", "s.db/c"):
        assert (lake / table / "_delta_log").is_dir()
    assert (lake / "iceberg/n/d/metadata").is_dir()


def test_other_sessions_are_refused_with_the_fix(tmp_path: Path) -> None:
    outcome = run(
        """
        from pathlib import Path
        from pyspark.sql import SparkSession
        from rollview.errors import SessionUnsuitable
        from rollview.runtime.local_spark import start

        def refused(lake):
            try:
                start(Path(lake))
            except SessionUnsuitable as error:
                print(error)

        spark = start(Path("one"))
        refused("two")
        spark.stop()
        # The Java process stays, so that this needs no second one.
        SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
        refused("one")
        """,
        tmp_path,
    )
    assert outcome.returncode == 0, outcome.stderr
    first, first_hint, second, second_hint = outcome.stdout.splitlines()
    assert f"a Spark session for the lake {tmp_path / 'one'} is active" in first
    assert "a Spark session that rollview did not start is active" in second
    assert "rollview.connect(spark)" in first_hint
    assert first_hint == second_hint


def test_java_process_of_somebody_else_without_delta(tmp_path: Path) -> None:
    outcome = run(
        """
        from pathlib import Path
        from pyspark.sql import SparkSession
        from rollview.errors import SessionUnsuitable
        from rollview.runtime.local_spark import start
        theirs = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
        theirs.getOrCreate().stop()
        try:
            start(Path("."))
        except SessionUnsuitable as error:
            print(error)
        """,
        tmp_path,
    )
    assert "an earlier Spark session left in this program has no Delta Lake" in outcome.stdout


def test_settings_that_spark_refuses_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROLLVIEW_DRIVER_MEMORY", "lots")
    outcome = run(
        """
        from pathlib import Path
        from rollview.errors import SessionUnsuitable
        from rollview.runtime.local_spark import start
        try:
            start(Path("."))
        except SessionUnsuitable as error:
            print(error)
        """,
        tmp_path,
    )
    assert "Spark did not start: " in outcome.stdout
    assert "lots" in outcome.stdout
