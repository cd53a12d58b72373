"""Product: the operands side by side, each with its own totals.

Barbier (2007), table 5.2, third row, "no conditions": the row is joined from the change table of
one operand and all rows of the other, and the totals of both are combined with what is stored. As
printed that is wrong where the other operand has totals, too: they did not change, and would be
added to themselves. Here every operand keeps its totals apart: those of the operand that changed
are combined, the others are kept (`refresh`, docs/strategies.md). A join condition is a
selection of the product, so it must be over group-by attributes.
"""

from __future__ import annotations

from rollview.algebra.definition import Reason
from rollview.algebra.expressions import conjuncts
from rollview.algebra.relations import Join
from rollview.maintenance.change_tables import Naming, Table
from rollview.maintenance.violations import not_a_key


def through_join(join: Join, below: tuple[Table, ...], _naming: Naming) -> Table | Reason:
    """Both operands under the condition."""
    left, right = below
    both = Table(
        left.factors + right.factors,
        left.items + right.items,
        left.conditions + right.conditions,
    )
    if join.condition is None:
        return both
    strangers = both.strangers(join.condition)
    if strangers:
        return not_a_key(join, "product", strangers)
    own = conjuncts(both.value(join.condition))
    return Table(both.factors, both.items, both.conditions + own)
