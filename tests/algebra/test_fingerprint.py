"""Equal for the same definition, different as soon as anything matters."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rollview.algebra.definition import Definition, Dependency, DependencyKind
from rollview.algebra.fingerprint import fingerprint
from tests.algebra.examples import EXAMPLES, PEOPLE, TEAMS
from tests.algebra.test_codec import definition_of, through_json


def test_stable_through_storage() -> None:
    definition = definition_of(EXAMPLES["aggregate"])
    assert fingerprint(through_json(definition)) == fingerprint(definition)


def test_all_examples_differ() -> None:
    prints = {fingerprint(definition_of(relation)) for relation in EXAMPLES.values()}
    assert len(prints) == len(EXAMPLES)


CHANGES: dict[str, dict[str, object]] = {
    "relation": {"relation": TEAMS},
    "settings": {"settings": (("spark.sql.ansi.enabled", "false"),)},
    "columns": {"columns": TEAMS.columns},
    "sources": {"sources": ()},
    "dependencies": {"dependencies": (Dependency(DependencyKind.VIEW, "v", "SELECT 1"),)},
}


@pytest.mark.parametrize("field", CHANGES)
def test_every_part_counts(field: str) -> None:
    before = definition_of(PEOPLE)
    after: Definition = replace(before, **CHANGES[field])  # type: ignore[arg-type]
    assert fingerprint(after) != fingerprint(before)


def test_plan_bytes_do_not_count_where_there_is_algebra() -> None:
    first = replace(definition_of(PEOPLE), text=None, plan="AAAA")
    second = replace(first, plan="BBBB")
    assert fingerprint(first) == fingerprint(second)


def test_text_counts_where_there_is_no_algebra() -> None:
    first = definition_of(None)
    assert fingerprint(replace(first, text="SELECT 2")) != fingerprint(first)
