"""Maintenance by pairs of expressions, what is inserted and what is deleted: one rule per operator.

Qian, Wiederhold (1991) as corrected by Griffin, Libkin, Trickey (1997; Barbier 2007, ch. 4) for
sets, Griffin, Libkin (1995) for bags, Quass (1996) for aggregates. DISTINCT and set operations keep
no counts: whether a row is still there is looked up. `SHARED` are rules that are not of the papers
and evaluate an operator before and after under the keys of the change.
"""

from __future__ import annotations

from rollview.algebra.relations import (
    Aggregate,
    Distinct,
    Expand,
    Filter,
    Generate,
    Join,
    Project,
    Scan,
    SetOperation,
    SingleRow,
    Sort,
    Union,
    Window,
)
from rollview.maintenance.algebraic.aggregate import delta_aggregate
from rollview.maintenance.algebraic.distinct import delta_distinct
from rollview.maintenance.algebraic.filter import delta_filter
from rollview.maintenance.algebraic.join import delta_join
from rollview.maintenance.algebraic.project import delta_project
from rollview.maintenance.algebraic.scan import delta_scan
from rollview.maintenance.algebraic.set_operation import delta_set_operation
from rollview.maintenance.algebraic.sort import delta_sort
from rollview.maintenance.algebraic.union import delta_union
from rollview.maintenance.counting.expand import delta_expand
from rollview.maintenance.counting.generate import delta_generate
from rollview.maintenance.counting.single_row import delta_single_row
from rollview.maintenance.counting.window import delta_window
from rollview.maintenance.flow import Rule
from rollview.maintenance.pairs import minimized

OWN: dict[type, Rule] = {
    Scan: delta_scan,
    Project: delta_project,
    Filter: delta_filter,
    Union: delta_union,
    Sort: delta_sort,
    Join: delta_join,
    Distinct: delta_distinct,
    SetOperation: delta_set_operation,
    Aggregate: delta_aggregate,
}
SHARED: dict[type, Rule] = {
    Expand: minimized(delta_expand),
    Generate: minimized(delta_generate),
    Window: minimized(delta_window),
    SingleRow: minimized(delta_single_row),
}
RULES: dict[type, Rule] = {**OWN, **SHARED}
