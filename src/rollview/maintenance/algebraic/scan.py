"""The pair of a base table is that of the transaction (Barbier 2007, definitions 1.15, 1.16).

Without the changes that cannot matter, it is the pair of a smaller transaction, from tables or to
tables over which the view is the same: the equations hold for that one.
"""

from __future__ import annotations

from rollview.algebra.relations import Relation, Scan
from rollview.maintenance.flow import Flow
from rollview.maintenance.pairs import minimal
from rollview.maintenance.source_changes import delta_source


def delta_scan(scan: Scan, flow: Flow) -> Relation | None:
    """``d(S) = Changes(S)``, minimal: the equations hold for minimal transactions."""
    return minimal(flow, delta_source(scan, flow))
