"""The changes of a scan that can matter, as every strategy takes them.

Blakeley, Larson, Tompa (1986), section 4. What is left is not all that changed in the scan, but all
that makes a difference to the rows of the view and of its kept operators.
"""

from __future__ import annotations

from rollview.algebra.printer import show
from rollview.algebra.relations import Changes, Filter, Relation, Scan
from rollview.maintenance.flow import Flow
from rollview.maintenance.program import Note, RuleName
from rollview.maintenance.reads import CHANGES
from rollview.maintenance.signed import WEIGHT, WEIGHT_COLUMN


def delta_source(scan: Scan, flow: Flow) -> Relation:
    """The changes of the source, without those that cannot matter."""
    wanted = flow.relevant(scan)
    told = None if wanted is None else show(wanted)
    flow.note(scan, Note(RuleName.CHANGES, relevant=told))
    flow.read(scan, CHANGES, scan)
    fields = (*scan.fields, WEIGHT)
    changes = Changes(scan.source, fields, (*scan.columns, WEIGHT_COLUMN))
    return changes if wanted is None else Filter(changes, wanted)
