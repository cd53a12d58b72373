"""Declared keys in control files, and what a view may make use of; without Spark."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from rollview.analysis.constraints import Constraint, Constraints, ForeignKey, Key
from rollview.errors import DefinitionCorrupt
from rollview.runtime.catalog import Catalog, StoredView
from rollview.runtime.declared import _name, _told, declarations, declared, of_definition
from rollview.runtime.lake import Lake
from rollview.runtime.report import Policy
from rollview.runtime.standing import KEYS, Standing, standing
from rollview.storage.vector import Position, base_versions
from tests.algebra.examples import JoinKind, join
from tests.planning.views import definition_of
from tests.runtime.lakes import bare_lake, view

MEMBER = ForeignKey("lake.people", ("team",), "lake.teams", ("code",))
PERSON = Key("lake.people", ("id",))
OWN = ForeignKey("people", ("team",), "teams", ("code",))


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return bare_lake(tmp_path)


def write(lake: Lake, *some: Constraint) -> None:
    for one in some:
        path = f"{lake.root}/constraints/{_name(one)}.json"
        lake.files.write(path, json.dumps(_told(one).to_dict()))


def joined(**options: object) -> StoredView:
    found = replace(view("v"), definition=definition_of(join(JoinKind.INNER)))
    return replace(found, **options)  # type: ignore[arg-type]


def test_declarations_are_stored_without_loss(lake: Lake) -> None:
    trusted = replace(MEMBER, rely=True)
    write(lake, PERSON, trusted)
    assert set(declared(lake).values()) == {PERSON, trusted}
    assert {one.kind for one in declarations(lake)} == {"key", "foreign key"}


def test_declared_anew_it_takes_the_place_of_the_old_one(lake: Lake) -> None:
    write(lake, PERSON, replace(PERSON, rely=True))
    assert list(declared(lake).values()) == [replace(PERSON, rely=True)]


def test_a_broken_file_is_told(lake: Lake) -> None:
    lake.files.write(f"{lake.root}/constraints/x.json", "{}")
    with pytest.raises(DefinitionCorrupt, match="does not hold a declared key"):
        declared(lake)


def test_tables_are_called_what_the_scans_call_them(lake: Lake) -> None:
    write(lake, PERSON, MEMBER, Key("lake.others", ("a",)))
    found = of_definition(lake, definition_of(join(JoinKind.INNER)))
    assert set(found) == {OWN, Key("people", ("id",))}


def test_nothing_is_known_of_a_table_at_an_old_version(lake: Lake) -> None:
    write(lake, PERSON, MEMBER)
    found = of_definition(lake, definition_of(join(JoinKind.INNER), pinned=("teams",)))
    assert set(found) == {Key("people", ("id",))}


def test_what_is_new_is_not_made_use_of_before_it_was_looked_at(lake: Lake) -> None:
    write(lake, PERSON, MEMBER)
    known = standing(lake, joined(), joined().definition, {})
    assert known.all == Constraints((OWN,)), "the key of people is of no use to a join"
    assert not known.usable
    assert known.untested == known.all


def test_what_held_at_the_last_refresh_is(lake: Lake) -> None:
    write(lake, MEMBER)
    first = standing(lake, joined(), joined().definition, None)
    vector = {KEYS: first.position([OWN], [], [])}
    known = standing(lake, joined(), joined().definition, vector)
    assert known.usable == Constraints((OWN,))
    assert not known.usable_form
    assert not known.untested


def test_what_was_broken_is_neither_used_nor_looked_at_again(lake: Lake) -> None:
    write(lake, MEMBER)
    first = standing(lake, joined(), joined().definition, None)
    known = standing(lake, joined(), joined().definition, {KEYS: first.position([], [], [OWN])})
    assert not known.usable
    assert not known.untested


def test_what_is_trusted_is_used_at_once(lake: Lake) -> None:
    write(lake, replace(MEMBER, rely=True))
    known = standing(lake, joined(), joined().definition, None)
    assert known.usable.all == (replace(OWN, rely=True),)
    assert json.loads(known.position(known.usable.all, [], []).version)["holds"] == []


def test_a_self_maintaining_view_uses_what_is_trusted_alone(lake: Lake) -> None:
    write(lake, MEMBER)
    alone = joined(self_maintaining=True)
    assert standing(lake, alone, alone.definition, None) == Standing({})


def test_a_view_that_is_always_recomputed_uses_nothing(lake: Lake) -> None:
    write(lake, MEMBER)
    full = joined(policy=Policy.FULL)
    assert standing(lake, full, full.definition, None) == Standing({})


def test_what_was_found_is_no_version_of_a_table() -> None:
    found = Standing({OWN: "x"}).position([OWN], [OWN], [])
    assert base_versions({KEYS: found, "t": Position("t", "3", "id")}) == {"t": "3"}


def test_a_view_says_that_it_is_self_maintaining(lake: Lake) -> None:
    catalog = Catalog(lake)
    catalog.add(joined(self_maintaining=True))
    assert catalog.get("v").self_maintaining
