"""The strategy `change_table`: deltas up to an aggregate or outer join, differences above it.

Barbier (2007), ch. 5, after Gupta and Mumick. Below a conversion point changes are deltas, by the
rules of `counting`; there they become a change table, which passes further operators under the
conditions of table 5.2, and is combined with the stored extent of the view at the end. Nothing
between the conversion point and the view is kept, and no old value is read on the way.

`CONVERT` makes change tables and `THROUGH` lets them pass; `RULES` are the rules of the program.
"""

from rollview.algebra.relations import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    Project,
    Relation,
    Sort,
)
from rollview.maintenance import counting
from rollview.maintenance.change_table.aggregate import convert_aggregate, through_aggregate
from rollview.maintenance.change_table.filter import through_filter
from rollview.maintenance.change_table.join import through_join
from rollview.maintenance.change_table.outer_join import convert_outer_join
from rollview.maintenance.change_table.project import through_project
from rollview.maintenance.change_table.refresh import delta_conversion, delta_extent
from rollview.maintenance.change_table.sort import through_sort
from rollview.maintenance.change_tables import Convert, Through
from rollview.maintenance.extents import is_extent
from rollview.maintenance.flow import Flow, Rule

CONVERT: dict[type, Convert] = {
    Aggregate: convert_aggregate,
    Distinct: convert_aggregate,
    Join: convert_outer_join,
}
THROUGH: dict[type, Through] = {
    Aggregate: through_aggregate,
    Distinct: through_aggregate,
    Filter: through_filter,
    Join: through_join,
    Project: through_project,
    Sort: through_sort,
}


def delta_aggregate(aggregate: Aggregate, flow: Flow) -> Relation | None:
    """The extent of the view, a conversion point below it, or an aggregate among the deltas."""
    kept = flow.kept(aggregate)
    if kept is None:
        return delta_conversion(aggregate, flow)
    if is_extent(kept):
        return delta_extent(aggregate, flow)
    return counting.RULES[Aggregate](aggregate, flow)


def delta_project(project: Project, flow: Flow) -> Relation | None:
    """The extent of a view that is a product, or a projection of a change."""
    kept = flow.kept(project)
    if kept is not None and is_extent(kept):
        return delta_extent(project, flow)
    return counting.RULES[Project](project, flow)


RULES: dict[type, Rule] = {
    **counting.RULES,
    Aggregate: delta_aggregate,
    Project: delta_project,
}
