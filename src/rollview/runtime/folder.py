"""Tables of a folder-lake: found by their folders, ``<schema>.db/<table>``, and made known.

There is no metastore, so the session's catalog begins empty; what other processes make or drop is
seen by looking at the folders again. Iceberg tables have a catalog of their own that needs no
metastore, ``iceberg``, whose folder of the same name lies in the lake.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from rollview.sql.quoting import quoted_text
from rollview.storage.encoding import quoted
from rollview.storage.formats import options_clause, provider_of
from rollview.storage.tables import locate

_SUFFIX = ".db"
_NAME = re.compile(r"[A-Za-z0-9_]+")  # Spark's own catalog takes no other names


def register_tables(work: SparkSession, lake: Path) -> None:
    """Make the session's catalog show the tables that the folder holds now."""
    for schema in sorted(lake.glob(f"*{_SUFFIX}")):
        if schema.is_dir() and _NAME.fullmatch(schema.stem):
            _register_schema(work, schema)


def _register_schema(work: SparkSession, folder: Path) -> None:
    schema = folder.name.removesuffix(_SUFFIX).lower()
    if not work.catalog.databaseExists(schema):
        work.sql(f"CREATE SCHEMA IF NOT EXISTS {quoted(schema)} LOCATION {_location(folder)}")
    known = _known(work, schema)
    found = {entry.name.lower(): entry for entry in folder.iterdir() if _is_table(entry)}
    for name in found.keys() - known:
        provider = provider_of(found[name])
        if provider is not None:
            _register(work, schema, name, provider, found[name])
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
        f"LOCATION {_location(folder)}"
    )
    _make_managed(work, schema, name)


def _make_managed(work: SparkSession, schema: str, name: str) -> None:
    """DROP TABLE must remove the folder, or the table would come back at the next look.

    SQL makes a table with a location external; only the catalog entry itself can say otherwise.
    """
    jvm: Any = work._jvm
    catalog = work._jsparkSession.sessionState().catalog()
    identifier = jvm.org.apache.spark.sql.catalyst.TableIdentifier(name, jvm.scala.Some(schema))
    entry = catalog.getTableMetadata(identifier)
    fields = [getattr(entry, f"copy$default${n}")() for n in range(1, entry.productArity() + 1)]
    fields[1] = jvm.org.apache.spark.sql.catalyst.catalog.CatalogTableType.MANAGED()
    catalog.externalCatalog().alterTable(entry.copy(*fields))


def _forget_if_gone(work: SparkSession, schema: str, name: str) -> None:
    """Another process dropped the table; views, and tables elsewhere, stay."""
    entry = locate(work, f"{quoted(schema)}.{quoted(name)}")
    if entry.text is None and entry.location is not None and entry.location.startswith("file:"):
        folder = Path("/" + entry.location.removeprefix("file:").lstrip("/"))
        if not folder.exists():
            work.sql(f"DROP TABLE IF EXISTS {quoted(schema)}.{quoted(name)}")


def _location(folder: Path) -> str:
    return quoted_text(f"file:{folder}")
