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
    check_changes,
    in_present_fields,
    same_columns,
    snapshot_of,
    version_of,
)
from rollview.storage.iceberg_diff import (
    REPLACE,
    changed_rows,
    difference,
    is_there,
    path_between,
    standing_for,
)
from rollview.storage.iceberg_sizes import changed_between, size_at
from rollview.storage.iceberg_staging import is_supported
from rollview.storage.iceberg_table import EMPTY, table_now
from rollview.storage.net import net, no_change
from rollview.storage.tables import missing


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
        reader, snapshot = self._spark.read, self._standing_for(version)
        if self._is_path:
            reader = reader.format("iceberg")
        if version != EMPTY:
            reader = reader.option("versionAsOf", snapshot)
        try:
            found = reader.load(self._name) if self._is_path else reader.table(self._name)
        except (PySparkException, Py4JJavaError) as failure:
            raise SourceVersionGone(
                f"snapshot {version} of {self._name} can no longer be read",
                hint="refresh the view with full=True",
            ) from failure
        if version == EMPTY:
            return found.where("false")
        return found if self._pinned else self._in_present_columns(found, int(snapshot))

    def _standing_for(self, version: str) -> str:
        return standing_for(self._load(), snapshot_of(version))

    def stamp(self, version: str) -> str | None:
        return None  # no version has the name of another

    def same_rows(self, before: str, after: str) -> bool:
        """True if only rewrites of files ("replace" snapshots) lie between the two."""
        table = self._load()
        if before == after or EMPTY in (before, after):
            return before == after
        path = path_between(table, snapshot_of(before), snapshot_of(after))
        if path is None or any(snapshot.operation() != REPLACE for snapshot in path):
            return False
        return same_columns(table, before, after)

    def obstacle(self, before: str, after: str, columns: Sequence[str]) -> str | None:
        if not is_supported(self._spark):
            return f"the session's Iceberg is too old to tell what changed in {self._name}"
        try:
            check_changes(self._load(), self._name, before, after, columns)
        except (SourceChanged, SourceVersionGone) as failure:
            return failure.message
        return None

    def changes(self, before: str, after: str, columns: Sequence[str]) -> DataFrame:
        table = self._load()
        check_changes(table, self._name, before, after, columns)
        files = difference(self._spark, table, snapshot_of(before), snapshot_of(after))
        found = changed_rows(self._spark, table, files, columns)
        if found is not None:
            return net(found, columns, exact=True)
        fields = {field.name.lower(): field for field in self._spark_schema(table).fields}
        kept = [fields[name.lower()] for name in columns]
        return no_change(
            self._spark,
            [StructField(name, f.dataType) for name, f in zip(columns, kept, strict=True)],
        )

    def readable(self, version: str) -> bool:
        return is_there(self._load(), self._standing_for(version))

    def size(self, version: str) -> Size:
        return size_at(self._load(), snapshot_of(version))

    def change_size(self, before: str, after: str) -> ChangeSize:
        return changed_between(self._load(), snapshot_of(before), snapshot_of(after))

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
            return table_now(self._spark, self._name)
        except (PySparkException, Py4JJavaError) as failure:
            raise missing(self._name) from failure

    def _conf(self) -> Any:
        return self._spark._jsparkSession.sessionState().newHadoopConf()

    def _jvm(self) -> Any:
        return self._spark._jvm
