"""Incrementally maintained materialized views on Apache Spark.

    import rollview
    db = rollview.connect("lake")

The rooms, from what people touch down to what a view is (imports go down this list only):

- ``cli``, ``testing``: the command line; assertions for tests of views
- ``session``: `connect` and `Session`
- ``runtime``: create, refresh, verify, drop, recover
- ``frontend``: Spark's plan to algebra; our SQL statements
- ``sql``: algebra to readable Spark SQL
- ``storage``: base tables at versions, view stores and their commit protocol
- ``planning``: which way is cheapest, and EXPLAIN
- ``maintenance``: how changes flow
- ``analysis``: what is true of a view
- ``algebra``: what a view is
- ``errors``: everything that can go wrong
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rollview.errors import RollviewError

if TYPE_CHECKING:
    from rollview.planning.explanation import Explanation
    from rollview.runtime.report import (
        Declaration,
        RefreshReport,
        VerifyReport,
        ViewInfo,
        ViewStatus,
    )
    from rollview.session import Session, View, connect

__all__ = [
    "Declaration",
    "Explanation",
    "RefreshReport",
    "RollviewError",
    "Session",
    "VerifyReport",
    "View",
    "ViewInfo",
    "ViewStatus",
    "connect",
]

_HOMES = {
    "Declaration": "rollview.runtime.report",
    "Explanation": "rollview.planning.explanation",
    "RefreshReport": "rollview.runtime.report",
    "Session": "rollview.session",
    "VerifyReport": "rollview.runtime.report",
    "View": "rollview.session",
    "ViewInfo": "rollview.runtime.report",
    "ViewStatus": "rollview.runtime.report",
    "connect": "rollview.session",
}


def __getattr__(name: str) -> Any:
    """Import public names when they are first used: the rooms without Spark stay without it."""
    if name not in _HOMES:
        raise AttributeError(f"module 'rollview' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
