"""Columns of a Delta table through its versions: is a named column the same one all the way?

Under column mapping a column is its physical name, which data files use and a rename keeps; without
it, the name is the column. Either way files of any version can be read with the newest schema, if
the physical column never had another type: where it did not exist yet, it is NULL.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql.types import StructType

from rollview.errors import SourceChanged
from rollview.storage.delta_log import Action

_PHYSICAL = "delta.columnMapping.physicalName"
_MODE = "delta.columnMapping.mode"


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns that a table has from one version on, by lower-case name."""

    version: int
    fields: dict[str, dict[str, Any]]
    physical: dict[str, str]
    partitions: frozenset[str]

    def name_of(self, physical: str) -> str | None:
        """The name of a physical column."""
        names = [f["name"] for low, f in self.fields.items() if self.physical[low] == physical]
        return names[0] if names else None


def columns_of(version: int, metadata: Action) -> Columns:
    """The columns in a table's metadata, as the log has it."""
    fields = {field["name"].lower(): field for field in _fields(metadata)}
    mapped = metadata.get("configuration", {}).get(_MODE, "none") != "none"
    physical = {
        name: field["metadata"].get(_PHYSICAL, field["name"]) if mapped else field["name"]
        for name, field in fields.items()
    }
    partitions = (physical[name.lower()] for name in metadata.get("partitionColumns", []))
    return Columns(version, fields, physical, frozenset(partitions))


def picked(metadata: Action, columns: Sequence[str]) -> StructType:
    """The named columns as Spark sees them, under these names, in this order."""
    found = {field["name"].lower(): field for field in _fields(metadata)}
    fields = [{**found[name.lower()], "name": name, "metadata": {}} for name in columns]
    return StructType.fromJson({"type": "struct", "fields": fields})


def check_same(table: str, columns: Sequence[str], history: Sequence[Columns]) -> None:
    """Raise SourceChanged unless these columns are the same ones at both ends of the history.

    In between they may have other names, but no other types: files of then may have to be read.
    """
    newest = history[-1]
    for older in history[:-1]:
        if older.partitions != newest.partitions:
            raise _changed(
                f"{table} is partitioned by other columns than at version {older.version}: its "
                "files of then lack columns of now"
            )
    for name in columns:
        low = name.lower()
        if low not in newest.fields:
            raise _changed(_gone(table, name, history))
        if history[0].physical.get(low, newest.physical[low]) != newest.physical[low]:
            raise _changed(
                f"the column {name} of {table} is not the one that it had at version "
                f"{history[0].version}; that one was dropped or renamed by version {newest.version}"
            )
        for older in history[:-1]:
            _check_type(table, name, older, newest)


def _check_type(table: str, name: str, older: Columns, newest: Columns) -> None:
    then = older.name_of(newest.physical[name.lower()])
    if then is None:
        return
    was, now = older.fields[then.lower()]["type"], newest.fields[name.lower()]["type"]
    if _shape(was) != _shape(now):
        raise _changed(
            f"the column {name} of {table} was {_spelled(was)} at version {older.version} and is "
            f"{_spelled(now)} at version {newest.version}"
        )


def _gone(table: str, name: str, history: Sequence[Columns]) -> str:
    newest = history[-1]
    there = [older for older in history if name.lower() in older.fields]
    if not there:
        return f"{table} has no column {name} at version {newest.version}"
    now = newest.name_of(there[0].physical[name.lower()])
    fate = "was dropped" if now is None else f"was renamed to {now}"
    versions = f"between version {there[0].version} and version {newest.version}"
    return f"the column {name} of {table} {fate} {versions}"


def _shape(type: Any) -> Any:
    """A type without nullability and comments; fields of structs with their physical names."""
    if isinstance(type, str):
        return type
    match type["type"]:
        case "struct":
            return [
                (f["name"], f["metadata"].get(_PHYSICAL), _shape(f["type"])) for f in type["fields"]
            ]
        case "array":
            return ["array", _shape(type["elementType"])]
        case "map":
            return ["map", _shape(type["keyType"]), _shape(type["valueType"])]
        case _:
            return json.dumps(type, sort_keys=True)


def _spelled(type: Any) -> str:
    one = {"name": "x", "type": type, "nullable": True, "metadata": {}}
    schema = StructType.fromJson({"type": "struct", "fields": [one]})
    return schema.fields[0].dataType.simpleString().upper()


def _fields(metadata: Action) -> list[dict[str, Any]]:
    fields: list[dict[str, Any]] = json.loads(metadata["schemaString"])["fields"]
    return fields


def _changed(what: str) -> SourceChanged:
    return SourceChanged(what, hint="refresh the view with full=True")
