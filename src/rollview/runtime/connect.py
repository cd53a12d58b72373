"""Opening a lake: which sessions will do, and how a folder becomes one."""

from __future__ import annotations

import os
import stat
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyspark
from pyspark.sql import SparkSession

from rollview.errors import (
    LakeNotFound,
    LakeNotWritable,
    SessionUnsuitable,
    SparkDied,
    SparkUnsupported,
)
from rollview.runtime.catalog import Catalog
from rollview.runtime.folder import register_schemas, register_tables
from rollview.runtime.lake import CatalogMemory, Lake, open_lake
from rollview.runtime.lifeline import forget_dead, guarded
from rollview.runtime.local_spark import start
from rollview.runtime.public import publish_all
from rollview.runtime.remembered import Memory

_OLDEST, _BEYOND = (4, 0), (4, 3)


def open_session(given: object, schema: str | None, store: str | None) -> Lake:
    """The lake of a session or a folder. Raises what is wrong with it, and says what to do."""
    if isinstance(given, str | Path):
        folder = _check_folder(Path(given))
        spark = start(folder)
        memory = Memory(folder)
        _register(spark, folder, memory)
        return replace(open_lake(spark, schema, store, folder), memory=memory)
    return open_lake(_check_session(given), schema, store, None)  # which checks the store


def look(lake: Lake, catalog: Catalog) -> None:
    """See what other processes have done: tables by their folders, views by their definitions."""
    if lake.folder is not None and lake.memory is not None:
        _register(lake.work, lake.folder, lake.memory)
    show_views(lake, catalog)


def show_views(lake: Lake, catalog: Catalog) -> None:
    """Make the session's catalog show all views, ours and plain ones."""
    publish_all(lake, catalog)
    if lake.memory is not None:
        lake.memory.views(lake.work)


def remember(lake: Lake) -> None:
    """Keep for other processes what only the session's catalog knows."""
    if lake.memory is not None:
        lake.memory.tables(lake.work)
        lake.memory.views(lake.work)


def _register(work: SparkSession, folder: Path, memory: CatalogMemory) -> None:
    """Tables whose statement is remembered come first; the others are found by their files."""
    register_schemas(work, folder)
    memory.tables(work)
    register_tables(work, folder)


def close(lake: Lake) -> None:
    """Stop Spark if it was started for the lake, and is still there."""
    if lake.folder is None:
        return
    try:
        with guarded(lake.java, "stop Spark"), warnings.catch_warnings():
            if lake.spark._jsc is not None:
                remember(lake)
            warnings.simplefilter("ignore", RuntimeWarning)  # that it is gone, which is as well
            lake.spark.stop()
    except SparkDied:
        forget_dead()


def _check_folder(path: Path) -> Path:
    folder = path.expanduser().resolve()
    try:
        kind = folder.stat().st_mode
    except (FileNotFoundError, NotADirectoryError) as failure:
        raise LakeNotFound(
            f"the lake folder {folder} does not exist", hint=f"create it first: mkdir -p {folder}"
        ) from failure
    except PermissionError as failure:
        raise LakeNotWritable(
            f"the lake folder {folder} cannot be reached by this user",
            hint="give this user the right to enter the folders above it, or choose another lake",
        ) from failure
    if not stat.S_ISDIR(kind):
        raise LakeNotFound(f"{folder} is not a folder", hint="give the folder that holds the lake")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise LakeNotWritable(
            f"the lake folder {folder} cannot be written by this user",
            hint="give this user the right to write there, or choose another lake",
        )
    return folder


def _check_session(given: object) -> SparkSession:
    if type(given).__module__.startswith("pyspark.sql.connect"):
        raise SparkUnsupported(
            "a Spark Connect session cannot be used: rollview works with Spark's plans, which "
            "stay on the server",
            hint="use a classic session: SparkSession.builder.master(...).getOrCreate()",
        )
    if not isinstance(given, SparkSession):
        raise SessionUnsuitable(
            f"connect() takes a SparkSession or a folder, not a {type(given).__name__}",
            hint='rollview.connect(spark) or rollview.connect("lake")',
        )
    _check_version(given.version)
    _check_alive(given)
    return given


def _check_version(found: str) -> None:
    number = tuple(int(part) for part in found.split(".")[:2])
    if not _OLDEST <= number < _BEYOND:
        raise SparkUnsupported(
            f"Spark {found} is not supported; rollview works with 4.0 to 4.2",
            hint=f"install pyspark 4.1 (this is pyspark {pyspark.__version__})",
        )


def _check_alive(spark: SparkSession) -> None:
    context: Any = spark.sparkContext._jsc
    if context is None or context.sc().isStopped():
        raise SessionUnsuitable("the Spark session is stopped", hint="start a new one")
