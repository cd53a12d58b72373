"""Housekeeping: what nobody owns goes, everything else stays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rollview.runtime import recovery
from rollview.runtime.catalog import Catalog
from rollview.runtime.lake import Lake
from rollview.storage.process import process, this_process
from tests.runtime.lakes import bare_lake, view


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    lake = bare_lake(tmp_path)
    for view_id in ("id-v", "orphan"):
        lake.files.write(f"{lake.view_folder(view_id)}/data/part", "rows")
    Catalog(lake).add(view("v"))
    return lake


def tidy(lake: Lake) -> list[str]:
    return recovery.tidy(lake, Catalog(lake))


def rewrite(lake: Lake, file: str, **changes: object) -> None:
    path = Path(lake.root) / file
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_folder_that_no_definition_names_goes(lake: Lake) -> None:
    assert tidy(lake) == ["orphan"]
    assert lake.files.names(f"{lake.root}/views") == ["id-v"]
    assert tidy(lake) == []


def test_a_claim_of_a_living_process_protects(lake: Lake) -> None:
    recovery.claim(lake, "orphan")
    assert tidy(lake) == []
    rewrite(lake, "claims/orphan.json", started="another time")
    assert tidy(lake) == ["orphan"]
    assert lake.files.names(f"{lake.root}/claims") == []


def test_a_claim_of_a_dead_process_does_not(lake: Lake) -> None:
    recovery.claim(lake, "orphan")
    dead = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"],
        capture_output=True,
        text=True,
        check=True,
    )
    rewrite(lake, "claims/orphan.json", process=int(dead.stdout))
    assert tidy(lake) == ["orphan"]


def sleeper() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])


def test_a_claim_of_a_dead_process_that_nobody_waited_for_does_not(lake: Lake) -> None:
    recovery.claim(lake, "orphan")
    with sleeper() as child:
        rewrite(lake, "claims/orphan.json", **process(child.pid).to_dict())
        assert tidy(lake) == []
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it stays a zombie
        assert tidy(lake) == ["orphan"]


def test_the_java_process_of_the_dead_is_waited_for(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sleeper() as java:
        lake.java = process(java.pid)
        recovery.claim(lake, "orphan")
        rewrite(lake, "claims/orphan.json", started="another time")
        monkeypatch.setattr(recovery, "JAVA_SECONDS", 0.1)
        assert tidy(lake) == []  # it may still write into the folder
        monkeypatch.setattr(recovery, "JAVA_SECONDS", 30)
        threading.Timer(0.5, java.kill).start()
        assert tidy(lake) == ["orphan"]


@pytest.mark.parametrize(
    "folder",
    ["", "claims", "definitions", "retired", "views/id-v/refreshes", "history/id-v"],
)
def test_what_the_dead_wrote_aside_goes(lake: Lake, folder: str) -> None:
    dead = replace(this_process(), started="1")
    path = Path(lake.root, folder, f".x.json.{dead.tag}.{'0' * 32}.aside")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    tidy(lake)
    assert not path.exists()


def test_a_claim_of_another_host_protects_for_days(lake: Lake) -> None:
    recovery.claim(lake, "orphan")
    rewrite(lake, "claims/orphan.json", host="elsewhere", process=os.getpid())
    assert tidy(lake) == []
    old = (datetime.now(UTC) - timedelta(days=8)).isoformat()
    rewrite(lake, "claims/orphan.json", at=old)
    assert tidy(lake) == ["orphan"]


def test_a_retired_view_is_kept_for_its_grace(lake: Lake) -> None:
    recovery.retire(lake, "orphan")
    assert tidy(lake) == []
    old = (datetime.now(UTC) - recovery.GRACE).isoformat()
    rewrite(lake, "retired/orphan.json", at=old)
    assert tidy(lake) == ["orphan"]
    assert lake.files.names(f"{lake.root}/retired") == []


def test_nothing_goes_while_a_definition_cannot_be_read(lake: Lake) -> None:
    lake.files.write(f"{lake.root}/definitions/bad.json", "{")
    assert tidy(lake) == []


def test_a_claim_that_is_no_longer_needed_goes(lake: Lake) -> None:
    recovery.claim(lake, "id-v")
    rewrite(lake, "claims/id-v.json", started="another time")
    assert tidy(lake) == ["orphan"]
    assert lake.files.names(f"{lake.root}/claims") == []
    assert lake.files.names(f"{lake.root}/views") == ["id-v"]
