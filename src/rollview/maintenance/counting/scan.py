"""The changes of a source are its delta.

Where every propagation begins (Barbier 2007, definition 1.15: a transaction maps every
base relation to a delta).
"""

from __future__ import annotations

from rollview.algebra.relations import Changes, Relation, Scan
from rollview.maintenance.flow import Flow
from rollview.maintenance.program import Note, RuleName
from rollview.maintenance.reads import CHANGES
from rollview.maintenance.signed import WEIGHT, WEIGHT_COLUMN


def delta_scan(scan: Scan, flow: Flow) -> Relation | None:
    """``d(S) = Changes(S)``."""
    flow.note(scan, Note(RuleName.CHANGES))
    flow.read(scan, CHANGES, scan)
    fields = (*scan.fields, WEIGHT)
    return Changes(scan.source, fields, (*scan.columns, WEIGHT_COLUMN))
