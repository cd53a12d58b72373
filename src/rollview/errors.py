"""Every error that rollview raises: one root, one class per stable code.

The message names the object and what was found; the hint says what to do about it.
"""

from __future__ import annotations


class RollviewError(Exception):
    """The root of all errors of rollview."""

    code = "ERROR"

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        hint = f"\n  hint: {self.hint}" if self.hint else ""
        return f"[{self.code}] {self.message}{hint}"

    def to_dict(self) -> dict[str, str | None]:
        """The error as plain data, for ``--json`` and history."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


class InternalError(RollviewError):
    """An invariant of rollview itself is broken."""

    code = "INTERNAL"


# --- set-up ---------------------------------------------------------------------------------


class JavaMissing(RollviewError):
    """No usable Java was found."""

    code = "SETUP.JAVA"


class JarUnavailable(RollviewError):
    """A jar that the local session needs could not be had."""

    code = "SETUP.JAR"


class SparkUnsupported(RollviewError):
    """The Spark version or kind of session cannot be used."""

    code = "SETUP.SPARK"


class SessionUnsuitable(RollviewError):
    """The given or active Spark session lacks what rollview needs."""

    code = "SETUP.SESSION"


# --- Spark ----------------------------------------------------------------------------------


class SparkDied(RollviewError):
    """The Java process of the Spark session died, or can no longer be reached."""

    code = "SPARK.DIED"


# --- lake -----------------------------------------------------------------------------------


class LakeNotFound(RollviewError):
    """The lake folder does not exist."""

    code = "LAKE.NOT_FOUND"


class LakeNotWritable(RollviewError):
    """The lake folder cannot be written."""

    code = "LAKE.NOT_WRITABLE"


class LakeTooNew(RollviewError):
    """The lake was written by a newer version of rollview."""

    code = "LAKE.TOO_NEW"


class LakeBusy(RollviewError):
    """Another process holds the lake's lock."""

    code = "LAKE.BUSY"


class DefinitionCorrupt(RollviewError):
    """A stored definition or control file cannot be read."""

    code = "LAKE.CORRUPT"


# --- query ----------------------------------------------------------------------------------


class BadQuery(RollviewError):
    """Spark does not accept the query."""

    code = "QUERY.INVALID"


class UnknownTable(RollviewError):
    """The query names a table that does not exist."""

    code = "QUERY.UNKNOWN_TABLE"


class UnknownColumn(RollviewError):
    """The query names a column that does not exist."""

    code = "QUERY.UNKNOWN_COLUMN"


class UnknownFunction(RollviewError):
    """The query names a function that does not exist."""

    code = "QUERY.UNKNOWN_FUNCTION"


class DuplicateColumn(RollviewError):
    """Two columns of the result have the same name."""

    code = "QUERY.DUPLICATE_COLUMN"


class DataWithoutTable(RollviewError):
    """The DataFrame holds data that is in no table."""

    code = "QUERY.DATA_WITHOUT_TABLE"


class AnonymousFunction(RollviewError):
    """The DataFrame uses a Python function that the session does not know by name."""

    code = "QUERY.ANONYMOUS_FUNCTION"


class TemporaryObject(RollviewError):
    """The definition depends on something that only this session has."""

    code = "QUERY.TEMPORARY_OBJECT"


class StreamingQuery(RollviewError):
    """The DataFrame is a stream."""

    code = "QUERY.STREAMING"


class UnsupportedType(RollviewError):
    """A column type cannot be stored."""

    code = "QUERY.UNSUPPORTED_TYPE"


class BadStatement(RollviewError):
    """A materialized-view statement cannot be parsed."""

    code = "QUERY.STATEMENT"


class EvaluationFailed(RollviewError):
    """Spark failed while evaluating the view's query."""

    code = "QUERY.EVALUATION"


# --- views ----------------------------------------------------------------------------------


class UnknownView(RollviewError):
    """There is no view of that name."""

    code = "VIEW.UNKNOWN"


class ViewExists(RollviewError):
    """A view of that name exists already."""

    code = "VIEW.EXISTS"


class NameTaken(RollviewError):
    """The name belongs to a table or view that is not rollview's."""

    code = "VIEW.NAME_TAKEN"


class BadName(RollviewError):
    """The name cannot be used for a view."""

    code = "VIEW.BAD_NAME"


class ViewInUse(RollviewError):
    """Other views read the view."""

    code = "VIEW.IN_USE"


class DependencyCycle(RollviewError):
    """Views would read each other in a circle."""

    code = "VIEW.CYCLE"


class BadOption(RollviewError):
    """An option has a value that is not allowed."""

    code = "VIEW.BAD_OPTION"


# --- sources --------------------------------------------------------------------------------


class SourceMissing(RollviewError):
    """A base table of the view is gone."""

    code = "SOURCE.MISSING"


class SourceReplaced(RollviewError):
    """A base table was dropped and created anew under the same name."""

    code = "SOURCE.REPLACED"


class SourceChanged(RollviewError):
    """A used column of a base table was dropped, renamed or retyped."""

    code = "SOURCE.CHANGED"


class SourceVersionGone(RollviewError):
    """A version of a base table can no longer be read."""

    code = "SOURCE.VERSION_GONE"


class DependencyChanged(RollviewError):
    """A plain view or function in the definition was redefined."""

    code = "SOURCE.DEPENDENCY_CHANGED"


# --- refresh --------------------------------------------------------------------------------


class NotIncremental(RollviewError):
    """Under policy strict: the view cannot be maintained incrementally."""

    code = "NOT_INCREMENTAL"


class NonDeterministic(NotIncremental):
    """Under policy strict: the query may give another result each time."""

    code = "NOT_INCREMENTAL.NON_DETERMINISTIC"


class StrategyNotApplicable(NotIncremental):
    """The strategy that was asked for cannot maintain the view."""

    code = "NOT_INCREMENTAL.STRATEGY"


class Conflict(RollviewError):
    """Another refresh committed first; trying again is safe."""

    code = "REFRESH.CONFLICT"


class UnknownCommit(RollviewError):
    """It is not known whether a commit took place."""

    code = "REFRESH.UNKNOWN_COMMIT"


class DeltaMismatch(InternalError):
    """The change of a view deletes a row that is not stored."""

    code = "REFRESH.DELTA_MISMATCH"


class KeyViolated(RollviewError):
    """A declared key or foreign key that the refresh made use of does not hold any more."""

    code = "REFRESH.KEY_VIOLATED"


class DependencyFailed(RollviewError):
    """A view that this view reads could not be refreshed."""

    code = "REFRESH.DEPENDENCY_FAILED"


class Interrupted(RollviewError):
    """The user interrupted; the view keeps its old contents."""

    code = "REFRESH.INTERRUPTED"
