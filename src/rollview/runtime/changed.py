"""What has happened to the things a view relies on, and whether it can go on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from rollview.algebra.definition import Dependency, DependencyKind, Source, SourceKind
from rollview.algebra.schema import Column, Schema
from rollview.errors import (
    DependencyChanged,
    RollviewError,
    SourceChanged,
    SourceReplaced,
)
from rollview.frontend.dependencies import function_text
from rollview.frontend.jvm_bridge import bridge
from rollview.runtime.catalog import StoredView
from rollview.runtime.pinning import Run
from rollview.runtime.report import Policy
from rollview.storage.tables import catalog_entry
from rollview.storage.vector import Vector
from rollview.storage.view_store import Watermark

# Spark writes the comments of struct fields into the type.
_COMMENT = re.compile(r" COMMENT '(?:[^'\\]|\\.)*'")

_PATTERN = re.compile(r"`[^`]*[*?{\[][^`]*`")  # in a path


def changed_dependencies(session: SparkSession, view: StoredView) -> list[Dependency]:
    """The plain views and functions whose text is another now. Raises if one is gone."""
    changed = []
    for dependency in view.definition.dependencies:
        text = _present_text(session, dependency)
        if text is None:
            raise DependencyChanged(
                f"the {dependency.kind} {dependency.name}, which the view {view.name} uses, "
                "does not exist any more",
                hint=f"create it again, or create {view.name} anew with replace=True (--replace)",
            )
        if text != dependency.text:
            changed.append(dependency)
    return changed


def check_dependency_policy(view: StoredView, changed: list[Dependency]) -> str:
    """The reason for a full refresh. Raises DependencyChanged where there is no way on."""
    what = ", ".join(f"{dependency.kind} {dependency.name}" for dependency in changed)
    if view.policy is Policy.STRICT:
        raise DependencyChanged(
            f"the {what} was redefined since the view {view.name} was created, and its policy is "
            "strict",
            hint="create the view anew with replace=True (--replace)",
        )
    if view.definition.text is None:
        raise DependencyChanged(
            f"the {what} was redefined; the view {view.name} was created from a DataFrame, "
            "which holds the old one",
            hint="create the view anew with replace=True (--replace)",
        )
    return f"the {what} was redefined"


def check_same_columns(view: StoredView, columns: Schema, cause: str) -> None:
    """Raise DependencyChanged if the rebuilt definition gives other columns."""
    if columns == view.definition.columns:
        return
    ours, theirs = set(view.definition.columns), set(columns)
    lost = ", ".join(str(column) for column in view.definition.columns if column not in theirs)
    new = ", ".join(str(column) for column in columns if column not in ours)
    raise DependencyChanged(
        f"{cause}, and the view {view.name} would have other columns: "
        f"{lost or 'nothing'} became {new or 'nothing'}",
        hint="create the view anew with replace=True (--replace)",
    )


def check_columns(run: Run, session: SparkSession, view: StoredView) -> list[str]:
    """Compare the used columns of every source with what they were.

    Raises SourceChanged if one is gone or has another type; returns a sentence for each that may
    be NULL now, since the stored algebra may rely on its never being so.
    """
    weaker: list[str] = []
    exact = str(session.conf.get("spark.sql.caseSensitive")).lower() == "true"
    for source in view.definition.sources:
        present = _present(session, run.schema(session, source), exact)
        for column in source.columns:
            found = present.get(column.name if exact else column.name.lower())
            _check_column(view, source, column, found, list(present.values()))
            if found is not None and found.nullable and not column.nullable:
                weaker.append(f"{source.name}.{column.name} may be NULL now")
    return weaker


def inferred_anew(
    run: Run, session: SparkSession, view: StoredView, watermark: Watermark | None
) -> list[str]:
    """The paths that may stand for other files, or whose files may have other columns now.

    A DataFrame keeps the folders and columns that it was made with; a text has its patterns
    resolved and its columns inferred wherever it runs.
    """
    if view.definition.text is None or watermark is None or watermark.vector is None:
        return []
    is_pattern = _PATTERN.search(view.definition.text) is not None
    old = watermark.vector
    return [
        source.name
        for source in view.definition.sources
        if source.kind is SourceKind.PATH and "schema" in dict(source.options)
        if is_pattern
        or (source.id in old and run.state(session, source).version != old[source.id].version)
    ]


def replaced_sources(
    view: StoredView, old: Vector, new: Vector, restored: Sequence[str] = ()
) -> list[str]:
    """The names of sources that are other tables now, besides those that have another past.

    Raises SourceReplaced under strict.
    """
    other = [
        position.name
        for source, position in new.items()
        if source in old and old[source].identity != position.identity
    ]
    names = list(dict.fromkeys([*other, *restored]))
    if names and view.policy is Policy.STRICT:
        raise SourceReplaced(
            f"{', '.join(names)} was dropped and created anew, or restored from a copy, since the "
            f"last refresh of {view.name}; its policy is strict",
            hint=f'recompute it once: refresh("{view.name}", full=True)',
        )
    return names


def _present_text(session: SparkSession, dependency: Dependency) -> str | None:
    if dependency.kind is not DependencyKind.VIEW:
        return function_text(session, dependency.name)
    entry = catalog_entry(session, dependency.name)
    if entry is None or not entry.viewText().isDefined():
        return None
    return str(bridge(session).definitionOf(entry))


def _present(session: SparkSession, schema: StructType, exact: bool) -> dict[str, Column]:
    jvm: Any = session._jvm
    types = jvm.org.apache.spark.sql.types.DataType.fromJson(schema.json())
    columns = [
        Column(field.name, str(types.apply(position).dataType().sql()), field.nullable)
        for position, field in enumerate(schema.fields)
    ]
    return {column.name if exact else column.name.lower(): column for column in columns}


def _check_column(
    view: StoredView, source: Source, wanted: Column, found: Column | None, there: list[Column]
) -> None:
    if found is None:
        names = ", ".join(column.name for column in there)
        raise _source_changed(
            view, f"the column {wanted.name} of {source.name} is gone; it has: {names}"
        )
    if _COMMENT.sub("", found.type) != _COMMENT.sub("", wanted.type):
        raise _source_changed(
            view,
            f"the column {wanted.name} of {source.name} was {wanted.type} and is {found.type} now",
        )


def _source_changed(view: StoredView, what: str) -> RollviewError:
    return SourceChanged(
        f"{what}; the view {view.name} uses it",
        hint="undo the change, or create the view anew with replace=True (--replace)",
    )
