"""Which adapter serves which table: the one place that knows every format by name."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from rollview.algebra.definition import Source, SourceKind
from rollview.errors import BadOption
from rollview.storage.base import Backing, ChangeSource, Changing
from rollview.storage.delta_backing import DeltaBacking
from rollview.storage.delta_lake import DeltaSource
from rollview.storage.files import Files
from rollview.storage.iceberg import IcebergSource
from rollview.storage.parquet_bags import ParquetBags
from rollview.storage.segments import Segments
from rollview.storage.tables import is_in_session_catalog, locate, name_parts
from rollview.storage.unversioned import UnversionedSource
from rollview.storage.view_rows import DeltaViewRows

DEFAULT_STORE = "delta"
STORES = ("delta",)


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
    check_store(store)
    return DeltaBacking(spark, location, view_id, columns)


def segments(spark: SparkSession, files: Files, folder: str) -> Segments[DataFrame]:
    """The state of a view's inner operators, below the folder of the view."""
    return Segments(ParquetBags(spark, "file:" if files.local else ""), files, folder)


def view_rows(
    spark: SparkSession, store: str, location: str, name: str, columns: StructType
) -> Changing:
    """A view's rows as what another view reads."""
    check_store(store)
    return DeltaViewRows(spark, name, location, columns)


def check_store(store: str) -> None:
    """Raise BadOption unless views can be stored that way."""
    if store not in STORES:
        raise BadOption(
            f"there is no view store {store!r}; there is: {', '.join(STORES)}",
            hint=f"leave it out, or use store={DEFAULT_STORE!r}",
        )
