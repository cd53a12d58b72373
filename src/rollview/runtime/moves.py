"""How the sources of a view moved since its last refresh: their changes, and what they were."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from rollview.algebra.definition import Source, SourceKind
from rollview.planning.statistics import ChangeSize, Size
from rollview.runtime.pinning import Run, key_of
from rollview.runtime.source_changes import Read
from rollview.sql.quoting import quoted
from rollview.storage.base import WEIGHT, Changing
from rollview.storage.net import net
from rollview.storage.vector import Position

# Views read the same rows, and share their changes, if they agree in these.
_READING = (
    "spark.sql.session.timeZone",  # of partition values that are a TIMESTAMP without a zone
    "spark.sql.readSideCharPadding",
    "spark.sql.files.ignoreCorruptFiles",
    "spark.sql.files.ignoreMissingFiles",
)


def obstacle(
    run: Run, session: SparkSession, source: Source, old: Position, new: Position
) -> str | None:
    """Why the changes since the last refresh cannot be had; None if they can."""
    return _judged(run, session, source, old, new)[1]


def changes(run: Run, session: SparkSession, source: Source, old: Position, new: Position) -> Read:
    """The changes since the last refresh, read once for all views of the run."""
    found = _changing(run, session, source)
    wanted = _wanted(run, session, source, old, new)
    key = (*key_of(source), *(str(session.conf.get(setting, "")) for setting in _READING))
    return run.changes.between(key, found, _version(old), _version(new), wanted)


def size(run: Run, session: SparkSession, source: Source, position: Position) -> Size:
    """How large a source is at a position, as far as its log tells."""
    return _changing(run, session, source).size(_version(position))


def change_size(
    run: Run, session: SparkSession, source: Source, old: Position, new: Position
) -> ChangeSize:
    """How large its change since the last refresh is, as far as its log tells."""
    return _changing(run, session, source).change_size(_version(old), _version(new))


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
    names = [F.col(quoted(name)) for name in wanted]
    one = F.lit(1).cast("bigint").alias(WEIGHT)
    now = run.leaf(session, source, new).select(*names, one)
    undone = changes.select(*names, (-F.col(WEIGHT)).alias(WEIGHT))
    # EXCEPT ALL would take values for the same that are only equal, and refuses maps.
    rest = net(now.unionAll(undone), wanted, exact=True)
    copies = F.array_repeat(F.lit(1), F.col(WEIGHT).cast("int"))
    return rest.select(*names, F.explode(copies).alias("copy")).select(*names)


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
