"""The net effect of a view delta between two positions: phi of Salem et al. (2000), section 4.

Definition 4.1: rows are grouped by all columns but weight and position, weights add up, positions
are dropped, and what adds up to zero vanishes. What is left is the minimal change of the view.
"""

from __future__ import annotations

from rollview.algebra.expressions import Literal, binary, conjunction
from rollview.algebra.relations import Filter, Relation
from rollview.maintenance.signed import keep, net
from rollview.rolling.stamped import POSITION, POSITION_REF


def net_effect(delta: Relation, since: int | None = None, until: int | None = None) -> Relation:
    """The minimal change within ``(since, until]``; each copy a row, with weight 1 or -1."""
    bounds = (("GreaterThan", ">", since), ("LessThanOrEqual", "<=", until))
    window = conjunction(
        binary(kind, sign, POSITION_REF, Literal(f"{bound}L", "BIGINT"), "BOOLEAN")
        for kind, sign, bound in bounds
        if bound is not None
    )
    rows = delta if window is None else Filter(delta, window)
    return net(keep(rows, tuple(c for c in delta.columns if c.name != POSITION)))
