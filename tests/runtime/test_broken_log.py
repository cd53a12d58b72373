"""A broken log of one view's rows: that view fails, its readers are skipped, the others go on."""

from __future__ import annotations

from pathlib import Path

import pytest

from rollview.errors import DefinitionCorrupt, DependencyFailed
from rollview.runtime import history, refresh
from rollview.runtime.broken_log import readable_log
from rollview.runtime.catalog import Catalog, StoredView
from rollview.runtime.lake import Lake
from rollview.runtime.pinning import Run
from rollview.runtime.refresh_view import Request
from rollview.runtime.report import Mode, RefreshReport
from rollview.runtime.status import statuses
from tests.runtime.lakes import NO_SPARK, bare_lake, view

VIEWS = (view("broken"), view("reader", "broken"), view("upper", "reader"), view("well"))


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """Four views whose tables were made and never filled; the record of one is no JSON."""
    lake = bare_lake(tmp_path)
    for made in VIEWS:
        Catalog(lake).add(made)
        text = '{"txn": ' if made.name == "broken" else '{"metaData": {}}'
        folder = lake.view_folder(made.view_id)
        lake.files.write(f"{folder}/data/_delta_log/{0:020}.json", text)
    return lake


@pytest.fixture
def refreshed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the views whose refresh was begun, in the place of refreshing them."""
    names: list[str] = []

    def refresh_view(_: Lake, __: Catalog, run: Run, found: StoredView, *___: object) -> object:
        names.append(found.name)
        assert run.number_at_start(found) is None
        return RefreshReport(found.name, Mode.FULL)

    monkeypatch.setattr(refresh, "refresh_view", refresh_view)
    return names


def test_only_the_broken_view_fails(lake: Lake, refreshed: list[str]) -> None:
    reports = {r.view: r for r in refresh.refresh_every(lake, Catalog(lake), Request())}
    assert {name: report.mode for name, report in reports.items()} == {
        "broken": Mode.FAILED,
        "reader": Mode.SKIPPED,
        "upper": Mode.SKIPPED,
        "well": Mode.FULL,
    }
    assert refreshed == ["well"]
    error = reports["broken"].error
    assert error is not None
    assert error["code"] == "LAKE.CORRUPT"
    told = "the log of the stored rows of broken cannot be read: JSONDecodeError: "
    assert str(error["message"]).startswith(told)
    assert error["hint"] == "restore it from a backup, or drop the view and create it again"
    assert told in str(reports["reader"].reason)
    assert history.read(lake, "id-broken", 5)[0].mode is Mode.FAILED


def test_asked_for_by_name(lake: Lake, refreshed: list[str]) -> None:
    catalog = Catalog(lake)
    with pytest.raises(DefinitionCorrupt, match="the log of the stored rows of broken"):
        refresh.refresh_one(lake, catalog, "broken", Request())
    with pytest.raises(DependencyFailed, match="upper was not refreshed, since reader, which"):
        refresh.refresh_one(lake, catalog, "upper", Request())
    assert refresh.refresh_one(lake, catalog, "well", Request()).mode is Mode.FULL
    assert refreshed == ["well"]


def test_a_reader_that_is_refreshed_alone(lake: Lake) -> None:
    run = Run(lake, Catalog(lake))
    with pytest.raises(DefinitionCorrupt, match="the log of the stored rows of broken"):
        run.vector(NO_SPARK, VIEWS[1].definition)


def test_the_status_tells_it(lake: Lake) -> None:
    found = {status.name: status for status in statuses(lake, Catalog(lake), None)}
    problem = found["broken"].problem
    assert problem is not None
    assert problem["code"] == "LAKE.CORRUPT"
    assert found["well"].problem is None


def test_the_end_of_spark_is_not_one_views_failure() -> None:
    with pytest.raises(ConnectionError), readable_log(VIEWS[0]):
        raise ConnectionRefusedError("nobody listens")
