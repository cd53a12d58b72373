"""Selection: a change table passes if the condition is over group-by attributes alone.

Barbier (2007), table 5.2, first row. Such a condition is true of all causes of a row or of none, so
it picks rows of the extent, and of the change table the same ones. A condition on a total may be
true before a change and false after it, while the change table has the difference only.
"""

from __future__ import annotations

from dataclasses import replace

from rollview.algebra.definition import Reason
from rollview.algebra.expressions import conjuncts
from rollview.algebra.relations import Filter
from rollview.maintenance.change_tables import Naming, Table
from rollview.maintenance.clock import reads_clock
from rollview.maintenance.violations import by_clock, not_a_key


def through_filter(filter: Filter, below: tuple[Table, ...], _naming: Naming) -> Table | Reason:
    """``change(F(Q)) = F(change(Q))``."""
    (table,) = below
    if reads_clock(filter.condition):
        return by_clock(filter)
    strangers = table.strangers(filter.condition)
    if strangers:
        return not_a_key(filter, "selection", strangers)
    own = conjuncts(table.value(filter.condition))
    return replace(table, conditions=table.conditions + own)
