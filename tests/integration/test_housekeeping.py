"""What people do to keep a lake small: views stay right, and say what they could not go on from."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from rollview import Session
from rollview.runtime.report import Mode

pytestmark = pytest.mark.spark

REPOSITORY = Path(__file__).parents[2]
VIEWS = {
    "totals": "SELECT shop, count(*) AS n, sum(amount) AS s FROM orders GROUP BY shop",
    "named": "SELECT o.id, s.name FROM orders o JOIN shops s ON o.shop = s.code",
    "upper": "SELECT n, count(*) AS shops FROM totals GROUP BY n",
    "beside": "SELECT s.name, t.n FROM totals t JOIN shops s ON t.shop = s.code",
}

BEGIN = f"""
VIEWS = {VIEWS}
import json, sys
from pathlib import Path
import rollview
from tests.behaviours.stores import _clean_log

lake = Path(sys.argv[1])
tables = ("orders", "shops")


def open_lake():
    db = rollview.connect(lake)
    for name, value in {{
        "spark.databricks.delta.retentionDurationCheck.enabled": "false",
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": "4",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.codegen.wholeStage": "false",  # compiling takes longer than running
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }}.items():
        db.spark.conf.set(name, value)
    return db


def folders(db):
    backings = [Path(db._lake.view_folder(view.view_id), "data") for view in stored(db)]
    return [*(lake / "default.db" / name for name in tables), *backings]


def stored(db):
    return [db._catalog.get(info.name) for info in db.views()]


def compact_and_vacuum(db):
    for folder in folders(db):
        db.spark.sql(f"OPTIMIZE delta.`{{folder}}`")
        db.spark.sql(f"VACUUM delta.`{{folder}}` RETAIN 0 HOURS")


def refreshed(db):
    reports = {{report.view: [report.mode, report.reason] for report in db.refresh()}}
    print(json.dumps([reports, [name for name in VIEWS if not db.verify(name).correct]]))
"""

FIRST = f"""{BEGIN}
often = "TBLPROPERTIES (delta.checkpointInterval = 2, delta.enableDeletionVectors = false)"
with open_lake() as db:
    db.sql(f"CREATE TABLE orders (id INT, shop STRING, amount INT) USING delta {{often}}")
    db.sql(f"CREATE TABLE shops (code STRING, name STRING) USING delta {{often}}")
    db.sql("INSERT INTO orders VALUES (1, 'a', 10), (2, 'a', 20), (3, 'b', 5), (4, NULL, 1)")
    db.sql("INSERT INTO shops VALUES ('a', 'Alpha'), ('b', 'Beta'), ('c', 'Gamma')")
    for name, query in VIEWS.items():
        db.create_view(name, query, policy="incremental")
    db.sql("INSERT INTO orders VALUES (5, 'c', 7), (5, 'c', 7)")
    db.sql("UPDATE orders SET amount = 11 WHERE id = 1")
    refreshed(db)

    compact_and_vacuum(db)
    refreshed(db)  # what they reflect is read where it was moved to
    db.sql("INSERT INTO shops VALUES ('a', 'Again')")  # totals stays as it is, and is read
    refreshed(db)
    db.sql("INSERT INTO orders VALUES (6, 'b', 3)")
    refreshed(db)

    db.sql("DELETE FROM orders WHERE id = 2")
    db.sql("INSERT INTO shops VALUES ('d', 'Delta')")
    db.sql("INSERT INTO shops VALUES ('e', 'Epsilon')")
    compact_and_vacuum(db)
    for folder in folders(db)[1:]:  # of orders, the log stays
        _clean_log(db.spark, folder)
"""

SECOND = f"""{BEGIN}
with open_lake() as db:
    refreshed(db)
    refreshed(db)
    db.sql("INSERT INTO orders VALUES (7, 'd', 3), (8, 'a', 2)")
    db.sql("DELETE FROM orders WHERE id = 5")
    db.sql("UPDATE shops SET name = 'Omega' WHERE code = 'e' OR code = 'd'")
    refreshed(db)
"""


def said(lake: Path, program: str) -> list[tuple[dict[str, str], dict[str, Any]]]:
    """The modes and the reasons of each refresh of a process; after each all views were right."""
    done = subprocess.run(
        [sys.executable, "-c", program, str(lake)],
        capture_output=True,
        text=True,
        cwd=REPOSITORY,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [wrong for _, wrong in answers] == [[] for _ in answers], answers
    return [
        ({v: mode for v, (mode, _) in reports.items()}, {v: why for v, (_, why) in reports.items()})
        for reports, _ in answers
    ]


def test_views_outlive_compaction_vacuum_and_log_clean_up(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    lake.mkdir()
    changed, compacted, beside_a_still_view, appended = (modes for modes, _ in said(lake, FIRST))
    everywhere = dict.fromkeys(VIEWS, "incremental")
    assert changed == everywhere
    assert compacted == dict.fromkeys(VIEWS, "noop")
    assert beside_a_still_view == everywhere | {"totals": "noop", "upper": "noop"}
    assert appended == everywhere

    (lost, reasons), (again, _), (following, _) = said(lake, SECOND)
    assert lost == dict.fromkeys(VIEWS, "full")
    assert "have been vacuumed" in reasons["totals"]
    assert "have been vacuumed" in reasons["named"]
    assert "is not in its log any more" in reasons["upper"]
    assert "is not in its log any more" in reasons["beside"]
    assert again == dict.fromkeys(VIEWS, "noop")
    assert following == everywhere


def test_verify_after_a_source_was_compacted_and_vacuumed(db: Session, own: SparkSession) -> None:
    """The view reflects the version before the compaction, whose rows are all still there."""
    own.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    own.conf.set("spark.sql.sources.parallelPartitionDiscovery.parallelism", "4")
    own.sql("INSERT INTO orders VALUES (4, 'c', 40)")
    db.create_view("copied", "SELECT * FROM orders")
    own.sql("OPTIMIZE orders")
    own.sql("VACUUM orders RETAIN 0 HOURS")
    report = db.refresh("copied")
    assert not isinstance(report, list)
    assert report.mode is Mode.NOOP
    assert db.verify("copied").correct


def test_the_policy_decides_what_comes_of_a_history_that_is_gone(
    db: Session, own: SparkSession
) -> None:
    own.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    own.conf.set("spark.sql.sources.parallelPartitionDiscovery.parallelism", "4")
    query = "SELECT customer, sum(amount) AS amount FROM orders GROUP BY customer"
    db.create_view("helped", query, policy="incremental")
    db.create_view("strict", query, policy="strict")
    old = sorted(map(tuple, db.read("strict").collect()))
    own.sql("UPDATE orders SET amount = 11 WHERE id = 1")
    own.sql("UPDATE orders SET amount = 12 WHERE id = 1")
    own.sql("VACUUM orders RETAIN 0 HOURS")
    helped, strict = db.refresh()
    assert helped.mode is Mode.FULL
    assert "have been vacuumed" in str(helped.reason)
    assert strict.mode is Mode.FAILED
    assert strict.jobs == 0  # nothing was begun
    for part in ("strict", "have been vacuumed", "orders"):
        assert part in str(strict.error)
    assert sorted(map(tuple, db.read("strict").collect())) == old
    whole = db.refresh("strict", full=True)
    assert not isinstance(whole, list)
    assert whole.mode is Mode.FULL
    assert db.verify("strict").correct
    own.sql("UPDATE orders SET amount = 13 WHERE id = 1")
    assert [report.mode for report in db.refresh()] == [Mode.INCREMENTAL] * 2
