"""Dropping a view: its public name, its definition, then what it stored."""

from __future__ import annotations

from rollview.errors import DefinitionCorrupt, ViewInUse
from rollview.runtime import recovery
from rollview.runtime.catalog import Catalog, key_of
from rollview.runtime.lake import Lake
from rollview.runtime.public import plain_name, unpublish
from rollview.runtime.scheduler import readers
from rollview.storage import faults


def drop_view(lake: Lake, catalog: Catalog, name: str, if_exists: bool) -> None:
    """Drop a view; a corrupt definition can be dropped, too."""
    name = plain_name(lake, name)
    if if_exists and key_of(name) not in catalog.listed():
        return
    try:
        view_id: str | None = catalog.get(name).view_id
    except DefinitionCorrupt:
        view_id = None  # its backing is found by housekeeping, as nobody names it any more
    views, _ = catalog.readable()
    users = readers(views, key_of(name))
    if users:
        raise ViewInUse(
            f"{name} cannot be dropped: {', '.join(users)} read{'s' if len(users) == 1 else ''} it",
            hint=f"drop {'it' if len(users) == 1 else 'them'} first",
        )
    with lake.locked("lake", f"drop {name}"):
        unpublish(lake, name)
        faults.point("drop.public")
        catalog.remove(name)
        faults.point("drop.undefined")
    if view_id is not None:
        recovery.remove_view(lake, view_id)
