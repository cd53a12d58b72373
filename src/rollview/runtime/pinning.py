"""One vector for a whole run: every base table is read at the version it had at the start."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import cast

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from rollview.algebra.definition import Definition, Source, SourceKind
from rollview.algebra.fingerprint import meaning
from rollview.errors import DefinitionCorrupt, RollviewError, SourceMissing, SourceVersionGone
from rollview.maintenance.clock import CLOCK
from rollview.planning.verdict import follows_clock
from rollview.runtime.broken_log import number_of, readable_log, watermark_of
from rollview.runtime.catalog import Catalog, StoredView
from rollview.runtime.catalog import key_of as catalog_key
from rollview.runtime.lake import Lake
from rollview.runtime.lookups import Lookups
from rollview.runtime.moment import position, present
from rollview.runtime.source_changes import SourceChanges
from rollview.sql.quoting import quoted
from rollview.storage import registry
from rollview.storage.base import ChangeSource, TableState
from rollview.storage.vector import Position, Vector

DEFINITION = "the definition"  # beside the sources: what the rows were computed by


def key_of(source: Source) -> tuple[str, ...]:
    """What is equal for sources that are the same thing."""
    return (source.kind, source.name, source.pinned or "", *map(str, source.options))


class Run:
    """What one run of one or more views has pinned so far."""

    def __init__(self, lake: Lake, catalog: Catalog) -> None:
        self._lake = lake
        self._catalog = catalog
        self._pins: dict[tuple[str, ...], TableState] = {}
        self._sources: dict[tuple[object, ...], ChangeSource] = {}
        self._stamps: dict[tuple[str, ...], str | None] = {}
        self._numbers: dict[str, int | None] = {}
        self._broken: dict[str, DefinitionCorrupt] = {}
        self._wanted: dict[tuple[str, ...], dict[str, None]] = {}
        self._read: set[str] | None = None  # the keys of views that are read by others
        self._pinning = threading.Lock()
        self.lake = lake
        self.moment = position(present())
        self.changes = SourceChanges(lake.work, lake.java)
        self.lookups = Lookups()

    def pin_all(self, views: list[StoredView]) -> None:
        """Pin every base table of these views now; what is wrong with one is told later."""
        for view in views:
            # Before the pins: who commits a higher number later may have read newer versions.
            try:
                self._numbers[view.view_id] = number_of(self._lake, view)
            except DefinitionCorrupt as error:
                self._broken[view.view_id] = error
        for view in views:
            for source in view.definition.sources:
                wanted = self._wanted.setdefault(key_of(source), {})
                wanted.update(dict.fromkeys(column.name for column in source.columns))
                if source.kind is not SourceKind.VIEW:
                    try:
                        self.state(self._lake.work, source)
                    except RollviewError:
                        continue

    def wanted(self, source: Source) -> tuple[str, ...]:
        """The columns of a source that any view of the run uses."""
        own = dict.fromkeys(column.name for column in source.columns)
        return tuple({**self._wanted.get(key_of(source), {}), **own})

    def check_log(self, view: StoredView) -> None:
        """Raise DefinitionCorrupt if the log of the view's rows was broken when the run began."""
        if view.view_id in self._broken:
            raise self._broken[view.view_id]

    def number_at_start(self, view: StoredView) -> int | None:
        """The refresh number that a view had when the run began."""
        return self._numbers.get(view.view_id)

    def state(self, session: SparkSession, source: Source) -> TableState:
        """The pinned state of a base table."""
        key = key_of(source)
        with self._pinning:  # views side by side must not pin two versions
            if key not in self._pins:
                self._pins[key] = self._present(session, source)
            return self._pins[key]

    def _present(self, session: SparkSession, source: Source) -> TableState:
        there = self.source(session, source)
        found = there.state()
        if not source.pinned:
            return found
        try:
            found = replace(found, schema=there.read(source.pinned).schema)
        except SourceVersionGone:  # a constant that cannot be read is wanted by nobody yet
            columns = [
                f"{quoted(c.name)} {c.type}{'' if c.nullable else ' NOT NULL'}"
                for c in source.columns
            ]
            schema = cast("StructType", StructType.fromDDL(", ".join(columns)))
            found = replace(found, schema=schema)
        return replace(found, version=source.pinned)

    def source(self, session: SparkSession, source: Source) -> ChangeSource:
        """The adapter of a base table, found in the catalog once per session."""
        key = (session, *key_of(source))
        if key not in self._sources:
            self._sources[key] = registry.source(session, source)
        return self._sources[key]

    def vector(self, session: SparkSession, definition: Definition) -> Vector:
        """The positions of all sources of a definition in this run."""
        found = {source.id: self._position(session, source) for source in definition.sources}
        found[DEFINITION] = Position(DEFINITION, meaning(definition), "")
        return {**found, CLOCK: self.moment} if follows_clock(definition) else found

    def schema(self, session: SparkSession, source: Source) -> StructType:
        """The columns that a source has in this run."""
        if source.kind is SourceKind.VIEW:
            lower = self.lower(source)
            with readable_log(lower):
                return lower.rows(self._lake, session).backing.read().schema
        return self.state(session, source).schema

    def leaf(self, session: SparkSession, source: Source, position: Position) -> DataFrame:
        """All rows of a source at a position."""
        if source.kind is SourceKind.VIEW:
            lower = self.lower(source)
            return lower.rows(self._lake, session).backing.read(position.stored)
        return self.source(session, source).read(position.version)

    def leaves(
        self, session: SparkSession, definition: Definition, vector: Vector
    ) -> dict[str, DataFrame]:
        """All rows of every source at its position."""
        return {s.id: self.leaf(session, s, vector[s.id]) for s in definition.sources}

    def same_rows(self, session: SparkSession, source: Source, old: Position) -> bool:
        """Whether a base table has, at its pinned version, the very rows of an older position."""
        if source.kind is SourceKind.VIEW:
            return False
        state = self.state(session, source)
        if state.identity != old.identity or self.is_rewritten(session, source, old):
            return False
        return self.source(session, source).same_rows(old.version, state.version)

    def is_rewritten(self, session: SparkSession, source: Source, old: Position) -> bool:
        """Whether the history of the same table has another commit now in a position's place."""
        if old.stamp is None or self._identity(session, source) != old.identity:
            return False
        if source.kind is SourceKind.VIEW:
            found = self._stored_stamp(session, self.lower(source), old.stored)
        else:
            found = self._stamp(session, source, old.version)
        return found is not None and found != old.stamp

    def _identity(self, session: SparkSession, source: Source) -> str:
        if source.kind is SourceKind.VIEW:
            return self.lower(source).view_id
        return self.state(session, source).identity

    def _stamp(self, session: SparkSession, source: Source, version: str) -> str | None:
        key = (*key_of(source), version)
        if key not in self._stamps:
            self._stamps[key] = self.source(session, source).stamp(version)
        return self._stamps[key]

    def _stored_stamp(
        self, session: SparkSession, lower: StoredView, version: str | None
    ) -> str | None:
        """Of the commit of a view's rows, which may be restored from a copy like any table."""
        if version is None:
            return None
        rows = self._lake.view_rows(session, lower.name, lower.view_id, lower.store, lower.schema)
        return rows.stamp(version)

    def _position(self, session: SparkSession, source: Source) -> Position:
        if source.kind is not SourceKind.VIEW:
            state = self.state(session, source)
            stamp = self._stamp(session, source, state.version)
            return Position(source.name, state.version, state.identity, stamp=stamp)
        lower = self.lower(source)
        watermark = watermark_of(self._lake, session, lower)
        if watermark is None:
            raise SourceMissing(
                f"the view {source.name} has no contents",
                hint=f"drop it and create it again: {source.name}",
            )
        base = watermark.vector or {}
        stamp = self._stored_stamp(session, lower, watermark.version)
        return Position(
            source.name, str(watermark.number), lower.view_id, watermark.version, dict(base), stamp
        )

    def is_read(self, view: StoredView) -> bool:
        """Whether another view reads this one."""
        if self._read is None:
            views = self._catalog.readable()[0].values()
            self._read = {key for one in views for key in one.reads()}
        return catalog_key(view.name) in self._read

    def lower(self, source: Source) -> StoredView:
        """The view that is a source."""
        found = self._catalog.find(source.name)
        if found is None:
            raise SourceMissing(
                f"the view {source.name} does not exist any more",
                hint="create it again, or drop the views that read it",
            )
        return found
