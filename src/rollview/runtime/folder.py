"""Tables of a folder-lake: found by their folders, ``<schema>.db/<table>``, and made known.

There is no metastore, so the session's catalog begins empty; what other processes make or drop is
seen by looking at the folders again. Iceberg tables have a catalog of their own that needs no
metastore, ``iceberg``, whose folder of the same name lies in the lake.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from rollview.frontend.translate import first_line
from rollview.sql.quoting import quoted_text
from rollview.storage.encoding import quoted
from rollview.storage.formats import SELF_TOLD, options_clause, provider_of
from rollview.storage.tables import catalog_entry, locate

FOUND = "rollview.found"
_SUFFIX = ".db"
_log = logging.getLogger("rollview")
_warned: set[Path] = set()
_NAME = re.compile(r"[A-Za-z0-9_]+")  # Spark's own catalog takes no other names


def schemas_of(work: SparkSession, lake: Path) -> dict[str, Path]:
    """The schemas of the session's catalog that belong to a lake, with their folders."""
    known = work._jsparkSession.sessionState().catalog().externalCatalog().listDatabases()
    names = [str(known.apply(position)) for position in range(known.size())]
    folders = {folder.stem.lower(): folder for folder in _folders(lake)}
    return {name: folders.get(name, lake / f"{name}{_SUFFIX}") for name in sorted(names)}


def _folders(lake: Path) -> list[Path]:
    found = sorted(lake.glob(f"*{_SUFFIX}"))
    return [folder for folder in found if folder.is_dir() and _NAME.fullmatch(folder.stem)]


def register_schemas(work: SparkSession, lake: Path) -> None:
    """Make the session's catalog show the schemas that the folder holds now."""
    for folder in _folders(lake):
        schema = folder.stem.lower()
        if not work.catalog.databaseExists(schema):
            work.sql(f"CREATE SCHEMA IF NOT EXISTS {quoted(schema)} LOCATION {_location(folder)}")


def register_tables(work: SparkSession, lake: Path) -> None:
    """Make the session's catalog show the tables that the folder holds now."""
    for folder in _folders(lake):
        _register_schema(work, folder)


def _register_schema(work: SparkSession, folder: Path) -> None:
    schema = folder.stem.lower()
    known = _known(work, schema)
    found = {entry.name.lower(): entry for entry in folder.iterdir() if _is_table(entry)}
    for name in found.keys() - known:
        provider = provider_of(found[name])
        if provider is not None:
            try:
                _register(work, schema, name, provider, found[name])
            except (PySparkException, Py4JJavaError) as failure:
                _warn(found[name], failure)  # one broken table must not keep the lake shut
    for name in known - found.keys():
        _forget_if_gone(work, schema, name)


def _known(work: SparkSession, schema: str) -> set[str]:
    names = work._jsparkSession.sessionState().catalog().externalCatalog().listTables(schema)
    return {str(names.apply(position)).lower() for position in range(names.size())}


def _is_table(entry: Path) -> bool:
    hidden = entry.name.startswith("_")
    return entry.is_dir() and not hidden and _NAME.fullmatch(entry.name) is not None


def _register(work: SparkSession, schema: str, name: str, provider: str, folder: Path) -> None:
    table = f"{quoted(schema)}.{quoted(name)}"
    work.sql(
        f"CREATE TABLE IF NOT EXISTS {table} USING {provider}{options_clause(provider)} "
        f"LOCATION {_location(folder)}{_found(provider)}"
    )
    set_managed(work, schema, name, managed=True)


def _found(provider: str) -> str:
    """Mark what was inferred from files, so that it will be inferred again; Delta tells all."""
    return "" if provider == SELF_TOLD else f" TBLPROPERTIES ('{FOUND}' = 'true')"


def _warn(folder: Path, failure: Exception) -> None:
    if folder not in _warned:
        _log.warning("%s cannot be read as a table: %s", folder, first_line(failure))
        _warned.add(folder)


def set_managed(work: SparkSession, schema: str, name: str, *, managed: bool) -> None:
    """Whether DROP TABLE removes the folder; if not, a table would come back at the next look.

    SQL makes a table with a location external; only the catalog entry itself can say otherwise.
    """
    jvm: Any = work._jvm
    catalog = work._jsparkSession.sessionState().catalog()
    identifier = jvm.org.apache.spark.sql.catalyst.TableIdentifier(name, jvm.scala.Some(schema))
    entry = catalog.getTableMetadata(identifier)
    fields = [getattr(entry, f"copy$default${n}")() for n in range(1, entry.productArity() + 1)]
    kinds = jvm.org.apache.spark.sql.catalyst.catalog.CatalogTableType
    fields[1] = kinds.MANAGED() if managed else kinds.EXTERNAL()
    catalog.externalCatalog().alterTable(entry.copy(*fields))


def forget(work: SparkSession, schema: str, name: str) -> None:
    """Remove a table or plain view from the session's catalog, and nothing else."""
    entry = catalog_entry(work, f"{quoted(schema)}.{quoted(name)}")
    if entry is None:
        return
    if entry.viewText().isDefined():
        work.sql(f"DROP VIEW IF EXISTS {quoted(schema)}.{quoted(name)}")
        return
    set_managed(work, schema, name, managed=False)
    work.sql(f"DROP TABLE IF EXISTS {quoted(schema)}.{quoted(name)}")


def _forget_if_gone(work: SparkSession, schema: str, name: str) -> None:
    """Another process dropped the table; views, and tables elsewhere, stay."""
    entry = locate(work, f"{quoted(schema)}.{quoted(name)}")
    if entry.text is None and entry.location is not None and entry.location.startswith("file:"):
        folder = Path("/" + entry.location.removeprefix("file:").lstrip("/"))
        if not folder.exists():
            work.sql(f"DROP TABLE IF EXISTS {quoted(schema)}.{quoted(name)}")


def _location(folder: Path) -> str:
    return quoted_text(f"file:{folder}")
