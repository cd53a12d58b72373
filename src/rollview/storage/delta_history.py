"""What is left of an older version of a Delta table, and how large it was; known from the log."""

from __future__ import annotations

import json
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from rollview.storage.delta_diff import Commit, file_key, row_count, to_commit
from rollview.storage.delta_files import all_there
from rollview.storage.delta_log import Action, commits, read_actions, snapshot_at
from rollview.storage.files import files_at

_LIVE = "CAST(get_json_object(stats, '$.numRecords') AS BIGINT) - " + (
    "coalesce(deletionVector.cardinality, 0L)"
)


def is_readable(spark: SparkSession, location: str, version: int) -> bool:
    """Whether Delta still travels to a version, and the files removed since are still there.

    Files that are part of the table now are there; so only those that the version had and a later
    commit removed can have been vacuumed.
    """
    try:
        spark.read.format("delta").option("versionAsOf", str(version)).load(location)
    except PySparkException:
        return False
    files, folder = files_at(spark, location)
    later = range(version + 1, commits(files, folder)[-1] + 1)
    said = [read_actions(files, folder, number) for number in later]
    if not all(said):
        return False
    since = [to_commit(number, actions) for number, actions in zip(later, said, strict=True)]
    return all_there(spark, location, _removed_since(since))


def rows_at(spark: SparkSession, location: str, version: int) -> int | None:
    """The number of rows by the statistics of the files; None if one has none.

    From the checksum that Delta writes beside a commit, which lists the files of small tables; else
    by one job over the log.
    """
    files, folder = files_at(spark, location)
    checksum = json.loads(files.read(f"{folder}/_delta_log/{version:020}.crc") or "{}")
    if checksum.get("allFiles") is not None:
        counts = [row_count(file) for file in checksum["allFiles"]]
        return None if None in counts else sum(count or 0 for count in counts)
    snapshot = snapshot_at(spark, location, version)
    return None if snapshot is None else _counted(spark, snapshot)


def _counted(spark: SparkSession, snapshot: Any) -> int | None:
    live = F.expr(_LIVE)
    found = DataFrame(snapshot.allFiles().toDF(), spark).agg(
        F.coalesce(F.sum(live), F.lit(0)), F.count_if(live.isNull())
    )
    rows, unknown = found.collect()[0]
    return None if unknown else int(rows)


def _removed_since(since: list[Commit]) -> list[Action]:
    """The files that a version had and one of the commits after it removed."""
    new: set[tuple[str, str]] = set()
    lost: dict[tuple[str, str], Action] = {}
    for commit in since:
        for file in commit.removes:
            if file_key(file) not in new:
                lost[file_key(file)] = file
        # A commit that adds without changing or removing anything re-adds what was there.
        if commit.removes or any(file.get("dataChange", True) for file in commit.adds):
            new |= {file_key(file) for file in commit.adds} - lost.keys()
    return list(lost.values())
