"""The pair of a base table is that of the transaction (Barbier 2007, definitions 1.15, 1.16)."""

from __future__ import annotations

from rollview.algebra.relations import Changes, Relation, Scan
from rollview.maintenance.flow import Flow
from rollview.maintenance.pairs import minimal
from rollview.maintenance.program import Note, RuleName
from rollview.maintenance.reads import CHANGES
from rollview.maintenance.signed import WEIGHT, WEIGHT_COLUMN


def delta_scan(scan: Scan, flow: Flow) -> Relation | None:
    """``d(S) = Changes(S)``, minimal: the equations hold for minimal transactions."""
    flow.note(scan, Note(RuleName.CHANGES))
    flow.read(scan, CHANGES, scan)
    fields = (*scan.fields, WEIGHT)
    return minimal(flow, Changes(scan.source, fields, (*scan.columns, WEIGHT_COLUMN)))
