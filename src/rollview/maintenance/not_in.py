"""NOT IN as an anti join by equality, beside the counts that say what NULLs do to it.

``x NOT IN R`` is true of every x if R has no rows, of no x if R has a NULL, and otherwise of each
x that is not NULL and equals no value of R. So the number of rows of R and the number of its values
decide between three cases, and the equality does the rest: only when one of the two moves between
zero and non-zero is all of the left looked at. `prepare` lets the left keep its rows for that.
"""

from __future__ import annotations

from collections.abc import Iterator

from rollview.algebra.expressions import Call, ColumnRef, Expression, binary, is_known
from rollview.algebra.relations import (
    Aggregate,
    Filter,
    Join,
    JoinKind,
    Named,
    NamedAggregate,
    Project,
    Relation,
    SingleRow,
)
from rollview.maintenance.counts import COUNT_ALL, count_of
from rollview.maintenance.keys import Pair, equalities, names_of
from rollview.maintenance.partial import extended
from rollview.maintenance.sides import ZERO
from rollview.maintenance.signed import keep, reference


def not_in_by_counts(join: Join, names: Iterator[str]) -> Relation | None:
    """The same rows, if the join is a NOT IN of one column with no further condition."""
    pair = _compared(join)
    if pair is None:
        return None
    case = SingleRow(_case(join.right, pair.right, names), next(names))
    known = reference(case.columns[0])
    beside = Join(JoinKind.CROSS, join.left, case)
    possible = binary("Or", "OR", known, is_known(pair.left), "BOOLEAN")
    decided = binary("And", "AND", is_known(known), possible, "BOOLEAN")
    equal = binary("EqualTo", "=", pair.left, pair.right, "BOOLEAN")
    return keep(Join(JoinKind.ANTI, Filter(beside, decided), join.right, equal), join.columns)


def _compared(join: Join) -> Pair | None:
    """The two sides of ``(x = y) OR ((x = y) IS NULL)``."""
    match join:
        case Join(
            kind=JoinKind.ANTI,
            condition=Call(kind="Or", args=(Call(kind="EqualTo") as equal, Call() as unknown)),
        ) if unknown.kind == "IsNull" and unknown.args == (equal,):
            pairs = equalities(equal, names_of(join.left), names_of(join.right))
            return pairs[0] if pairs else None
        case _:
            return None


def _case(right: Relation, value: Expression, names: Iterator[str]) -> Relation:
    """TRUE if there are no rows, FALSE if there are and none is NULL, NULL if one is NULL."""
    rows, values = (
        NamedAggregate(next(names), call) for call in (COUNT_ALL, count_of((value,), None))
    )
    counts = Aggregate(right, (), (rows, values) if values.call != rows.call else (rows,))
    every, some = (
        ColumnRef(one.name, "BIGINT", nullable=False) for one in (rows, counts.calls[-1])
    )
    parts = ("CASE WHEN ", " THEN TRUE WHEN ", " THEN FALSE END")
    conditions = (
        binary("EqualTo", "=", every, ZERO, "BOOLEAN"),
        binary("EqualTo", "=", every, some, "BOOLEAN"),
    )
    case = Call("CaseWhen", parts, conditions, "BOOLEAN")
    return Project(extended(counts, names), (Named(next(names), case),))
