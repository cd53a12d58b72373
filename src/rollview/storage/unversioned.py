"""Base tables without versions (Parquet, CSV, JSON, ...): the file listing stands for one."""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from rollview.errors import SourceVersionGone
from rollview.planning.statistics import ChangeSize, Size
from rollview.storage.base import TableState
from rollview.storage.files import files_at
from rollview.storage.tables import layout_of, locate, missing, partitions

UNTRACKED = "untracked"


class UnversionedSource:
    """A table or path whose only version is the present one.

    What was pinned is recorded even if files change while they are read: the next refresh then
    finds another listing, and recomputes.
    """

    def __init__(
        self,
        spark: SparkSession,
        name: str,
        provider: str,
        location: str | None,
        options: tuple[tuple[str, str], ...],
        is_path: bool,
    ) -> None:
        self._spark = spark
        self._name = name
        self._provider = provider
        self._location = location
        self._options = options
        self._is_path = is_path

    def state(self) -> TableState:
        identity = self._location or self._name
        if self._is_path:
            version = self._listing()
            return TableState(version, identity, self._load().schema)
        schema: StructType = locate(self._spark, self._name).schema
        return TableState(self._listing(), identity, schema)

    def read(self, version: str) -> DataFrame:
        if not version.startswith(UNTRACKED) and version != self._listing():
            raise SourceVersionGone(
                f"the files of {self._name} have changed; a {self._provider} table keeps no "
                "earlier versions",
                hint="refresh the view first",
            )
        return self._load()

    def stamp(self, version: str) -> str | None:
        return None  # no version has the name of another

    def same_rows(self, before: str, after: str) -> bool:
        return before == after

    def obstacle(self, before: str, after: str, columns: Sequence[str]) -> str | None:
        return (
            f"{self._name} is a {self._provider} table, which keeps no earlier versions: what "
            "changed in it is not known"
        )

    def changes(self, before: str, after: str, columns: Sequence[str]) -> DataFrame:
        raise SourceVersionGone(
            self.obstacle(before, after, columns) or "", hint="refresh the view with full=True"
        )

    def readable(self, version: str) -> bool:
        return version == self._listing()

    def size(self, version: str) -> Size:
        return Size()

    def change_size(self, before: str, after: str) -> ChangeSize:
        return ChangeSize()

    def _load(self) -> DataFrame:
        try:
            if self._is_path:
                for path in self._name.split(","):
                    self._spark.catalog.refreshByPath(path)  # what is cached may be of older files
                options = dict(self._options)
                reader = self._spark.read.format(self._provider)
                if "schema" in options:
                    reader = reader.schema(options.pop("schema"))
                return reader.options(**options).load(self._name.split(","))
            self._spark.catalog.refreshTable(self._name)
            return self._spark.table(self._name)
        except PySparkException as failure:
            raise missing(self._name) from failure

    def _listing(self) -> str:
        """A digest of names, sizes and times of all files; always new where there are none."""
        if self._location is None:
            return f"{UNTRACKED}-{uuid.uuid4().hex}"
        locations = self._location.split(",") if self._is_path else [self._location]
        found = sorted(file for place in locations for file in _walk(self._spark, place))
        if not found and not all(_exists(self._spark, place) for place in locations):
            raise missing(self._name)
        if not self._is_path:
            found.append(layout_of(self._spark, self._name))
            for spec, place in partitions(self._spark, self._name):
                found.append(f"{spec} {place}")
                if not place.startswith(f"{self._location}/"):
                    found += sorted(_walk(self._spark, place))
        return hashlib.sha256("\n".join(found).encode()).hexdigest()[:24]


def _walk(spark: SparkSession, location: str) -> Iterator[str]:
    files, folder = files_at(spark, location)
    if files.local:
        yield from _walk_local(Path(folder))
        return
    where, fs = _hadoop(spark, location)
    listing = fs.listFiles(where, True)
    while listing.hasNext():
        status = listing.next()
        yield f"{status.getPath()} {status.getLen()} {status.getModificationTime()}"


def _walk_local(folder: Path) -> Iterator[str]:
    if folder.is_file():
        yield _described(folder)
    for root, _, names in os.walk(folder, followlinks=True):
        for name in names:
            if not name.startswith((".", "_")):
                yield _described(Path(root) / name)


def _described(path: Path) -> str:
    status = path.stat()
    return f"{path} {status.st_size} {status.st_mtime_ns}"


def _exists(spark: SparkSession, location: str) -> bool:
    files, folder = files_at(spark, location)
    if files.local:
        return Path(folder).exists()
    where, fs = _hadoop(spark, location)
    return bool(fs.exists(where))


def _hadoop(spark: SparkSession, location: str) -> tuple[Any, Any]:
    jvm: Any = spark._jvm
    where = jvm.org.apache.hadoop.fs.Path(location)
    return where, where.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf())
