"""What changed in an Iceberg table between two snapshots, by Iceberg's own changelog scan.

It reads the data files that the snapshots between added and removed, and leaves out those that only
rewrite files. Snapshots with delete files (merge-on-read) it cannot read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from rollview.errors import SourceChanged, SourceVersionGone
from rollview.storage.base import WEIGHT
from rollview.storage.encoding import quoted
from rollview.storage.net import net

EMPTY = "none"
REPLACED = "@"
_RESERVED = {"_change_type", "_change_ordinal", "_commit_snapshot_id"}


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
    snapshot = table.snapshot(snapshot_of(version))
    if not number and (snapshot is None or snapshot.schemaId() is None):
        return None
    return table.schemas().get(int(number or snapshot.schemaId()))


def snapshot_of(version: str) -> int:
    """The snapshot of a version."""
    return int(version.partition(REPLACED)[0])


def changed_rows(
    spark: SparkSession, name: str, is_path: bool, before: str, after: str, columns: Sequence[str]
) -> DataFrame:
    """The net change of these columns between two snapshots that `check_changes` has passed."""
    reader = spark.read.option("end-snapshot-id", snapshot_of(after))
    if before != EMPTY:
        reader = reader.option("start-snapshot-id", snapshot_of(before))
    if is_path:
        rows = reader.format("iceberg").load(f"{name}#changes")
    else:
        rows = reader.table(f"{name}.changes")
    there = {column.lower(): column for column in rows.columns}
    values = [F.col(quoted(there[column.lower()])) for column in columns]
    weight = F.expr("IF(_change_type = 'INSERT', 1L, -1L)").alias(WEIGHT)
    return net(rows.select(*values, weight), columns, exact=True)


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


def check_changes(table: Any, name: str, before: str, after: str, columns: Sequence[str]) -> bool:
    """Whether rows may have changed. Raises SourceVersionGone or SourceChanged if none can tell."""
    path = snapshots_between(table, name, before, after)
    if _RESERVED & {str(column.name()).lower() for column in table.schema().columns()}:
        raise _changed(f"{name} has a column of a name that Iceberg keeps for its changelog")
    _check_columns(table, name, before, path, columns)
    changing = [snapshot for snapshot in path if snapshot.operation() != "replace"]
    for snapshot in changing:
        if not snapshot.deleteManifests(table.io()).isEmpty():
            raise _gone(
                f"snapshot {snapshot.snapshotId()} of {name} has delete files (merge-on-read), of "
                "which Iceberg cannot tell what they changed"
            )
    return bool(changing)


def snapshots_between(table: Any, name: str, before: str, after: str) -> list[Any]:
    """The snapshots after one up to another, newest first. Raises SourceVersionGone."""
    found: list[Any] = []
    at, first = (v if v == EMPTY else str(snapshot_of(v)) for v in (after, before))
    while at != first:
        snapshot = None if at == EMPTY else table.snapshot(int(at))
        if snapshot is None:
            why = "it was rolled back" if at == EMPTY else f"snapshot {at} between them has expired"
            raise _gone(f"snapshot {after} of {name} does not descend from {before}, or {why}")
        found.append(snapshot)
        at = EMPTY if snapshot.parentId() is None else str(snapshot.parentId())
    return found


def _check_columns(
    table: Any, name: str, before: str, path: list[Any], columns: Sequence[str]
) -> None:
    """Columns are their ids; a file without one has NULL there."""
    then = _schema_of(table, before)
    schemas = [table.schemas().get(snapshot.schemaId()) for snapshot in path]
    for column in columns:
        now = table.schema().caseInsensitiveFindField(column)
        if now is None:
            raise _changed(f"{name} has no column {column} any more")
        same = None if then is None else then.caseInsensitiveFindField(column)
        if same is not None and same.fieldId() != now.fieldId():
            raise _changed(f"the column {column} of {name} is not the one of snapshot {before}")
        for schema in (*schemas, then):
            old = None if schema is None else schema.findField(now.fieldId())
            if old is not None and str(old.type()) != str(now.type()):
                raise _changed(f"the column {column} of {name} was {old.type()}, is {now.type()}")


def _gone(what: str) -> SourceVersionGone:
    return SourceVersionGone(what, hint="refresh the view with full=True")


def _changed(what: str) -> SourceChanged:
    return SourceChanged(what, hint="refresh the view with full=True")
