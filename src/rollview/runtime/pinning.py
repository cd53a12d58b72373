"""One vector for a whole run: every base table is read at the version it had at the start."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from rollview.algebra.definition import Definition, Source, SourceKind
from rollview.errors import RollviewError, SourceMissing
from rollview.runtime.catalog import Catalog, StoredView
from rollview.runtime.lake import Lake
from rollview.storage import registry
from rollview.storage.base import TableState
from rollview.storage.vector import Position, Vector


class Run:
    """What one run of one or more views has pinned so far."""

    def __init__(self, lake: Lake, catalog: Catalog) -> None:
        self._lake = lake
        self._catalog = catalog
        self._pins: dict[tuple[str, ...], TableState] = {}
        self._numbers: dict[str, int | None] = {}

    def pin_all(self, views: list[StoredView]) -> None:
        """Pin every base table of these views now; what is wrong with one is told later."""
        for view in views:
            # Before the pins: who commits a higher number later may have read newer versions.
            self._numbers[view.view_id] = self._number(view)
        for view in views:
            for source in view.definition.sources:
                if source.kind is not SourceKind.VIEW:
                    try:
                        self.state(self._lake.work, source)
                    except RollviewError:
                        continue

    def number_at_start(self, view: StoredView) -> int | None:
        """The refresh number that a view had when the run began."""
        return self._numbers.get(view.view_id)

    def state(self, session: SparkSession, source: Source) -> TableState:
        """The pinned state of a base table."""
        key = (source.kind, source.name, source.pinned or "", *map(str, source.options))
        if key not in self._pins:
            found = registry.source(session, source).state()
            self._pins[key] = replace(found, version=source.pinned) if source.pinned else found
        return self._pins[key]

    def vector(self, session: SparkSession, definition: Definition) -> Vector:
        """The positions of all sources of a definition in this run."""
        return {source.id: self._position(session, source) for source in definition.sources}

    def schema(self, session: SparkSession, source: Source) -> StructType:
        """The columns that a source has in this run."""
        if source.kind is SourceKind.VIEW:
            return self._lower(source).rows(self._lake, session).backing.read().schema
        return self.state(session, source).schema

    def leaf(self, session: SparkSession, source: Source, position: Position) -> DataFrame:
        """All rows of a source at a position."""
        if source.kind is SourceKind.VIEW:
            lower = self._lower(source)
            return lower.rows(self._lake, session).backing.read(position.stored)
        return registry.source(session, source).read(position.version)

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
        if state.identity != old.identity:
            return False
        return registry.source(session, source).same_rows(old.version, state.version)

    def _position(self, session: SparkSession, source: Source) -> Position:
        if source.kind is not SourceKind.VIEW:
            state = self.state(session, source)
            return Position(source.name, state.version, state.identity)
        lower = self._lower(source)
        watermark = lower.rows(self._lake, session).watermark()
        if watermark is None:
            raise SourceMissing(
                f"the view {source.name} has no contents",
                hint=f"drop it and create it again: {source.name}",
            )
        base = watermark.vector or {}
        return Position(
            source.name, str(watermark.number), lower.view_id, watermark.version, dict(base)
        )

    def _number(self, view: StoredView) -> int | None:
        newest = view.rows(self._lake, self._lake.work).backing.newest()
        return None if newest is None else newest.number

    def _lower(self, source: Source) -> StoredView:
        found = self._catalog.find(source.name)
        if found is None:
            raise SourceMissing(
                f"the view {source.name} does not exist any more",
                hint="create it again, or drop the views that read it",
            )
        return found
