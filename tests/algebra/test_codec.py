"""Algebra to JSON and back without loss, and clear words for data that is not algebra."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings

from rollview.algebra.codec import decode, encode
from rollview.algebra.definition import Definition, Reason, ReasonCode, Source, SourceKind
from rollview.algebra.relations import Relation
from rollview.errors import DefinitionCorrupt
from tests.algebra.examples import EXAMPLES, PEOPLE
from tests.algebra.generators import definitions, relation_trees


def definition_of(relation: Relation | None) -> Definition:
    source = Source("people", SourceKind.TABLE, "lake.people", "delta", PEOPLE.columns)
    return Definition(
        text="SELECT 1",
        plan=None,
        columns=() if relation is None else relation.columns,
        relation=relation,
        sources=(source,),
        dependencies=(),
        settings=(("spark.sql.ansi.enabled", "true"),),
        reasons=(Reason(ReasonCode.NOT_UNDERSTOOD, "piece", "message"),),
    )


def through_json(definition: Definition) -> Definition:
    return decode(json.loads(json.dumps(encode(definition))))


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_survive(name: str) -> None:
    definition = definition_of(EXAMPLES[name])
    assert through_json(definition) == definition


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(relation_trees())
def test_any_relation_survives(relation: Relation) -> None:
    definition = definition_of(relation)
    assert through_json(definition) == definition


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(definitions())
def test_any_definition_survives(definition: Definition) -> None:
    assert through_json(definition) == definition


def test_enums_come_back_as_enums() -> None:
    back = through_json(definition_of(EXAMPLES["join_left"]))
    assert back.sources[0].kind is SourceKind.TABLE
    assert back.reasons[0].code is ReasonCode.NOT_UNDERSTOOD


@pytest.mark.parametrize(
    "change",
    [
        {"node": "Nonsense"},
        {"node": "Column", "name": "x"},
        {"extra": 1},
        {"sources": [{"node": "Source"}]},
        {"relation": {"node": "Join", "kind": "sideways"}},
    ],
    ids=str,
)
def test_corrupt_data_is_named(change: dict[str, object]) -> None:
    data = {**encode(definition_of(PEOPLE)), **change}
    with pytest.raises(DefinitionCorrupt):
        decode(data)


def test_missing_field_is_named() -> None:
    data = encode(definition_of(PEOPLE))
    del data["settings"]
    with pytest.raises(DefinitionCorrupt, match="settings"):
        decode(data)
