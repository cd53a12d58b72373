"""Delta's log, read two ways: by Delta itself for what a table is, by us for our own commits.

Delta's snapshot answers version, identity and schema without a Spark job, but the transaction
versions in it cost one. The newest commits are small JSON files, so those are read directly.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from rollview.storage.files import Files, files_at

Action = dict[str, Any]
NET_TAG = "rollview.net"  # in a commit: how many rows there are more than before it

_COMMIT = re.compile(r"(\d{20})\.json")


@dataclass(frozen=True, slots=True)
class LogEntry:
    """What one commit says of itself."""

    version: int
    transactions: dict[str, int]
    metadata: str | None
    rows: int | None  # how many the table had after it, if it says
    net: int | None  # how many more than before it, if it says
    changes_data: bool


def snapshot(spark: SparkSession, location: str) -> Any | None:
    """Delta's newest snapshot of the table at a location; None if there is no table."""
    jvm: Any = spark._jvm
    files, folder = files_at(spark, location)
    log = jvm.org.apache.spark.sql.delta.DeltaLog
    for fresh in (False, True):
        if fresh:
            forget(spark, location)
        try:
            none = jvm.scala.Option.empty()
            found = log.forTable(spark._jsparkSession, location).update(False, none, none)
        except (Py4JJavaError, PySparkException):
            if fresh:
                raise
            continue
        if found.version() < 0 or _is_there(files, folder, found.version()):
            break
    # A log that Delta has cached may belong to a table that was removed behind its back.
    return None if found.version() < 0 else found


def snapshot_at(spark: SparkSession, location: str, version: int) -> Any | None:
    """Delta's snapshot at a version; None if there is no table, or the log does not go back to it.

    Its schema and protocol cost no job where the log keeps checksums; its files cost one.
    """
    newest = snapshot(spark, location)
    if newest is None or newest.version() == version:
        return newest
    jvm: Any = spark._jvm
    none = jvm.scala.Option.empty()
    try:
        return newest.deltaLog().getSnapshotAt(version, none, none, False)
    except (Py4JJavaError, PySparkException):
        return None


def forget(spark: SparkSession, location: str) -> None:
    """Make Delta read the log from scratch the next time."""
    jvm: Any = spark._jvm
    path = jvm.org.apache.hadoop.fs.Path(location)
    jvm.org.apache.spark.sql.delta.DeltaLog.invalidateCache(spark._jsparkSession, path)


def commits(files: Files, folder: str) -> list[int]:
    """The versions whose own record is still in the log, oldest first."""
    names = files.names(f"{folder}/_delta_log")
    return [int(match[1]) for name in names if (match := _COMMIT.fullmatch(name))]


def newest_first(files: Files, folder: str) -> Iterator[LogEntry]:
    """The commits whose record is still in the log, newest first, read as they are asked for."""
    for version in reversed(commits(files, folder)):
        yield read_commit(files, folder, version)


def remove_unfinished(folder: str) -> None:
    """Remove what Delta had written aside in the log of a local table and not yet renamed.

    Neither VACUUM nor log clean-up ever looks at these files.
    """
    for path in Path(folder, "_delta_log").glob(".*.tmp*"):
        path.unlink(missing_ok=True)


def read_commit(files: Files, folder: str, version: int) -> LogEntry:
    """The record of one commit; empty if it is gone."""
    actions = read_actions(files, folder, version)
    transactions: dict[str, int] = {}
    metadata: str | None = None
    rows: int | None = None
    net: int | None = None
    changes_data = False
    for action in actions:
        if "txn" in action:
            transactions[action["txn"]["appId"]] = int(action["txn"]["version"])
        elif "commitInfo" in action:
            info = action["commitInfo"]
            metadata = info.get("userMetadata")
            rows, net = _counts(info)
        else:
            changes_data = changes_data or _changes_data(action)
    return LogEntry(version, transactions, metadata, rows, net, changes_data or not actions)


def latest_alike(files: Files, folder: str, version: int) -> int:
    """The latest version with the very rows of another, as far as the log tells."""
    for later in commits(files, folder):
        if later == version + 1 and not read_commit(files, folder, later).changes_data:
            version = later
    return version


def listed_files(snapshot: Any) -> Any | None:
    """All files of a snapshot, without a job; None where its checksum does not list them."""
    checksum = snapshot.checksumOpt()
    listed = checksum.get().allFiles() if checksum.isDefined() else checksum
    return listed.get() if listed.isDefined() else None


def _counts(info: Action) -> tuple[int | None, int | None]:
    """The rows of the table after the commit, or how many came and went, as the commit says."""
    metrics = {name: int(value) for name, value in info.get("operationMetrics", {}).items()}
    written = metrics.get("numOutputRows")
    net = info.get("tags", {}).get(NET_TAG)
    if net is not None:
        return None, int(net)
    if info.get("operationParameters", {}).get("mode") == "Append":
        return None, written
    return written, None


def read_actions(files: Files, folder: str, version: int) -> list[Action]:
    """Everything one commit says, action by action; nothing if its record is gone."""
    text = files.read(f"{folder}/_delta_log/{version:020}.json") or ""
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def stamp_of(files: Files, folder: str, version: int) -> str | None:
    """What tells a commit from others of its number, as it says itself; None if it does not."""
    text = files.read(f"{folder}/_delta_log/{version:020}.json") or ""
    line = next((line for line in text.split("\n") if '"commitInfo"' in line), "{}")
    said = json.loads(line).get("commitInfo") or {}
    found = said.get("txnId") or said.get("inCommitTimestamp") or said.get("timestamp")
    return None if found is None else str(found)


def _changes_data(action: Action) -> bool:
    """A change of schema or protocol counts, too: it may change what the rows look like."""
    for kind in ("add", "remove"):
        if kind in action:
            return bool(action[kind].get("dataChange", True))
    return bool(action.keys() & {"metaData", "protocol", "cdc"})


def _is_there(files: Files, folder: str, version: int) -> bool:
    return f"{version:020}.json" in files.names(f"{folder}/_delta_log")
