"""Housekeeping: removing what a crash left behind, and never what somebody still needs.

docs/commit-protocol.md says how it is decided.
"""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta

from rollview.runtime import history
from rollview.runtime.catalog import Catalog
from rollview.runtime.lake import Lake
from rollview.storage.process import Process, this_process

GRACE = timedelta(hours=1)
JAVA_SECONDS = 30.0  # the Java process of a process that died ends by itself, sooner than this
_FOREIGN_CLAIM = timedelta(days=7)
_SWEEPS_ELSEWHERE = 0.05  # on object stores every look into a folder is a request, and costs


def claim(lake: Lake, view_id: str) -> None:
    """Say that this process is building the view, before its folder exists."""
    data = {
        **this_process().to_dict(),
        "at": datetime.now(UTC).isoformat(),
        "java": None if lake.java is None else lake.java.to_dict(),
    }
    lake.files.write(f"{lake.root}/claims/{view_id}.json", json.dumps(data))


def unclaim(lake: Lake, view_id: str) -> None:
    """The view is built, or given up."""
    lake.files.remove(f"{lake.root}/claims/{view_id}.json")


def retire(lake: Lake, view_id: str) -> None:
    """Keep a replaced backing for the readers that are still at it, for a while."""
    data = {"at": datetime.now(UTC).isoformat()}
    lake.files.write(f"{lake.root}/retired/{view_id}.json", json.dumps(data))


def remove_view(lake: Lake, view_id: str) -> None:
    """Remove everything that belongs to a view id; the folder first, what protects it last."""
    lake.files.remove(lake.view_folder(view_id))
    history.forget(lake, view_id)
    lake.files.remove(f"{lake.root}/locks/{view_id}")
    lake.files.remove(f"{lake.root}/retired/{view_id}.json")
    unclaim(lake, view_id)


def tidy(lake: Lake, catalog: Catalog) -> list[str]:
    """Remove the views that nobody owns; returns their ids. The order of listing matters."""
    if lake.files.local or random.random() < _SWEEPS_ELSEWHERE:
        sweep(lake)
    folders = lake.files.names(f"{lake.root}/views")
    claims = [name.removesuffix(".json") for name in lake.files.names(f"{lake.root}/claims")]
    suspects = set(folders) | set(claims)
    if not suspects:
        return []
    alive = {view_id for view_id in claims if _is_alive(lake, view_id)}
    views, errors = catalog.readable()
    if errors:
        return []  # a definition that cannot be read may name any of them
    defined = {view.view_id for view in views.values()}
    for view_id in defined & set(claims) - alive:
        unclaim(lake, view_id)
    orphans = sorted(
        view_id for view_id in suspects - defined - alive if not _in_grace(lake, view_id)
    )
    for view_id in orphans:
        remove_view(lake, view_id)
    return orphans


def sweep(lake: Lake) -> None:
    """Remove the control files that a process which died had written aside."""
    ids = lake.files.names(f"{lake.root}/views")
    own = [f"{lake.view_folder(view_id)}/refreshes" for view_id in ids]
    histories = [f"{lake.root}/history/{name}" for name in lake.files.names(f"{lake.root}/history")]
    shared = [f"{lake.root}/{name}" for name in ("claims", "constraints", "definitions", "retired")]
    for folder in [lake.root, *shared, *own, *histories]:
        lake.files.sweep(folder)


def _in_grace(lake: Lake, view_id: str) -> bool:
    text = lake.files.read(f"{lake.root}/retired/{view_id}.json")
    if text is None:
        return False
    return _age(text) < GRACE


def _is_alive(lake: Lake, view_id: str) -> bool:
    """Whether somebody is building the view: a process, or the Java process it left behind."""
    text = lake.files.read(f"{lake.root}/claims/{view_id}.json")
    if text is None:
        return False
    data = json.loads(text)
    builder = Process.from_dict(data)
    if not builder.is_here:
        return _age(text) < _FOREIGN_CLAIM
    if builder.lives:
        return True
    java = data.get("java")
    return java is not None and not Process.from_dict(java).is_gone_within(JAVA_SECONDS)


def _age(text: str) -> timedelta:
    return datetime.now(UTC) - datetime.fromisoformat(json.loads(text)["at"])
