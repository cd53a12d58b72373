"""Chosen files of a Delta table as weighted rows, through Delta's own change reader.

The reader is given made-up commits of exactly these files. It honours column mapping, takes
partition values from the log, reads of a file that only got another deletion vector just the rows
in which the two vectors differ, and knows the size of what it reads, so that Spark plans with it.
No file skipping, hence none of the small jobs that Delta runs for each scan of a table.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from rollview.storage.base import WEIGHT
from rollview.storage.delta_diff import Diff
from rollview.storage.delta_log import Action
from rollview.storage.encoding import quoted
from rollview.storage.tables import active

_RESERVED = {"_change_type", "_commit_version", "_commit_timestamp"}
_WEIGHT = "IF(_change_type IN ('insert', 'update_postimage'), 1L, -1L)"
# py4j hands a small number over as an Integer, which Scala refuses where it wants a Long.
_FIRST_LABEL = 2**31


def weighted_rows(
    spark: SparkSession, snapshot: Any, diff: Diff, columns: Sequence[str]
) -> DataFrame:
    """These columns of all rows of the files, then their weight; read as the snapshot says."""
    values = [F.col(quoted(name)) for name in columns]
    with active(spark):
        if _RESERVED & {str(name).lower() for name in snapshot.schema().fieldNames()}:
            return _whole_files(spark, snapshot, diff, values)
        rows = _change_rows(spark, snapshot, diff)
    return rows.select(*values, F.expr(_WEIGHT).alias(WEIGHT))


def plain(action: Any) -> Action:
    """An action of Delta's as the log has it."""
    (content,) = json.loads(str(action.json())).values()
    return dict(content)


def _change_rows(spark: SparkSession, snapshot: Any, diff: Diff) -> DataFrame:
    jvm: Any = spark._jvm
    made_up = [_parsed(jvm, "AddCDCFile", diff.feed)] if diff.feed else []
    for adds, removes in diff.layers():
        files = _parsed(jvm, "AddFile", [_as_add(file) for file in adds])
        files.addAll(_parsed(jvm, "RemoveFile", [_as_remove(file) for file in removes]))
        made_up.append(files)
    commits = jvm.java.util.ArrayList()
    for label, files in enumerate(made_up, _FIRST_LABEL):
        commits.add(jvm.scala.Tuple2(label, jvm.PythonUtils.toSeq(files)))
    changes = jvm.org.apache.spark.sql.delta.commands.cdc.CDCReader.changesToDF(
        snapshot,
        snapshot.version(),
        snapshot.version(),
        jvm.PythonUtils.toSeq(commits).iterator(),
        spark._jsparkSession,
        jvm.scala.Option.empty(),
        False,
        not diff.feed,  # without change files, it need not have recorded any
        jvm.scala.Some(snapshot),
    )
    return DataFrame(changes.fileChangeDf(), spark)


def _whole_files(spark: SparkSession, snapshot: Any, diff: Diff, values: list[Column]) -> DataFrame:
    """For tables with columns of the names that the change reader keeps for itself."""
    jvm: Any = spark._jvm
    found = []
    for layer in diff.layers():
        for files, weight in zip(layer, (1, -1), strict=True):
            named = jvm.PythonUtils.toSeq(_parsed(jvm, "AddFile", [_as_add(f) for f in files]))
            rows = snapshot.deltaLog().createDataFrame(
                snapshot, named, False, jvm.scala.Option.empty()
            )
            weighed = F.lit(weight).cast("bigint").alias(WEIGHT)
            found.append(DataFrame(rows, spark).select(*values, weighed))
    return reduce(DataFrame.unionAll, found)


def _parsed(jvm: Any, kind: str, actions: Sequence[Action]) -> Any:
    """A Java list of actions, made in one call however many there are."""
    mapper = jvm.org.apache.spark.sql.delta.util.JsonUtils.mapper()
    item = jvm.java.lang.Class.forName(f"org.apache.spark.sql.delta.actions.{kind}")
    many = jvm.java.lang.Class.forName("java.util.ArrayList")
    type = mapper.getTypeFactory().constructCollectionType(many, item)
    return mapper.readValue(json.dumps(actions), type)


def _as_add(file: Action) -> Action:
    return {**_described(file), "modificationTime": 0}


def _as_remove(file: Action) -> Action:
    return {**_described(file), "deletionTimestamp": 0, "extendedFileMetadata": True}


def _described(file: Action) -> Action:
    kept: Action = {key: file[key] for key in ("path", "size", "deletionVector") if key in file}
    return {**kept, "partitionValues": file.get("partitionValues") or {}, "dataChange": True}
