"""In which order views are refreshed: those that are read before those that read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter

from rollview.errors import DependencyCycle
from rollview.runtime.catalog import StoredView


def in_order(views: Mapping[str, StoredView], targets: Iterable[str]) -> list[str]:
    """The targets and every view below them, by key, each after what it reads."""
    wanted = below(views, targets)
    graph = {key: [r for r in views[key].reads() if r in views] for key in sorted(wanted)}
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as failure:
        raise _cycle(failure.args[1]) from failure


def below(views: Mapping[str, StoredView], targets: Iterable[str]) -> set[str]:
    """The targets and all views that they read, at any depth."""
    found: set[str] = set()
    pending = list(targets)
    while pending:
        key = pending.pop()
        if key not in found and key in views:
            found.add(key)
            pending += views[key].reads()
    return found


def readers(views: Mapping[str, StoredView], key: str) -> list[str]:
    """The names of the views that read this one directly."""
    return sorted(view.name for view in views.values() if key in view.reads())


def check_no_cycle(views: Mapping[str, StoredView], name: str, key: str, reads: list[str]) -> None:
    """Raise DependencyCycle if a view of that key, reading these, would come to read itself."""
    graph = {other: view.reads() for other, view in views.items() if other != key}
    graph[key] = reads
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as failure:
        raise _cycle(failure.args[1]) from failure


def _cycle(path: list[str]) -> DependencyCycle:
    # graphlib lists each node before the one that depends on it; people read the other way.
    return DependencyCycle(
        f"these views would read each other in a circle: {' -> '.join(reversed(path))}",
        hint="let one of them read base tables instead",
    )
