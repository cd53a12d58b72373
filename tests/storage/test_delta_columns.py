"""Columns followed through versions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rollview.errors import SourceChanged
from rollview.storage.delta_columns import check_same, columns_of, picked


def metadata(mapped: bool = False, **columns: Any) -> dict[str, Any]:
    """Columns as name=type, or name=(type, physical name)."""
    fields = []
    for name, what in columns.items():
        type, physical = what if isinstance(what, tuple) else (what, None)
        extra = {"delta.columnMapping.physicalName": physical} if physical else {}
        fields.append({"name": name, "type": type, "nullable": True, "metadata": extra})
    return {
        "schemaString": json.dumps({"type": "struct", "fields": fields}),
        "configuration": {"delta.columnMapping.mode": "name"} if mapped else {},
    }


def follow(columns: list[str], *versions: dict[str, Any]) -> str:
    """What is wrong with the columns, or nothing."""
    history = [columns_of(number, found) for number, found in enumerate(versions)]
    try:
        check_same("t", columns, history)
    except SourceChanged as failure:
        return failure.message
    return ""


def test_the_same_all_the_way() -> None:
    assert follow(["a", "B"], metadata(a="integer", b="string")) == ""
    assert follow(["a"], metadata(a="integer"), metadata(a="integer", b="string")) == ""
    assert follow(["b"], metadata(a="integer"), metadata(a="integer", b="string")) == ""


def test_dropped_renamed_and_never_there() -> None:
    before = metadata(True, a=("integer", "p"), b=("integer", "q"))
    assert follow(["a"], before, metadata(True, b=("integer", "q"))) == (
        "the column a of t was dropped between version 0 and version 1"
    )
    renamed = metadata(True, c=("integer", "p"), b=("integer", "q"))
    assert follow(["a"], before, renamed) == (
        "the column a of t was renamed to c between version 0 and version 1"
    )
    assert follow(["c", "b"], before, renamed) == ""
    assert follow(["z"], before, renamed) == "t has no column z at version 1"


def test_another_column_of_the_same_name() -> None:
    before = metadata(True, a=("integer", "p"), b=("integer", "q"))
    swapped = metadata(True, b=("integer", "p"), a=("integer", "q"))
    assert "is not the one that it had at version 0" in follow(["a"], before, swapped)
    assert follow(["a"], metadata(a="integer"), metadata(True, a=("integer", "a"))) == ""


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("integer", "long", "was INT at version 0 and is BIGINT at version 1"),
        ("decimal(10,2)", "decimal(12,2)", "was DECIMAL(10,2)"),
    ],
)
def test_retyped(was: str, now: str, said: str) -> None:
    assert said in follow(["a"], metadata(a=was), metadata(a=now))
    assert follow(["b"], metadata(a=was, b="string"), metadata(a=now, b="string")) == ""


def test_retyped_in_between() -> None:
    assert "was STRING at version 1" in follow(
        ["a"], metadata(a="integer"), metadata(a="string"), metadata(a="integer")
    )


def test_nested_types() -> None:
    def struct(nullable: bool, *names: str) -> dict[str, Any]:
        fields = [
            {"name": name, "type": "integer", "nullable": nullable, "metadata": {"comment": name}}
            for name in names
        ]
        one = {"type": "struct", "fields": fields}
        return {"type": "array", "elementType": one, "containsNull": nullable}

    assert follow(["a"], metadata(a=struct(True, "x")), metadata(a=struct(False, "x"))) == ""
    assert "was ARRAY<STRUCT<X: INT>>" in follow(
        ["a"], metadata(a=struct(True, "x")), metadata(a=struct(True, "x", "y"))
    ).replace("X:INT", "X: INT")


def test_picked_columns_have_the_names_that_were_asked_for() -> None:
    schema = picked(metadata(True, Ab=("integer", "p"), c=("string", "q")), ["c", "ab"])
    assert schema.simpleString() == "struct<c:string,ab:int>"
