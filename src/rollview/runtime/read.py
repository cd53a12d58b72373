"""Reading a view: its stored rows, in the schema of its query."""

from __future__ import annotations

from pyspark.sql import DataFrame

from rollview.runtime.catalog import Catalog
from rollview.runtime.lake import Lake


def read_view(lake: Lake, catalog: Catalog, name: str) -> DataFrame:
    """The newest committed rows, in the caller's own session."""
    return catalog.get(name).rows(lake, lake.spark).backing.read()
