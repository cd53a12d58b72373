"""kill -9 at chosen moments: Spark's Java process under Python, and Python above its Java process.

tests/soak does the same at random moments, many times.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = pytest.mark.spark

# Short lives: what Java's second compiler would gain it costs first.
ENVIRONMENT = {**os.environ, "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1"}

# One Python process whose Java process is killed three times: before a commit, after one, at rest.
LOSES_JAVA = """
import json, os, signal, sys
import rollview
from rollview import RollviewError
from rollview.storage import faults

lake, said = sys.argv[1], []

def opened():
    db = rollview.connect(lake)
    return db, db._lake.java.number

def killed_at(point, do):
    with faults.planned(point, lambda: os.kill(java, signal.SIGKILL)):
        return tried(do)

def name(mode):
    return mode if mode in ("noop", "failed") else "refreshed"

def tried(do):
    try:
        report = do()
        return [name(report.mode), report.number]
    except RollviewError as error:
        return [error.code, error.message]

db, java = opened()
db.spark.sql("CREATE TABLE t USING delta AS SELECT 1 AS a")
db.create_view("v", "SELECT count(*) AS n FROM t")
db.spark.sql("INSERT INTO t VALUES (2)")
said.append(killed_at("commit.candidate", lambda: db.refresh("v")))
said[-1].append(str(java))
for do in (lambda: db.refresh(), lambda: db.verify("v"), lambda: db.status("v"),
           lambda: db.create_view("w", "SELECT 1 AS one"), lambda: db.sql("SELECT 1")):
    said.append(tried(do)[:1])
db.close()

db, java = opened()
said.append(tried(lambda: db.refresh("v")))
db.spark.sql("INSERT INTO t VALUES (3)")
said.append(killed_at("commit.committed", lambda: db.refresh("v")))
said.append(tried(lambda: db.refresh("v"))[:1])

db, java = opened()
said.append(tried(lambda: db.refresh("v")))
said.append([row.n for row in db.read("v").collect()] + [db.verify("v").correct])
said.append([name(report.mode) for report in db.history("v")])
os.kill(java, signal.SIGKILL)
db.close()
print(json.dumps(said))
"""


def test_python_outlives_its_java_process(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOSES_JAVA, str(tmp_path)],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=280,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    before, *meanwhile, again, after, then, at_last, rows, history = json.loads(done.stdout)
    code, message, java = before
    assert code == "SPARK.DIED"
    assert message == f"Spark's Java process {java} died during: compute v"
    assert meanwhile == [["SPARK.DIED"]] * 5
    assert again == ["refreshed", 2]
    assert after == ["refreshed", 3]  # the log says so, and reading it takes no Java
    assert then == ["SPARK.DIED"]
    assert at_last == ["noop", 3]
    assert rows == [3, True]
    assert history == ["noop", "refreshed", "refreshed", "failed", "refreshed"]


# A refresh whose commit takes long enough to be killed in the middle of it. What the Java process
# reads from is kept open by another process, so that it does not see that its Python is gone.
LEAVES_JAVA = """
import subprocess, sys
import rollview
from pyspark import SparkContext

lake = sys.argv[1]
db = rollview.connect(lake)
keeper = subprocess.Popen(["sleep", "300"], pass_fds=[SparkContext._gateway.proc.stdin.fileno()])
db.spark.sql("CREATE TABLE t USING delta AS SELECT 0 AS ms")
db.create_view(
    "v", "SELECT reflect('java.lang.Thread', 'sleep', bigint(ms)) IS NULL AS woke, ms FROM t"
)
db.spark.sql("INSERT INTO t VALUES (4000)")
print(db._lake.java.number, keeper.pid, flush=True)
db.refresh("v", full=True)
"""

COMES_NEXT = """
import json, sys
import rollview
from rollview import RollviewError

db = rollview.connect(sys.argv[1])
print("open", flush=True)
for seconds in sys.stdin:
    db._lake.lock_seconds = float(seconds)
    try:
        report = db.refresh("v")
        rows = sorted(row.ms for row in db.read("v").collect())
        print(json.dumps([report.mode, report.number, rows, db.verify("v").correct]), flush=True)
    except RollviewError as error:
        print(json.dumps([error.code, error.message]), flush=True)
db.close()
"""


def test_a_java_process_that_outlives_its_python_is_waited_for(tmp_path: Path) -> None:
    with running(LEAVES_JAVA, tmp_path) as first, running(COMES_NEXT, tmp_path) as second:
        java, keeper = map(int, line(first).split())
        try:
            assert line(second) == "open"
            wait_until(lambda: bool(list(tmp_path.rglob("refreshes/2.*.json"))))
            first.kill()
            code, message = asked(second, 1)
            assert code == "LAKE.BUSY"
            assert f"the Java process {java} of process {first.pid}, which is dead" in message
            time.sleep(5)
            assert asked(second, 0)[0] == "LAKE.BUSY"  # the rows are written, but it is still there
        finally:
            os.kill(keeper, signal.SIGKILL)
        # The dead wrote rows, and nobody was left to commit them.
        assert asked(second, 60) == ["full", 2, [0, 4000], True]
        assert [path.name for path in tmp_path.rglob("refreshes/2.*")] == ["2.json"]


@contextmanager
def running(program: str, lake: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", program, str(lake)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def asked(process: subprocess.Popen[str], seconds: float) -> list[object]:
    """The answer to a refresh that waits for locks so many seconds."""
    assert process.stdin is not None
    process.stdin.write(f"{seconds}\n")
    process.stdin.flush()
    answer: list[object] = json.loads(line(process))
    return answer


def wait_until(is_so: Callable[[], bool]) -> None:
    for _ in range(600):
        if is_so():
            return
        time.sleep(0.1)
    raise AssertionError("it did not happen within a minute")
