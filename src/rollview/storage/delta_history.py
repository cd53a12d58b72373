"""What is left of an older version of a Delta table; known from the log."""

from __future__ import annotations

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from rollview.storage.delta_diff import Commit, file_key, to_commit
from rollview.storage.delta_files import all_there
from rollview.storage.delta_log import Action, commits, read_actions
from rollview.storage.files import files_at


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
