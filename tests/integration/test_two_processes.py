"""One process refreshes while another reads: no reader ever sees a half-applied view."""

from __future__ import annotations

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
