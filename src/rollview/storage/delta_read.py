"""All rows of a Delta table at a version, without the jobs by which Delta looks for its files.

Delta's own reader rebuilds the state of the log for each version that it is asked for, and then
runs a job per scan to skip files. Where a checksum lists the files of a version and they are small
in sum, reading all of them takes less than that.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, SparkSession

from rollview.storage.delta_log import latest_alike, listed_files, snapshot_at
from rollview.storage.files import files_at
from rollview.storage.tables import active

_SMALL = 64 * 2**20  # bytes up to which no files are skipped


def rows_of(spark: SparkSession, location: str, version: str) -> DataFrame:
    """All rows at a version; PySpark's error if it can no longer be read."""
    # It is the last one to lose its files.
    alike = latest_alike(*files_at(spark, location), int(version))
    small = _by_checksum(spark, location, alike)
    if small is not None:
        return small
    return spark.read.format("delta").option("versionAsOf", str(alike)).load(location)


def _by_checksum(spark: SparkSession, location: str, version: int) -> DataFrame | None:
    snapshot = snapshot_at(spark, location, version)
    listed = None if snapshot is None else listed_files(snapshot)
    if snapshot is None or listed is None:
        return None
    if int(snapshot.checksumOpt().get().tableSizeBytes()) > _SMALL:
        return None
    jvm: Any = spark._jvm
    with active(spark):
        frame = snapshot.deltaLog().createDataFrame(
            snapshot, listed, False, jvm.scala.Option.empty()
        )
    return DataFrame(frame, spark)
