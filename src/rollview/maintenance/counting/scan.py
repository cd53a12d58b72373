"""The changes of a source are its delta; those that cannot matter to the view are left out.

Where every propagation begins (Barbier 2007, definition 1.15: a transaction maps every
base relation to a delta).
"""

from __future__ import annotations

from rollview.algebra.relations import Relation, Scan
from rollview.maintenance.flow import Flow
from rollview.maintenance.source_changes import delta_source


def delta_scan(scan: Scan, flow: Flow) -> Relation | None:
    """``d(S) = Changes(S)``, those that can matter."""
    return delta_source(scan, flow)
