"""An order means nothing for a bag."""

from __future__ import annotations

from rollview.algebra.relations import Sort
from rollview.maintenance.change_tables import Naming, Table


def through_sort(_sort: Sort, below: tuple[Table, ...], _naming: Naming) -> Table:
    """The same change table."""
    (table,) = below
    return table
