"""One lake as one session sees it: where its control state lies, and who may write it now."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Protocol

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from rollview.errors import DefinitionCorrupt, LakeTooNew, SessionUnsuitable
from rollview.frontend.scope import clone_session
from rollview.runtime.lifeline import java_of
from rollview.runtime.side_by_side import hands_of
from rollview.storage import registry
from rollview.storage.base import Changing
from rollview.storage.files import Files, files_at
from rollview.storage.lock import held
from rollview.storage.process import Process
from rollview.storage.tables import SESSION_CATALOG, name_parts, schema_location
from rollview.storage.view_store import ViewStore

FORMAT = 1
LOCK_SECONDS = 300.0


class CatalogMemory(Protocol):
    """What a session without a metastore shares with others besides the folders of tables."""

    def tables(self, work: SparkSession) -> None:
        """Compare the tables that the session and the files know."""

    def views(self, work: SparkSession) -> None:
        """Compare the plain views that the session and the files know."""


@dataclass
class Lake:
    """Control state under ``root``; ``folder`` is set for a lake that has no metastore.

    ``spark`` is the user's session, which is never changed; ``work`` is a clone of it; ``java`` is
    the process that both live in.
    """

    spark: SparkSession
    work: SparkSession
    schema: str
    root: str
    files: Files
    folder: Path | None
    store: str
    lock_seconds: float = LOCK_SECONDS
    java: Process | None = None
    memory: CatalogMemory | None = None
    hands: int = 1
    """How many views are refreshed at once."""

    @contextmanager
    def locked(self, key: str, purpose: str) -> Iterator[bool]:
        """Exclude other processes from one view (by id), or from all definitions ("lake").

        Gives whether it is known that the one before did not come to its end.
        """
        if not self.files.local:
            yield False
            return
        with held(f"{self.root}/locks/{key}", purpose, self.lock_seconds, self.java) as crashed:
            yield crashed

    def prepare(self) -> None:
        """Make the lake ready to be written: its format is on record before anything else."""
        text = json.dumps({"format": FORMAT, "rollview": rollview_version()})
        self.files.create(f"{self.root}/format.json", text)

    def view_folder(self, view_id: str) -> str:
        return f"{self.root}/views/{view_id}"

    def view_rows(
        self, session: SparkSession, name: str, view_id: str, store: str, schema: StructType
    ) -> Changing:
        """The rows of one view as what another view reads."""
        data = self._data(view_id)
        return registry.view_rows(session, store, data, view_id, name, schema)

    def announce(self, view_id: str, store: str) -> None:
        """Let the sessions of the lake see what was committed in another one."""
        for session in (self.spark, self.work):
            registry.announce(session, store, view_id)

    def _data(self, view_id: str) -> str:
        folder = self.view_folder(view_id)
        return f"file:{folder}/data" if self.files.local else f"{folder}/data"

    def view_store(
        self, session: SparkSession, name: str, view_id: str, store: str, schema: StructType
    ) -> ViewStore[DataFrame]:
        """The rows of one view, read and written through the given session."""
        folder = self.view_folder(view_id)
        table = registry.backing(session, store, self._data(view_id), view_id, schema)
        state = registry.segments(session, self.files, folder)
        return ViewStore(name, table, state, self.files, folder)


def open_lake(
    spark: SparkSession, schema: str | None, store: str | None, folder: Path | None
) -> Lake:
    """Find the control state of a schema. Raises LakeTooNew if a newer rollview wrote it."""
    chosen = store or registry.DEFAULT_STORE
    registry.check_store(spark, chosen)
    name = _schema_name(spark, schema)
    work = clone_session(spark)
    work._jsparkSession.sessionState().catalogManager().setCurrentCatalog(SESSION_CATALOG)
    if not work.catalog.databaseExists(name):
        raise SessionUnsuitable(
            f"there is no schema {name} in the session's catalog",
            hint=f"create it first: CREATE SCHEMA {name}",
        )
    work.catalog.setCurrentDatabase(name)
    files, location = files_at(work, schema_location(work, name))
    java = java_of(spark)
    root, hands = f"{location}/_rollview", hands_of(spark)
    lake = Lake(spark, work, name, root, files, folder, chosen, java=java, hands=hands)
    _check_format(lake)
    return lake


def rollview_version() -> str:
    """The version of this package; "0" where it runs from a source tree."""
    try:
        return version("rollview")
    except PackageNotFoundError:
        return "0"


def _schema_name(spark: SparkSession, schema: str | None) -> str:
    if schema is None:
        parts = [spark.catalog.currentCatalog(), spark.catalog.currentDatabase()]
    else:
        parts = name_parts(spark, schema)
    if len(parts) == 2 and parts[0].lower() == SESSION_CATALOG:
        parts = parts[1:]
    if len(parts) != 1:
        raise SessionUnsuitable(
            f"views cannot live in the schema {'.'.join(parts)}: only {SESSION_CATALOG}, the "
            "session's own catalog, keeps their public names",
            hint=f'name one of its schemas: connect(spark, schema="{SESSION_CATALOG}.default")',
        )
    return parts[0]


def _check_format(lake: Lake) -> None:
    path = f"{lake.root}/format.json"
    text = lake.files.read(path)
    if text is None:
        return
    try:
        data = json.loads(text)
        found, writer = int(data["format"]), data.get("rollview", "?")
    except (ValueError, KeyError, TypeError) as failure:
        raise DefinitionCorrupt(
            f"{path} cannot be read: {failure}", hint="restore the file from a backup"
        ) from failure
    if found > FORMAT:
        raise LakeTooNew(
            f"the lake {lake.root} has format {found}, written by rollview {writer}; this rollview "
            f"knows formats up to {FORMAT}",
            hint="upgrade: pip install --upgrade rollview",
        )
