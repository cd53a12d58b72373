"""What changed in a Delta table between two versions, read from just the files that differ.

The log tells which files those are, without a job (`delta_diff`), and there is a choice: whole
files, or change files where the change data feed left some. The way with the fewest bytes is
taken, of those whose files are all still there. Rows that were only moved cancel in the net effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from rollview.errors import SourceChanged, SourceVersionGone
from rollview.storage.delta_columns import Columns, check_same, columns_of, picked
from rollview.storage.delta_diff import Commit, Diff, Way, diffs, to_commit
from rollview.storage.delta_files import all_there, is_described
from rollview.storage.delta_log import Action, read_actions, snapshot_at
from rollview.storage.delta_reader import plain, weighted_rows
from rollview.storage.files import files_at
from rollview.storage.net import net, no_change

_FEED = "delta.enableChangeDataFeed"


@dataclass(frozen=True, slots=True)
class Plan:
    """What to read, and the snapshot that tells how."""

    diff: Diff
    snapshot: Any
    metadata: Action


class DeltaChanges:
    """The changes of one Delta table."""

    def __init__(self, spark: SparkSession, name: str, location: str) -> None:
        self._spark = spark
        self._name = name
        self._location = location
        self._files, self._folder = files_at(spark, location)

    def obstacle(self, before: str, after: str, columns: Sequence[str]) -> str | None:
        """Why the changes cannot be had, as a sentence; None if they can."""
        try:
            self.plan(before, after, columns)
        except (SourceChanged, SourceVersionGone) as failure:
            return failure.message
        return None

    def changes(
        self, before: str, after: str, columns: Sequence[str], prefer: Way | None = None
    ) -> DataFrame:
        """The net change, read by the cheapest way, or by the preferred one if there is that."""
        return self.read(self.plan(before, after, columns, prefer), columns)

    def read(self, plan: Plan, columns: Sequence[str]) -> DataFrame:
        """The net change of the planned files."""
        if not plan.diff.named:
            return no_change(self._spark, picked(plan.metadata, columns).fields)
        exact = columns_of(plan.snapshot.version(), plan.metadata)
        names = [exact.fields[name.lower()]["name"] for name in columns]
        rows = weighted_rows(self._spark, plan.snapshot, plan.diff, names)
        return net(rows, columns, exact=True)

    def plan(
        self, before: str, after: str, columns: Sequence[str], prefer: Way | None = None
    ) -> Plan:
        """What to read. Raises SourceChanged or SourceVersionGone if it cannot be had."""
        snapshot = snapshot_at(self._spark, self._location, int(after))
        if snapshot is None:
            raise _gone(f"version {after} of {self._name} is not in its log any more")
        metadata = plain(snapshot.metadata())
        between = self._between(int(before), int(after))
        check_same(self._name, columns, self._history(int(before), between, metadata))
        ways = sorted(diffs(between), key=lambda diff: diff.way is not prefer)
        open_ways = [diff for diff in ways if _can_be_read(diff, snapshot, metadata)]
        for diff in open_ways:
            if all_there(self._spark, self._location, diff.named):
                return Plan(diff, snapshot, metadata)
        what = f"between version {before} and version {after} of {self._name}"
        if open_ways:
            raise _gone(f"files that were removed {what} have been vacuumed")
        raise _gone(f"the log does not tell how to read the files that were removed {what}")

    def _between(self, before: int, after: int) -> list[Commit]:
        """The commits after one version, up to another."""
        if before > after:
            raise _gone(f"version {after} of {self._name} comes before version {before}")
        wanted = range(before + 1, after + 1)
        found = {v: read_actions(self._files, self._folder, v) for v in wanted}
        lost = [version for version, actions in found.items() if not actions]
        if lost:
            raise _gone(
                f"version {lost[0]} of {self._name}, which lies between version {before} and "
                f"version {after}, is not in its log any more"
            )
        return [to_commit(version, actions) for version, actions in found.items()]

    def _history(self, before: int, between: list[Commit], newest: Action) -> list[Columns]:
        """The columns at a version, after each commit since that may have changed them, and now."""
        last = columns_of(between[-1].version if between else before, newest)
        changed = [(c.version, c.metadata) for c in between if c.metadata is not None]
        if not changed:
            return [last]
        first = snapshot_at(self._spark, self._location, before)
        if first is None:
            raise _gone(f"the log of {self._name} does not tell its columns at version {before}")
        known = [(before, plain(first.metadata())), *changed]
        return [*(columns_of(version, metadata) for version, metadata in known), last]


def _can_be_read(diff: Diff, snapshot: Any, metadata: Action) -> bool:
    """Change files only while the feed is on, vectors only while the table may have any."""
    if diff.feed and metadata.get("configuration", {}).get(_FEED, "").lower() != "true":
        return False
    features = plain(snapshot.protocol()).get("readerFeatures") or []
    if "deletionVectors" not in features and any(f.get("deletionVector") for f in diff.named):
        return False
    partitioned = bool(metadata.get("partitionColumns"))
    return all(is_described(file, partitioned) for file in diff.named)


def _gone(what: str) -> SourceVersionGone:
    return SourceVersionGone(what, hint="refresh the view with full=True")
