"""Lakes and views for tests without Spark."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from pyspark.sql.types import IntegerType, StructField, StructType

from rollview.algebra.definition import Definition, Dependency, Source, SourceKind
from rollview.algebra.schema import Column
from rollview.maintenance.choice import ANY, Choice
from rollview.runtime.catalog import StoredView
from rollview.runtime.lake import Lake
from rollview.runtime.report import Policy
from rollview.storage.files import LocalFiles

NO_SPARK = cast(Any, None)


def bare_lake(folder: Path) -> Lake:
    """A lake whose control state is all there is."""
    return Lake(
        NO_SPARK, NO_SPARK, "default", str(folder / "_rollview"), LocalFiles(), None, "delta"
    )


def view(
    name: str,
    *reads: str,
    policy: Policy = Policy.AUTO,
    text: str | None = "SELECT 1",
    dependencies: tuple[Dependency, ...] = (),
    choice: Choice = ANY,
) -> StoredView:
    """A view that reads the views of these names."""
    sources = tuple(Source(read, SourceKind.VIEW, read, "rollview", ()) for read in reads)
    definition = Definition(
        text=text,
        plan=None if text else "...",
        columns=(Column("a", "INT"),),
        relation=None,
        sources=sources,
        dependencies=dependencies,
        settings=(("spark.sql.ansi.enabled", "true"),),
        reasons=(),
    )
    return StoredView(
        name=name,
        view_id=f"id-{name.lower()}",
        definition=definition,
        policy=policy,
        choice=choice,
        store="delta",
        schema=StructType([StructField("a", IntegerType())]),
        created_at=datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC),
    )
