"""What is declared, by table and under other names."""

from __future__ import annotations

from dataclasses import replace

from rollview.algebra.relations import Join, JoinKind
from rollview.analysis.constraints import Constraints, ForeignKey, Key
from tests.algebra.examples import PEOPLE, TEAMS

ID = Key("people", ("id",))
MEMBER = ForeignKey("people", ("team",), "teams", ("code",))
ALL = Constraints((ID, MEMBER))


def test_a_foreign_key_says_that_its_parent_has_a_key() -> None:
    assert ALL.keys("teams") == ((("code",), MEMBER),)
    assert ALL.keys("people") == ((("id",), ID),)


def test_what_is_trusted_is_preferred() -> None:
    trusted = Key("teams", ("code",), rely=True)
    assert Constraints((MEMBER, trusted)).keys("teams") == ((("code",), trusted),)


def test_renamed_leaves_other_tables_out() -> None:
    found = ALL.renamed({"people": "p"})
    assert found.all == (replace(ID, table="p"),)
    found = ALL.renamed({"people": "p", "teams": "t"})
    assert found.all[1] == ForeignKey("p", ("team",), "t", ("code",))


def test_only_what_the_scans_read_is_about_a_relation() -> None:
    both = Join(JoinKind.CROSS, PEOPLE, TEAMS)
    assert ALL.about(both) == ALL
    assert ALL.about(PEOPLE).all == (ID,)
    narrow = replace(PEOPLE, fields=PEOPLE.fields[1:], columns=PEOPLE.columns[1:])
    assert not ALL.about(narrow)


def test_in_words() -> None:
    assert str(ID) == "the key people (id)"
    assert str(MEMBER) == "the foreign key people (team) -> teams (code)"
