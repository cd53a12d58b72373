"""Versions of an Iceberg table, and whether its columns are the same at two of them.

Columns are known by their ids: names may have been given away, and given to others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rollview.errors import SourceChanged, SourceVersionGone
from rollview.storage.encoding import quoted
from rollview.storage.iceberg_diff import is_there, standing_for
from rollview.storage.iceberg_table import EMPTY

REPLACED = "@"


def version_of(table: Any, snapshot: Any) -> str:
    """A snapshot, and the schema that its rows are read by if it is not the snapshot's own.

    To drop a column and to add another of its name makes no snapshot, and yet other rows.
    """
    version, now = str(snapshot.snapshotId()), table.schema()
    if snapshot.schemaId() in (None, now.schemaId()):
        return version
    return f"{version}{REPLACED}{now.schemaId()}"


def same_columns(table: Any, before: str, after: str) -> bool:
    """Whether every name, at any depth, that both versions have is of the same column in both."""
    old, new = (_ids(_schema_of(table, version)) for version in (before, after))
    return all(new[name] == id for name, id in old.items() if name in new)


def _ids(schema: Any) -> dict[str, int]:
    return {} if schema is None else {str(n): int(i) for i, n in dict(schema.idToName()).items()}


def _schema_of(table: Any, version: str) -> Any | None:
    """The columns that the rows of a version are read by."""
    if version == EMPTY:
        return None
    number = version.partition(REPLACED)[2]
    snapshot = table.snapshot(int(standing_for(table, snapshot_of(version))))
    if not number and (snapshot is None or snapshot.schemaId() is None):
        return None
    return table.schemas().get(int(number or snapshot.schemaId()))


def snapshot_of(version: str) -> str:
    """The snapshot of a version."""
    return version.partition(REPLACED)[0]


def in_present_fields(value: str, old: Any, new: Any, depth: int = 0) -> str:
    """SQL text for a value whose nested fields are put where fields of their ids are now."""
    if str(old) == str(new) or str(new.typeId()) != str(old.typeId()):
        return value
    kind, item = str(new.typeId()), f"e{depth}"
    if kind == "STRUCT":
        parts = []
        for field in new.fields():
            before = old.field(field.fieldId())
            inner = "NULL"
            if before is not None:
                place = f"{value}.{quoted(str(before.name()))}"
                inner = in_present_fields(place, before.type(), field.type(), depth + 1)
            name = str(field.name()).replace("\\", "\\\\").replace("'", "\\'")
            parts += [f"'{name}'", inner]
        return f"IF({value} IS NULL, NULL, named_struct({', '.join(parts)}))"
    if kind == "LIST":
        inner = in_present_fields(item, old.elementType(), new.elementType(), depth + 1)
        return f"transform({value}, {item} -> {inner})"
    if kind == "MAP":
        inner = in_present_fields(item, old.valueType(), new.valueType(), depth + 1)
        return f"transform_values({value}, (k{depth}, {item}) -> {inner})"
    return value


def check_changes(table: Any, name: str, before: str, after: str, columns: Sequence[str]) -> None:
    """Raise SourceVersionGone or SourceChanged if the changes of these columns cannot be had."""
    for version in (before, after):
        if not is_there(table, standing_for(table, snapshot_of(version))):
            raise _gone(f"snapshot {version} of {name} has been expired")
    then, later = _schema_of(table, before), _schema_of(table, after)
    for column in columns:
        now = table.schema().caseInsensitiveFindField(column)
        if now is None:
            raise _changed(f"{name} has no column {column} any more")
        same = None if then is None else then.caseInsensitiveFindField(column)
        if same is not None and same.fieldId() != now.fieldId():
            raise _changed(f"the column {column} of {name} is not the one of snapshot {before}")
        for schema in (then, later):
            old = None if schema is None else schema.findField(now.fieldId())
            if old is not None and str(old.type()) != str(now.type()):
                raise _changed(f"the column {column} of {name} was {old.type()}, is {now.type()}")
        if then is not None and same is None and now.initialDefault() is not None:
            raise _changed(f"the column {column} of {name} came with a value for older rows")


def _gone(what: str) -> SourceVersionGone:
    return SourceVersionGone(what, hint="refresh the view with full=True")


def _changed(what: str) -> SourceChanged:
    return SourceChanged(what, hint="refresh the view with full=True")
