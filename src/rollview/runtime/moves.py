"""How the sources of a view moved since its last refresh: their changes, and what they were."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from rollview.algebra.definition import Source, SourceKind
from rollview.runtime.pinning import Run, key_of
from rollview.runtime.source_changes import Read
from rollview.storage.base import WEIGHT, Changing
from rollview.storage.vector import Position

# Views read the same rows, and share their changes, if they agree in these.
_READING = (
    "spark.sql.session.timeZone",  # of partition values that are a TIMESTAMP without a zone
    "spark.sql.readSideCharPadding",
    "spark.sql.files.ignoreCorruptFiles",
    "spark.sql.files.ignoreMissingFiles",
)
_NOT_COMPARABLE = ("map<", "variant")


def obstacle(
    run: Run, session: SparkSession, source: Source, old: Position, new: Position
) -> str | None:
    """Why the changes since the last refresh cannot be had; None if they can."""
    found = _changing(run, session, source)
    before = _version(old)
    wanted, why = _judged(run, session, source, old, new)
    if why is not None or found.readable(before):
        return why
    frame = run.leaf(session, source, new)
    types = [field.dataType.simpleString() for field in frame.schema if field.name in wanted]
    if any(word in type for type in types for word in _NOT_COMPARABLE):
        return f"the rows of {source.name} as they were at version {before} can no longer be read"
    return None


def changes(run: Run, session: SparkSession, source: Source, old: Position, new: Position) -> Read:
    """The changes since the last refresh, read once for all views of the run."""
    found = _changing(run, session, source)
    wanted = _wanted(run, session, source, old, new)
    key = (*key_of(source), *(str(session.conf.get(setting, "")) for setting in _READING))
    return run.changes.between(key, found, _version(old), _version(new), wanted)


def rows(run: Run, session: SparkSession, source: Source, position: Position) -> int | None:
    """How many rows a source has at a position, if its statistics tell."""
    return _changing(run, session, source).rows(_version(position))


def before(
    run: Run,
    session: SparkSession,
    source: Source,
    old: Position,
    new: Position,
    changes: DataFrame,
) -> DataFrame:
    """All rows at the last refresh; where they cannot be read any more, those now less changes."""
    if _changing(run, session, source).readable(_version(old)):
        return run.leaf(session, source, old)
    wanted = _wanted(run, session, source, old, new)
    names = [F.col(f"`{name.replace('`', '``')}`") for name in wanted]
    now = run.leaf(session, source, new).select(*names)
    gone = changes.where(F.col(WEIGHT) < 0).select(*names)
    come = changes.where(F.col(WEIGHT) > 0).select(*names)
    return now.unionAll(gone).exceptAll(come)


def _wanted(
    run: Run, session: SparkSession, source: Source, old: Position, new: Position
) -> tuple[str, ...]:
    """The columns to read: those of all views of the run, if nothing stands in their way."""
    shared = run.wanted(source)
    if len(shared) == len(source.columns):
        return shared
    return _judged(run, session, source, old, new)[0]


def _judged(
    run: Run, session: SparkSession, source: Source, old: Position, new: Position
) -> tuple[tuple[str, ...], str | None]:
    """The columns to read, and why their changes cannot be had; None if they can."""
    found = _changing(run, session, source)
    before, after = _version(old), _version(new)
    shared = run.wanted(source)
    why = found.obstacle(before, after, shared)
    if why is None or len(shared) == len(source.columns):
        return shared, why
    own = tuple(column.name for column in source.columns)
    return own, found.obstacle(before, after, own)


def _version(position: Position) -> str:
    return position.version if position.stored is None else position.stored


def _changing(run: Run, session: SparkSession, source: Source) -> Changing:
    if source.kind is not SourceKind.VIEW:
        return run.source(session, source)
    lower = run.lower(source)
    return run.lake.view_rows(session, lower.name, lower.view_id, lower.store, lower.schema)
