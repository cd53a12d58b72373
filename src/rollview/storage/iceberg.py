"""Iceberg base tables, read at snapshots."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType

from rollview.errors import SourceChanged, SourceVersionGone
from rollview.planning.statistics import ChangeSize, Size
from rollview.storage.base import TableState
from rollview.storage.encoding import quoted
from rollview.storage.iceberg_changes import (
    EMPTY,
    changed_rows,
    check_changes,
    in_present_fields,
    same_columns,
    snapshot_of,
    snapshots_between,
    version_of,
)
from rollview.storage.iceberg_sizes import change_size, table_size
from rollview.storage.net import no_change
from rollview.storage.tables import active, missing


class IcebergSource:
    """An Iceberg table by its catalog name, or by path; its version is the snapshot id.

    Columns are altered without a new snapshot, and reading one by its id gives the columns that it
    was written with. So what is read is put into the present columns, except where a query itself
    travels in time (``pinned``).
    """

    def __init__(
        self, spark: SparkSession, name: str, is_path: bool, *, pinned: bool = False
    ) -> None:
        self._spark = spark
        self._name = name
        self._is_path = is_path
        self._pinned = pinned

    def state(self) -> TableState:
        table = self._load()
        current = table.currentSnapshot()
        version = EMPTY if current is None else version_of(table, current)
        return TableState(version, str(table.uuid()), self._spark_schema(table))

    def read(self, version: str) -> DataFrame:
        reader = self._spark.read
        if self._is_path:
            reader = reader.format("iceberg")
        if version != EMPTY:
            reader = reader.option("versionAsOf", snapshot_of(version))
        try:
            found = reader.load(self._name) if self._is_path else reader.table(self._name)
        except (PySparkException, Py4JJavaError) as failure:
            raise SourceVersionGone(
                f"snapshot {version} of {self._name} can no longer be read",
                hint="refresh the view with full=True",
            ) from failure
        if version == EMPTY:
            return found.where("false")
        return found if self._pinned else self._in_present_columns(found, snapshot_of(version))

    def stamp(self, version: str) -> str | None:
        return None  # no version has the name of another

    def same_rows(self, before: str, after: str) -> bool:
        """True if only rewrites of files ("replace" snapshots) lie between the two."""
        table = self._load()
        if before == after or EMPTY in (before, after):
            return before == after
        first, snapshot = snapshot_of(before), table.snapshot(snapshot_of(after))
        while snapshot is not None and int(snapshot.snapshotId()) != first:
            parent = snapshot.parentId()
            if snapshot.operation() != "replace" or parent is None:
                return False
            snapshot = table.snapshot(parent)
        return snapshot is not None and same_columns(table, before, after)

    def obstacle(self, before: str, after: str, columns: Sequence[str]) -> str | None:
        try:
            check_changes(self._load(), self._name, before, after, columns)
        except (SourceChanged, SourceVersionGone) as failure:
            return failure.message
        return None

    def changes(self, before: str, after: str, columns: Sequence[str]) -> DataFrame:
        table = self._load()
        if check_changes(table, self._name, before, after, columns):
            return changed_rows(self._spark, self._name, self._is_path, before, after, columns)
        fields = {field.name.lower(): field for field in self._spark_schema(table).fields}
        kept = [fields[name.lower()] for name in columns]
        return no_change(
            self._spark,
            [StructField(name, f.dataType) for name, f in zip(columns, kept, strict=True)],
        )

    def readable(self, version: str) -> bool:
        return version == EMPTY or self._load().snapshot(snapshot_of(version)) is not None

    def size(self, version: str) -> Size:
        if version == EMPTY:
            return Size(0, 0, 0)
        snapshot = self._load().snapshot(snapshot_of(version))
        return table_size({} if snapshot is None else dict(snapshot.summary()))

    def change_size(self, before: str, after: str) -> ChangeSize:
        table = self._load()
        try:
            path = snapshots_between(table, self._name, before, after)
        except SourceVersionGone:
            return ChangeSize()
        return change_size([(str(s.operation()), dict(s.summary())) for s in path])

    def _in_present_columns(self, rows: DataFrame, snapshot_id: int) -> DataFrame:
        """By the columns' ids: names may have been given away, and given to others."""
        table = self._load()
        snapshot, now = table.snapshot(snapshot_id), table.schema()
        if snapshot is None or snapshot.schemaId() in (None, now.schemaId()):
            return rows
        then = table.schemas().get(snapshot.schemaId())
        columns = []
        for position, field in enumerate(self._spark_schema(table).fields):
            new = now.columns().get(position)
            old = then.findField(new.fieldId())
            value = "NULL"
            if old is not None:
                value = in_present_fields(quoted(str(old.name())), old.type(), new.type())
            columns.append(F.expr(value).cast(field.dataType).alias(field.name))
        return rows.select(*columns)

    def _spark_schema(self, table: Any) -> StructType:
        converted = self._jvm().org.apache.iceberg.spark.SparkSchemaUtil.convert(table.schema())
        return StructType.fromJson(json.loads(converted.json()))

    def _load(self) -> Any:
        try:
            if self._is_path:
                tables = self._jvm().org.apache.iceberg.hadoop.HadoopTables(self._conf())
                return tables.load(self._name)
            util = self._jvm().org.apache.iceberg.spark.Spark3Util
            with active(self._spark):  # it looks for catalogs in the session of its thread
                table = util.loadIcebergTable(self._spark._jsparkSession, self._name)
            table.refresh()  # catalogs hand out what they remember, dropped tables too
        except (PySparkException, Py4JJavaError) as failure:
            raise missing(self._name) from failure
        return table

    def _conf(self) -> Any:
        return self._spark._jsparkSession.sessionState().newHadoopConf()

    def _jvm(self) -> Any:
        return self._spark._jvm
