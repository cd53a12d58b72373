"""Definition files: one per view, found in any case, whole or refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from rollview.errors import Conflict, DefinitionCorrupt, UnknownView, ViewExists
from rollview.maintenance.choice import Choice
from rollview.maintenance.strategies import choose
from rollview.runtime.catalog import Catalog
from tests.runtime.lakes import bare_lake, view


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return Catalog(bare_lake(tmp_path))


def test_a_view_is_stored_without_loss_and_found_in_any_case(catalog: Catalog) -> None:
    catalog.add(view("Totals"))
    assert catalog.get("tOTALS") == view("Totals")
    assert catalog.readable() == ({"totals": view("Totals")}, {})


def test_the_strategy_of_a_view_is_stored_with_its_options(
    catalog: Catalog, tmp_path: Path
) -> None:
    choice = choose("counting")
    catalog.add(view("v", choice=choice))
    assert catalog.get("v").choice == choice
    file = tmp_path / "_rollview" / "definitions" / "v.json"
    stored = json.loads(file.read_text())
    assert (stored["strategy"], stored["options"]) == ("counting", dict(choice.options))
    del stored["options"]  # as earlier versions wrote it
    file.write_text(json.dumps(stored | {"strategy": "auto"}))
    assert catalog.get("v").choice == Choice()
    file.write_text(json.dumps(stored | {"strategy": "magic"}))
    with pytest.raises(DefinitionCorrupt, match="there is no strategy 'magic'"):
        catalog.get("v")


def test_a_name_is_taken_once(catalog: Catalog) -> None:
    catalog.add(view("Totals"))
    with pytest.raises(ViewExists, match="a materialized view TOTALS exists already"):
        catalog.add(view("TOTALS"))


def test_only_the_view_that_was_seen_is_replaced(catalog: Catalog) -> None:
    catalog.add(view("v"))
    catalog.replace(replace(view("v"), view_id="new"), "id-v")
    with pytest.raises(Conflict, match="the view v was replaced or dropped by somebody else"):
        catalog.replace(view("v"), "id-v")
    assert catalog.get("v").view_id == "new"


def test_an_unknown_view_names_its_neighbours(catalog: Catalog) -> None:
    with pytest.raises(UnknownView, match="there are: none yet"):
        catalog.get("totals")
    catalog.add(view("totals"))
    with pytest.raises(UnknownView, match="did you mean: totals"):
        catalog.get("total")
    with pytest.raises(UnknownView, match="there are: totals"):
        catalog.get("zzz")


def test_an_unreadable_view_hides_no_other(catalog: Catalog, tmp_path: Path) -> None:
    catalog.add(view("good"))
    (tmp_path / "_rollview" / "definitions" / "bad.json").write_text("{")
    views, errors = catalog.readable()
    assert list(views) == ["good"]
    assert isinstance(errors["bad"], DefinitionCorrupt)
    catalog.remove("bad")
    assert catalog.listed() == ["good"]
