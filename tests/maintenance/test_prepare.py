"""Set operators and DISTINCT as counts: the maintained form, and what becomes of changes."""

from __future__ import annotations

import pytest

from rollview.algebra.relations import Union
from rollview.algebra.schema import Column
from rollview.algebra.traverse import walk
from rollview.maintenance.prepare import prepare
from tests.algebra.examples import DEFINITIONS, EXAMPLES
from tests.maintenance.people import (
    ALPHA,
    ANN,
    BEN,
    CAT,
    EVE,
    TABLES,
    closed,
    connection,
    founded,
    hired,
    left,
    refresh,
)
from tests.properties.cases import Case
from tests.properties.maintained import Maintained


@pytest.mark.parametrize("name", DEFINITIONS)
def test_the_prepared_relation_is_the_same_bag(name: str) -> None:
    Maintained(Case(TABLES, EXAMPLES[name], ()), connection()).check_prepared()


def test_distinct_waits_for_the_last_copy() -> None:
    assert not refresh(EXAMPLES["distinct"], left(ANN)).delta
    assert refresh(EXAMPLES["distinct"], left(ANN, BEN)).delta == {("a",): -1}


def test_intersect_is_by_set() -> None:
    assert not refresh(EXAMPLES["intersect"], left(ANN), founded(ALPHA)).delta
    assert refresh(EXAMPLES["intersect"], left(CAT), founded(("z", None))).delta == {
        ("b",): -1,
        ("z",): 1,
    }


def test_intersect_all_takes_the_smaller_number() -> None:
    assert refresh(EXAMPLES["intersect_all"], founded(ALPHA, ALPHA)).delta == {("a",): 1}


def test_except_is_by_set() -> None:
    assert refresh(EXAMPLES["except"], closed(ALPHA), left(EVE)).delta == {("a",): 1, ("z",): -1}


def test_except_all_takes_the_difference() -> None:
    done = refresh(EXAMPLES["except_all"], closed(ALPHA), hired((9, None, "b", 1)))
    assert done.delta == {("a",): 1, ("b",): 1}


def test_a_state_is_kept_once_however_often_it_occurs() -> None:
    counted = EXAMPLES["aggregate"]
    assert len(prepare(Union((counted, counted), counted.columns)).kept) == 1


@pytest.mark.parametrize("name", DEFINITIONS)
def test_every_operator_has_one_of_the_maintained_form_to_speak_for_it(name: str) -> None:
    prepared = prepare(EXAMPLES[name])
    maintained = set(walk(prepared.relation))
    assert EXAMPLES[name] in prepared.forms
    for node in prepared.forms:
        assert prepared.speaker(node) in maintained
        assert prepared.speaker(node) in prepared.parts(node)


@pytest.mark.parametrize("name", ["distinct", "except", "intersect_all", "aggregate"])
def test_counts_speak_for_what_is_maintained_by_counts(name: str) -> None:
    prepared = prepare(EXAMPLES[name])
    assert prepared.speaker(EXAMPLES[name]) == prepared.kept[0].relation


def test_every_operator_of_the_maintained_form_is_part_of_one() -> None:
    prepared = prepare(Union((EXAMPLES["except_all"], EXAMPLES["distinct"]), (Column("u", "INT"),)))
    parts = [part for node in prepared.forms for part in prepared.parts(node)]
    assert set(parts) == set(walk(prepared.relation))
