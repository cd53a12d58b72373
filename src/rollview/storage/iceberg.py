"""Iceberg base tables, read at snapshots."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from rollview.errors import SourceVersionGone
from rollview.storage.base import TableState
from rollview.storage.tables import active, missing

_EMPTY = "none"


class IcebergSource:
    """An Iceberg table by its catalog name, or by path; its version is the snapshot id."""

    def __init__(self, spark: SparkSession, name: str, is_path: bool) -> None:
        self._spark = spark
        self._name = name
        self._is_path = is_path

    def state(self) -> TableState:
        table = self._load()
        current = table.currentSnapshot()
        version = _EMPTY if current is None else str(current.snapshotId())
        spark_schema = self._jvm().org.apache.iceberg.spark.SparkSchemaUtil.convert(table.schema())
        schema = StructType.fromJson(json.loads(spark_schema.json()))
        return TableState(version, str(table.uuid()), schema)

    def read(self, version: str) -> DataFrame:
        reader = self._spark.read
        if self._is_path:
            reader = reader.format("iceberg")
        if version != _EMPTY:
            reader = reader.option("versionAsOf", version)
        try:
            found = reader.load(self._name) if self._is_path else reader.table(self._name)
        except (PySparkException, Py4JJavaError) as failure:
            raise SourceVersionGone(
                f"snapshot {version} of {self._name} can no longer be read",
                hint="refresh the view with full=True",
            ) from failure
        return found.where("false") if version == _EMPTY else found

    def same_rows(self, before: str, after: str) -> bool:
        """True if only rewrites of files ("replace" snapshots) lie between the two."""
        table = self._load()
        snapshot = None if after == _EMPTY else table.snapshot(int(after))
        while snapshot is not None and str(snapshot.snapshotId()) != before:
            parent = snapshot.parentId()
            if snapshot.operation() != "replace" or parent is None:
                return False
            snapshot = table.snapshot(parent)
        return snapshot is not None

    def obstacle(self, before: str, after: str, columns: Sequence[str]) -> str | None:
        return f"what changed in the Iceberg table {self._name} is not known"

    def changes(self, before: str, after: str, columns: Sequence[str]) -> DataFrame:
        raise SourceVersionGone(
            self.obstacle(before, after, columns) or "", hint="refresh the view with full=True"
        )

    def readable(self, version: str) -> bool:
        return version == _EMPTY or self._load().snapshot(int(version)) is not None

    def rows(self, version: str) -> int | None:
        if version == _EMPTY:
            return 0
        snapshot = self._load().snapshot(int(version))
        total = None if snapshot is None else snapshot.summary().get("total-records")
        return None if total is None else int(total)

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
