"""The cut rule: of which views a delta can be cut at any position.

The delta of a join, filter, projection or union is a sum of rows that each take effect at one
position, and so is what sums and counts add up (Salem et al. 2000, section 2: summary deltas), as
long as nothing but a function of each group stands above them. Every other operator compares
states: its delta says what differs between the ends of a step, and nothing of what was in between.
"""

from __future__ import annotations

from rollview.algebra.expressions import AggregateCall
from rollview.algebra.relations import (
    Aggregate,
    Expand,
    Filter,
    Generate,
    Join,
    JoinKind,
    Project,
    Relation,
    Scan,
    Sort,
    TableFunction,
    Union,
    Values,
)
from rollview.algebra.schema import DECIMAL
from rollview.algebra.traverse import inputs
from rollview.maintenance.clock import reads_clock

_INTEGERS = frozenset({"TINYINT", "SMALLINT", "INT", "BIGINT"})


def can_be_cut(relation: Relation) -> bool:
    """Whether the delta of the relation is right at every position, not only at step ends."""
    return not bound_to_steps(relation)


def bound_to_steps(relation: Relation) -> tuple[Relation, ...]:
    """The operators whose deltas are right at step ends only, uppermost first."""
    summed = summed_part(relation)
    return _bound(relation if summed is None else summed.child)


def summed_part(relation: Relation) -> Aggregate | None:
    """The sums and counts that a view is a function of, group by group; None if it is not."""
    match relation:
        case Aggregate(calls=calls) if all(is_summed(one.call) for one in calls):
            return relation
        case Project(child=child) | Sort(child=child):
            return summed_part(child)
        case Filter(child=child, condition=condition) if not reads_clock(condition):
            return summed_part(child)
        case _:
            return None


def is_summed(call: AggregateCall) -> bool:
    """Whether a call only adds up, exactly, what each row contributes."""
    if call.distinct:
        return False
    if call.kind == "Sum":
        (value,) = call.args
        return value.type in _INTEGERS or DECIMAL.fullmatch(value.type) is not None
    return call.kind == "Count"


def _bound(relation: Relation) -> tuple[Relation, ...]:
    own = () if _is_linear(relation) else (relation,)
    return own + tuple(one for child in inputs(relation) for one in _bound(child))


def _is_linear(relation: Relation) -> bool:
    """Whether each row of the relation is made of one row of each input, whatever else is there."""
    match relation:
        case Filter(condition=condition):
            return not reads_clock(condition)
        case Join(kind=kind):
            return kind in (JoinKind.INNER, JoinKind.CROSS)
        case _:
            return isinstance(
                relation,
                Scan | Values | TableFunction | Project | Union | Expand | Generate | Sort,
            )
