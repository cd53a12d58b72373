"""Projection: what is shown of every row is said in the columns of the extent.

The projection of Barbier (2007) takes equal rows together; that of SQL keeps them apart, and is a
function of each row. So the extent below keeps its keys, whether they are shown or not, and the
projection waits until the change has reached it. Taking rows together is `aggregate`.
"""

from __future__ import annotations

from dataclasses import replace

from rollview.algebra.relations import Named, Project
from rollview.maintenance.change_tables import Naming, Table


def through_project(project: Project, below: tuple[Table, ...], _naming: Naming) -> Table:
    """The same change table, shown through other expressions."""
    (table,) = below
    items = tuple(Named(item.name, table.value(item.expression)) for item in project.items)
    return replace(table, items=items)
