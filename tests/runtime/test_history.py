"""History: one small file per refresh."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rollview.runtime import history
from rollview.runtime.report import Mode, RefreshReport
from tests.runtime.lakes import bare_lake

START = datetime(2024, 1, 1, tzinfo=UTC)


def report(hour: int, view: str = "v") -> RefreshReport:
    return RefreshReport(
        view, Mode.FULL, to_versions={"t": str(hour)}, finished_at=START + timedelta(hours=hour)
    )


def test_reports_come_back_whole_newest_first(tmp_path: Path) -> None:
    lake = bare_lake(tmp_path)
    for hour in (1, 3, 2):
        history.record(lake, "x", report(hour))
    assert history.read(lake, "x", None) == [report(3), report(2), report(1)]
    assert history.read(lake, "x", 1) == [report(3)]
    assert history.read(lake, "none", None) == []


def test_several_views_are_merged_by_time(tmp_path: Path) -> None:
    lake = bare_lake(tmp_path)
    for hour in (1, 2, 3):
        history.record(lake, "xy"[hour % 2], report(hour, "xy"[hour % 2]))
    assert [r.to_versions["t"] for r in history.read_many(lake, ["x", "y"], 2)] == ["3", "2"]


def test_what_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    lake = bare_lake(tmp_path)
    history.record(lake, "x", report(1))
    lake.files.write(f"{lake.root}/history/x/20990101.json", "{")
    assert history.read(lake, "x", None) == [report(1)]


def test_the_oldest_are_pruned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "_KEPT", 2)
    monkeypatch.setattr(history, "_SLACK", 1)
    lake = bare_lake(tmp_path)
    for hour in range(5):
        history.record(lake, "x", report(hour))
        history.prune(lake, "x")
    assert [r.to_versions["t"] for r in history.read(lake, "x", None)] == ["4", "3", "2"]
    history.forget(lake, "x")
    assert history.read(lake, "x", None) == []
