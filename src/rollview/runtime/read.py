"""Reading a view: its stored rows, in the schema of its query."""

from __future__ import annotations

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from rollview.errors import DefinitionCorrupt
from rollview.frontend.jvm_bridge import bridge
from rollview.frontend.translate import first_line
from rollview.runtime.catalog import Catalog
from rollview.runtime.lake import Lake
from rollview.runtime.public import public_entry
from rollview.runtime.worker import quiet


def read_view(lake: Lake, catalog: Catalog, name: str) -> DataFrame:
    """The newest committed rows, in the caller's own session.

    They are known by the view's name, so that a view on top of them is a view on that view.
    """
    view = catalog.get(name)
    try:
        with quiet():
            rows = view.rows(lake, lake.spark).backing.read()
            entry = public_entry(lake, view)
            if entry is None:
                return rows
            plan = rows._jdf.queryExecution().analyzed()
            named = bridge(lake.spark).asView(lake.spark._jsparkSession, entry, plan)
            return DataFrame(named, lake.spark)
    except PySparkException as failure:
        raise DefinitionCorrupt(
            f"the stored rows of {view.name} cannot be read: {first_line(failure)}",
            hint="drop the view and create it again",
        ) from failure
