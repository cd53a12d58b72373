"""Public names: a catalog view over the backing table, derived from the definition."""

from __future__ import annotations

import logging
import re
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from rollview.errors import BadName, DefinitionCorrupt, NameTaken
from rollview.frontend.translate import spark_errors
from rollview.runtime.broken_log import readable_log
from rollview.runtime.catalog import Catalog, StoredView
from rollview.runtime.lake import Lake
from rollview.sql.quoting import quoted_text
from rollview.storage.encoding import quoted
from rollview.storage.stored import COMMENT
from rollview.storage.tables import SESSION_CATALOG, catalog_entry, name_parts, view_property

PROPERTY = "rollview.view_id"
_LONGEST = 120
_ALLOWED = re.compile(rf"[A-Za-z0-9_]{{1,{_LONGEST}}}")
_log = logging.getLogger("rollview")


def plain_name(lake: Lake, name: str) -> str:
    """The bare name of a view, from what the user wrote. Raises BadName."""
    parts = _parts(lake.work, name)
    where = [SESSION_CATALOG, lake.schema][3 - len(parts) :] if len(parts) <= 3 else []
    if len(parts) > 3 or [p.lower() for p in parts[:-1]] != [p.lower() for p in where]:
        raise BadName(
            f"{name} is not in the schema {SESSION_CATALOG}.{lake.schema}, where this session "
            "keeps its views",
            hint="leave the schema out, or connect with schema=...",
        )
    bare = parts[-1]
    if not _ALLOWED.fullmatch(bare):
        raise BadName(
            f"{bare!r} cannot be the name of a view: Spark's own catalog allows letters a to z, "
            "digits and _ only",
            hint=f"use 1 to {_LONGEST} of them",
        )
    return bare


def qualified(lake: Lake, name: str) -> str:
    """The public name as Spark writes it when it does not quote."""
    return f"{SESSION_CATALOG}.{lake.schema}.{name}"


def managed_names(lake: Lake, views: dict[str, StoredView]) -> dict[str, str]:
    """The public names of all views, for the frontend."""
    return {qualified(lake, view.name).lower(): view.name for view in views.values()}


def check_free(lake: Lake, name: str) -> None:
    """Raise NameTaken if a table or view that is not rollview's has the name."""
    catalog = lake.spark._jsparkSession.sessionState().catalog()
    if catalog.getTempView(name).isDefined():
        raise NameTaken(
            f"this session has a temporary view {name}, which would hide the materialized view",
            hint=f"choose another name, or drop it: DROP VIEW {quoted(name)}",
        )
    if lake.work.catalog.tableExists(_quoted(lake, name)) and _view_id(lake, name) is None:
        raise NameTaken(
            f"{qualified(lake, name)} is the name of a table or view that rollview did not make",
            hint="choose another name",
        )


def publish(lake: Lake, view: StoredView) -> None:
    """Make the public name show the view."""
    select = view.rows(lake, lake.work).backing.select()
    lake.work.sql(
        f"CREATE OR REPLACE VIEW {_quoted(lake, view.name)} ({_columns(view)}) "
        f"TBLPROPERTIES ('{PROPERTY}' = '{view.view_id}') AS {select}"
    )


def _columns(view: StoredView) -> str:
    comments = [str(field.metadata.get(COMMENT, "")) for field in view.schema.fields]
    told = [f" COMMENT {quoted_text(comment)}" if comment else "" for comment in comments]
    return ", ".join(f"{quoted(n)}{t}" for n, t in zip(view.schema.names, told, strict=True))


def ensure_published(lake: Lake, view: StoredView) -> None:
    """Make the public name show the view unless it does already."""
    if _view_id(lake, view.name) == view.view_id:
        return
    if lake.work.catalog.tableExists(_quoted(lake, view.name)) and not _view_id(lake, view.name):
        return  # somebody made a table of that name meanwhile; it is not ours to replace
    publish(lake, view)


def public_entry(lake: Lake, view: StoredView) -> Any | None:
    """What the catalog has under the public name, as Spark's own object; None if it is not ours."""
    if _view_id(lake, view.name) != view.view_id:
        return None
    return catalog_entry(lake.work, _quoted(lake, view.name))


def unpublish(lake: Lake, name: str) -> None:
    """Remove the public name, if it is ours."""
    if _view_id(lake, name) is not None:
        lake.work.sql(f"DROP VIEW IF EXISTS {_quoted(lake, name)}")


def publish_all(lake: Lake, catalog: Catalog) -> None:
    """Put right every public name: what a crash or another process left behind."""
    views, _ = catalog.readable()
    for view in views.values():
        try:
            ensure_published(lake, view)
        except (PySparkException, Py4JJavaError):
            broken = _broken(lake, view)
            if broken is None:
                raise
            _log.warning("%s", broken.message)  # one broken view must not keep the lake shut
    if lake.folder is not None:
        for name in _ours(lake) - views.keys():
            unpublish(lake, name)


def _broken(lake: Lake, view: StoredView) -> DefinitionCorrupt | None:
    try:
        with readable_log(view):
            view.rows(lake, lake.work).backing.read()
    except DefinitionCorrupt as error:
        return error
    return None


def _ours(lake: Lake) -> set[str]:
    names = (
        lake.work._jsparkSession.sessionState()
        .catalog()
        .externalCatalog()
        .listViews(lake.schema, "*")
    )
    found = {str(names.apply(position)) for position in range(names.size())}
    return {name.lower() for name in found if _view_id(lake, name) is not None}


def _view_id(lake: Lake, name: str) -> str | None:
    return view_property(lake.work, _quoted(lake, name), PROPERTY)


def _quoted(lake: Lake, name: str) -> str:
    return f"{SESSION_CATALOG}.{quoted(lake.schema)}.{quoted(name)}"


def _parts(work: SparkSession, name: str) -> list[str]:
    """A bare name stands for itself, whatever is in it: what is wrong is told by its own name."""
    if "." not in name and "`" not in name:
        return [name]
    with spark_errors(name):
        return name_parts(work, name)
