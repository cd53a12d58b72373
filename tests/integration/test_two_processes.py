"""Two processes at one view: no reader sees a half-applied one, and no refresher undoes another."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.spark

ROWS = 200

WRITER = f"""
import sys, time
from pathlib import Path
import rollview
lake = Path(sys.argv[1])
with rollview.connect(lake) as db:
    db.spark.sql("CREATE TABLE t USING delta AS SELECT id, 0 AS round FROM range({ROWS})")
    db.create_view("v", "SELECT id, round FROM t")
    (lake / "ready").touch()
    for _ in range(600):
        if (lake / "reading").exists():
            break
        time.sleep(0.1)
    for number in range(1, 7):
        db.spark.sql(f"UPDATE t SET round = {{number}}")
        db.refresh("v")
    (lake / "done").touch()
"""

READER = f"""
import sys, time
from pathlib import Path
import rollview
lake = Path(sys.argv[1])
for _ in range(1200):
    if (lake / "ready").exists():
        break
    time.sleep(0.1)
seen = []
with rollview.connect(lake) as db:
    while True:
        last = (lake / "done").exists()
        rows = db.read("v").collect()
        rounds = {{row.round for row in rows}}
        assert len(rows) == {ROWS} and len(rounds) == 1, (len(rows), rounds)
        if seen[-1:] != [*rounds]:
            seen += rounds
        (lake / "reading").touch()
        if last:
            break
print(seen)
"""

# Both refresh the same views as fast as they can; the first one also commits to the base table, in
# a thread of its own, so that every refresh meets commits to its source.
REFRESHER = """
import json, sys, threading, time
from pathlib import Path
import rollview
lake, writes = Path(sys.argv[1]), sys.argv[2] == "writes"
committed, failed = [], []
with rollview.connect(lake) as db:
    if writes:
        db.spark.sql("CREATE TABLE t USING delta AS SELECT 0 AS a")
        db.create_view("v", "SELECT count(*) AS n FROM t")
        db.create_view("above", "SELECT n FROM v")
    (lake / sys.argv[2]).touch()
    while not ((lake / "writes").exists() and (lake / "only refreshes").exists()):
        time.sleep(0.1)

    def write():
        for number in range(1, 13):
            db.spark.sql(f"INSERT INTO t VALUES ({number})")
        (lake / "done").touch()

    if writes:
        threading.Thread(target=write).start()
    last = False
    while not last:
        last = (lake / "done").exists()
        for report in db.refresh():
            if report.error is not None:
                failed.append(report.to_dict())
            elif report.mode != "noop":
                [version] = report.to_versions.values()
                committed.append([report.view, report.number, version])
    if writes:
        for _ in range(600):
            if (lake / "ended").exists():
                break
            time.sleep(0.1)
        truth = db.spark.table("t").count()
        found = [db.spark.table(name).collect()[0].n for name in ("v", "above")]
        right = [db.verify(name).correct for name in ("v", "above")]
        stored = []
        for name in ("v", "above"):
            folder = db._catalog.get(name).view_id
            location = f"{db._lake.root}/views/{folder}/data"
            for version in range(1, len(list(Path(location, "_delta_log").glob("*.json")))):
                reader = db.spark.read.format("delta").option("versionAsOf", version)
                stored.append([name, version, reader.load(location).collect()[0].c0])
        kept = [
            [report.view, report.number, *report.to_versions.values()]
            for name in ("v", "above")
            for report in db.history(name)
            if report.mode != "noop"
        ]
        print(json.dumps([committed, failed, truth, found, right, stored, kept]))
    else:
        (lake / "ended").touch()
        print(json.dumps([committed, failed]))
"""


def test_two_refreshers_while_the_source_is_written(tmp_path: Path) -> None:
    roles = ("writes", "only refreshes")
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", REFRESHER, str(tmp_path), role],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for role in roles
    ]
    answers = [process.communicate(timeout=280) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], answers
    first, second = (json.loads(said) for said, _ in answers)
    returned, failed, truth, found, right, stored, kept = first
    assert failed + second[1] == []
    assert (truth, found, right) == (13, [13, 13], [True, True])
    commits = [(view, number) for view, number, _ in kept]
    assert len(set(commits)) == len(commits), "one number was committed twice"
    # A refresh returns the last commit of each view. If a view above was overtaken and the pass
    # repeated, there may have been an earlier one, which the history has.
    assert all(report in kept for report in returned + second[0])
    for name in ("v", "above"):
        counts = [count for view, _, count in stored if view == name]
        assert counts == sorted(counts), "a view went back in time"
        assert counts[-1] == 13
    # What each commit says it reflects is what it stored: version 0 of the table has one row.
    rows = {(view, version): count for view, version, count in stored}
    assert rows == {(view, number): int(at) + 1 for view, number, at in kept}


def test_a_reader_sees_whole_refreshes_only(tmp_path: Path) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(tmp_path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for program in (WRITER, READER)
    ]
    (_, wrong), (said, trouble) = (process.communicate(timeout=280) for process in processes)
    assert [process.returncode for process in processes] == [0, 0], wrong + trouble
    seen = [int(number) for number in said.strip("[]\n").split(", ")]
    assert seen == sorted(seen)
    assert len(seen) > 1
    assert seen[-1] == 6
