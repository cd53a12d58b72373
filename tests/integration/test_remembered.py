"""What a folder-lake shows after a restart, besides tables that tell all about themselves."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.spark


def run(lake: Path, script: str) -> str:
    """What a process of its own prints that has the lake open as ``db``."""
    head = "import sys, rollview\nwith rollview.connect(sys.argv[1]) as db:\n    run = db.spark.sql"
    program = f"{head}\n{textwrap.indent(textwrap.dedent(script), '    ')}"
    done = subprocess.run(
        [sys.executable, "-c", program, str(lake)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_plain_views_and_tables_by_their_statement(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    lake.mkdir()
    run(
        lake,
        f"""
        run("CREATE TABLE lines (a INT, b STRING) USING csv")
        run("INSERT INTO lines VALUES (1, 'one')")
        run("CREATE TABLE things (a INT) USING json")
        run("INSERT INTO things VALUES (1)")
        run("CREATE TABLE parts (a INT, p STRING) USING parquet PARTITIONED BY (p)")
        run("INSERT INTO parts VALUES (1, 'x'), (2, 'y')")
        run("CREATE TABLE elsewhere (a INT) USING delta LOCATION '{tmp_path}/elsewhere'")
        run("INSERT INTO elsewhere VALUES (7)")
        run("CREATE TABLE t (a INT) USING delta")
        run("INSERT INTO t VALUES (1), (5)")
        db.create_view("counted", "SELECT count(*) AS n FROM t")
        run("SET spark.sql.session.timeZone = Asia/Tokyo")
        run("CREATE VIEW a_big (x) AS SELECT b_big.a FROM (SELECT * FROM t WHERE a > 3) b_big")
        run("CREATE VIEW on_view AS SELECT x, n FROM a_big CROSS JOIN counted")
        db.create_view("doubled", "SELECT x * 2 AS y FROM a_big", policy="incremental")
        """,
    )
    printed = run(
        lake,
        """
        for name in ("lines", "things", "parts", "elsewhere", "a_big", "on_view"):
            print(name, sorted(map(tuple, db.spark.table(name).collect())))
        print(db.spark.table("things").dtypes)
        run("INSERT INTO t VALUES (9)")
        run("INSERT INTO parts VALUES (3, 'z')")
        print(db.refresh("doubled").mode, sorted(map(tuple, db.read("doubled").collect())))
        run("DROP VIEW on_view")
        run("DROP TABLE elsewhere")
        run("CREATE OR REPLACE VIEW a_big (x) AS SELECT a FROM t WHERE a > 100")
        """,
    )
    assert printed.splitlines() == [
        "lines [(1, 'one')]",
        "things [(1,)]",
        "parts [(1, 'x'), (2, 'y')]",
        "elsewhere [(7,)]",
        "a_big [(5,)]",
        "on_view [(5, 2)]",
        "[('a', 'int')]",
        "incremental [(10,), (18,)]",
    ]
    printed = run(
        lake,
        """
        print([name for name in ("on_view", "elsewhere") if db.spark.catalog.tableExists(name)])
        print(db.spark.table("parts").count(), db.spark.table("a_big").count())
        print(db.refresh("doubled").reason)
        db.sql("DROP TABLE lines")
        """,
    )
    assert printed.splitlines()[:2] == ["[]", "3 0"]
    assert "`a_big` was redefined" in printed
    assert not (lake / "default.db" / "lines").exists()


def test_two_processes_and_one_name(tmp_path: Path) -> None:
    """The second is a session of its own beside the first one, as far as the files go."""
    away = tmp_path / "away"
    away.mkdir()
    (away / "1.csv").write_text("7\n")
    lake = tmp_path / "lake"
    lake.mkdir()
    printed = run(
        lake,
        f"""
        import subprocess
        from pathlib import Path

        def elsewhere(*statements):
            calls = "; ".join(f"db.sql({{s!r}})" for s in statements)
            text = f"import rollview, sys\\nwith rollview.connect(sys.argv[1]) as db: {{calls}}"
            subprocess.run([sys.executable, "-c", text, sys.argv[1]], check=True)

        run("CREATE VIEW p AS SELECT 1 AS a")
        run("CREATE VIEW q AS SELECT 1 AS a")
        db.status()
        elsewhere(
            "DROP VIEW p", "CREATE TABLE p (a INT) USING csv LOCATION '{away}'",
            "CREATE OR REPLACE VIEW q AS SELECT 2 AS a",
        )
        again = rollview.connect(sys.argv[1])
        print(again.spark.table("q").collect()[0].a)
        for _ in range(2):
            db.status()
        print(db.spark.table("p").collect()[0].a)
        Path("{away}").rename("{away}_gone")
        for _ in range(2):
            db.status()
        Path("{away}_gone").rename("{away}")
        for _ in range(2):
            db.status()
        elsewhere("SELECT a FROM p")
        print(db.spark.table("p").collect()[0].a)
        """,
    )
    assert printed.splitlines()[-3:] == ["2", "7", "7"]


def test_a_broken_table_does_not_keep_the_lake_shut(tmp_path: Path) -> None:
    home = tmp_path / "default.db"
    (home / "broken").mkdir(parents=True)
    (home / "broken" / "part.parquet").write_bytes(b"")
    printed = run(tmp_path, 'run("CREATE TABLE t (a INT) USING delta"); print("open")')
    assert "open" in printed
    assert "broken cannot be read as a table" in printed
