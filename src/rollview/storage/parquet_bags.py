"""Bags of rows as Parquet folders: what segments of state are on disk."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StructField, StructType

from rollview.errors import InternalError
from rollview.storage.base import WEIGHT
from rollview.storage.net import net as net_of
from rollview.storage.segments import Parts
from rollview.storage.signed import arriving, is_small, layout, staying
from rollview.storage.stored import decoded, encoded, stored_columns
from rollview.storage.tables import WHOLE_TIMESTAMPS, settings

# A part that is missing or damaged must never count as an empty one, whatever the session says.
_STRICT = {"ignoreMissingFiles": "false", "ignoreCorruptFiles": "false", "mergeSchema": "false"}
# A shredded variant comes back with other types of numbers than it was written with.
_EXACTLY = {"spark.sql.variant.writeShredding.enabled": "false", **WHOLE_TIMESTAMPS}


class ParquetBags:
    """Columns are stored as those of a backing table are, so every type can be."""

    def __init__(self, spark: SparkSession, scheme: str = "") -> None:
        self._spark = spark
        self._scheme = scheme  # what Spark wants to see before a path

    def write(
        self, folder: str, bag: DataFrame, columns: StructType, signed: bool, net: bool = False
    ) -> int:
        stored = encoded(bag, columns, weighted=signed)
        if signed and not net:
            stored = net_of(stored, layout(_stored_type(columns)).columns, exact=True)
        elif signed and is_small(stored):
            stored = stored.coalesce(1)  # one file each, of which there will be many
        counted = Observation()
        rows = stored.observe(counted, F.count(F.lit(1)).alias("rows"))
        with settings(self._spark, _EXACTLY):
            rows.write.mode("error").parquet(f"{self._scheme}{folder}")
        return int(counted.get["rows"])

    def read(self, parts: Parts, columns: StructType, change: DataFrame | None = None) -> DataFrame:
        plain = _stored_type(columns)
        base = self._load(parts.bases, plain)
        changes = [self._load(parts.deltas, _weighted(plain))] if parts.deltas else []
        if change is not None:
            changes.append(encoded(change, columns, weighted=True))
        if not changes:
            return decoded(base, columns)
        how = layout(plain)
        delta = reduce(DataFrame.unionAll, changes)
        rows = staying(base, delta, how).unionAll(arriving(base, delta, how, exact=True))
        return decoded(rows, columns)

    def apart(self, parts: Parts, columns: StructType) -> tuple[DataFrame, DataFrame | None]:
        plain = _stored_type(columns)
        base = decoded(self._load(parts.bases, plain), columns)
        if not parts.deltas:
            return base, None
        deltas = self._load(parts.deltas, _weighted(plain))
        return base, decoded(deltas, columns, weighted=True)

    def _load(self, folders: Sequence[str], schema: StructType) -> DataFrame:
        reader = self._spark.read.schema(schema).options(**_STRICT)
        return reader.parquet(*[f"{self._scheme}{folder}" for folder in folders])


def _stored_type(columns: StructType) -> StructType:
    found = StructType.fromDDL(", ".join(stored_columns(columns)))
    if not isinstance(found, StructType):
        raise InternalError(f"{columns.simpleString()} is stored as {found.simpleString()}")
    return StructType([StructField(field.name, field.dataType) for field in found.fields])


def _weighted(stored: StructType) -> StructType:
    return StructType([*stored.fields, StructField(WEIGHT, LongType())])
