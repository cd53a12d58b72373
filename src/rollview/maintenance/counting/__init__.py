"""The strategy `counting`: signed bags, counts per row, and state where an operator needs it.

Blakeley, Larson, Tompa (1986), section 5, and Barbier (2007), ch. 3, carried to every operator.
"""

from rollview.algebra.relations import (
    Aggregate,
    Expand,
    Filter,
    Generate,
    Join,
    Project,
    Recursion,
    Scan,
    SingleRow,
    Sort,
    TopK,
    Union,
    Window,
)
from rollview.maintenance.counting.aggregate import delta_aggregate
from rollview.maintenance.counting.expand import delta_expand
from rollview.maintenance.counting.filter import delta_filter
from rollview.maintenance.counting.generate import delta_generate
from rollview.maintenance.counting.join import delta_join
from rollview.maintenance.counting.project import delta_project
from rollview.maintenance.counting.recursion import delta_recursion
from rollview.maintenance.counting.scan import delta_scan
from rollview.maintenance.counting.single_row import delta_single_row
from rollview.maintenance.counting.sort import delta_sort
from rollview.maintenance.counting.top_k import delta_top_k
from rollview.maintenance.counting.union import delta_union
from rollview.maintenance.counting.window import delta_window
from rollview.maintenance.flow import Rule

RULES: dict[type, Rule] = {
    Scan: delta_scan,
    Project: delta_project,
    Filter: delta_filter,
    Union: delta_union,
    Expand: delta_expand,
    Generate: delta_generate,
    Sort: delta_sort,
    Join: delta_join,
    Aggregate: delta_aggregate,
    Window: delta_window,
    TopK: delta_top_k,
    SingleRow: delta_single_row,
    Recursion: delta_recursion,
}
