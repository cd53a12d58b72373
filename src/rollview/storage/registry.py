"""Which adapter serves which table: the one place that knows every format by name."""

from __future__ import annotations

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from rollview.algebra.definition import Source, SourceKind
from rollview.errors import BadOption, SessionUnsuitable
from rollview.storage import formats
from rollview.storage.base import Backing, ChangeSource, Changing
from rollview.storage.delta_backing import DeltaBacking
from rollview.storage.delta_lake import DeltaSource
from rollview.storage.encoding import quoted
from rollview.storage.files import Files
from rollview.storage.iceberg import IcebergSource
from rollview.storage.iceberg_backing import IcebergBacking
from rollview.storage.iceberg_staging import is_supported
from rollview.storage.parquet_bags import ParquetBags
from rollview.storage.segments import Segments
from rollview.storage.tables import is_in_session_catalog, locate, name_parts
from rollview.storage.unversioned import UnversionedSource
from rollview.storage.view_rows import DeltaViewRows, IcebergViewRows

DEFAULT_STORE = "delta"
STORES = ("delta", "iceberg")
"""The names of stores: the second is that of a catalog, after which a namespace may follow."""
_NAMESPACE = "rollview"


def source(spark: SparkSession, wanted: Source) -> ChangeSource:
    """The adapter for a base table as it is now, whatever it was when the view was defined."""
    if wanted.kind is SourceKind.PATH:
        return _path_source(spark, wanted)
    pinned = wanted.pinned is not None
    if not is_in_session_catalog(name_parts(spark, wanted.name)):
        if wanted.provider == "iceberg":
            return IcebergSource(spark, wanted.name, is_path=False, pinned=pinned)
        return UnversionedSource(spark, wanted.name, wanted.provider, None, (), is_path=False)
    table = locate(spark, wanted.name)
    match table.provider:
        case "delta" if table.location is not None:
            return DeltaSource(spark, wanted.name, table.location)
        case "iceberg":
            return IcebergSource(spark, wanted.name, is_path=False, pinned=pinned)
        case provider:
            return UnversionedSource(
                spark, wanted.name, provider, table.location, (), is_path=False
            )


def _path_source(spark: SparkSession, wanted: Source) -> ChangeSource:
    match wanted.provider:
        case "delta":
            return DeltaSource(spark, wanted.name, wanted.name)
        case "iceberg":
            pinned = wanted.pinned is not None
            return IcebergSource(spark, wanted.name, is_path=True, pinned=pinned)
        case provider:
            return UnversionedSource(
                spark, wanted.name, provider, wanted.name, wanted.options, is_path=True
            )


def backing(
    spark: SparkSession, store: str, location: str, view_id: str, columns: StructType
) -> Backing[DataFrame]:
    """The adapter for a view's backing table."""
    if store == DEFAULT_STORE:
        return DeltaBacking(spark, location, view_id, columns)
    return IcebergBacking(spark, _table(spark, store, view_id), location, columns)


def segments(spark: SparkSession, files: Files, folder: str) -> Segments[DataFrame]:
    """The state of a view's inner operators, below the folder of the view."""
    return Segments(ParquetBags(spark, "file:" if files.local else ""), files, folder)


def view_rows(
    spark: SparkSession, store: str, location: str, view_id: str, name: str, columns: StructType
) -> Changing:
    """A view's rows as what another view reads."""
    if store == DEFAULT_STORE:
        return DeltaViewRows(spark, name, location, columns)
    table = ".".join(quoted(part) for part in _table(spark, store, view_id))
    return IcebergViewRows(spark, name, table, location, columns)


def lies_elsewhere(store: str) -> bool:
    """Whether a view's rows are in a catalog, and do not go with the folder of the view."""
    return store != DEFAULT_STORE


def announce(spark: SparkSession, store: str, view_id: str) -> None:
    """Let a session see the newest rows of a view, whatever its catalog remembers."""
    if lies_elsewhere(store):
        IcebergBacking(spark, _table(spark, store, view_id), "", StructType()).announce()


def check_store(spark: SparkSession, store: str) -> None:
    """Raise BadOption, or SessionUnsuitable, unless the session can store views that way."""
    if store == DEFAULT_STORE:
        formats.check_session(spark)
        return
    catalog = _parts(spark, store)[0]
    found = spark.conf.get(f"spark.sql.catalog.{catalog}", None) or ""
    if "iceberg" not in found.lower():
        raise BadOption(
            f"there is no view store {store!r}: the session has no Iceberg catalog {catalog!r}",
            hint=f"leave it out, use store={DEFAULT_STORE!r}, or name a catalog and a namespace: "
            'store="iceberg_catalog.namespace"',
        )
    if not is_supported(spark):
        raise SessionUnsuitable(
            f"the session's Iceberg is too old for views to be stored in {store}",
            hint="use Iceberg 1.11 or newer",
        )


def _table(spark: SparkSession, store: str, view_id: str) -> list[str]:
    """The table of a view, as the parts of its name."""
    return [*_parts(spark, store), f"v_{view_id}"]


def _parts(spark: SparkSession, store: str) -> list[str]:
    """The catalog and the namespace of a store."""
    try:
        parts = name_parts(spark, store)
    except (PySparkException, Py4JJavaError) as failure:
        raise BadOption(
            f"{store!r} does not name a catalog and a namespace",
            hint='write store="iceberg_catalog.namespace"',
        ) from failure
    return parts if len(parts) > 1 else [*parts, _NAMESPACE]
