"""Outer joins as conversion points: matched rows, and preserved rows beside a count of matches.

Outer joins are left out in Barbier (2007), ch. 5; the rules here are derived and proved in
docs/strategies.md, as Gupta and Mumick do theirs. Whether a row of the preserved side is padded
depends on all rows of the other, which is no sum. But two numbers that decide it are: how many
copies of the row there are, and with how many rows its copies are joined. So the extent has one row
for each different

- pair of rows that match, with the number of its copies;
- row of a preserved side, with the number of its copies, and of its matches.

Each is a count over ``L JOIN R`` or over the preserved side. Counts are combined by + and cancelled
by -. A row is shown as often as it has copies, if it has no matches; pairs never have any.
"""

from __future__ import annotations

from rollview.algebra.definition import Reason
from rollview.algebra.expressions import AggregateCall, Call, Expression, Literal
from rollview.algebra.relations import (
    Aggregate,
    Expand,
    Join,
    JoinKind,
    Named,
    NamedAggregate,
    Project,
    Relation,
    Union,
)
from rollview.algebra.schema import Column
from rollview.maintenance.change_tables import Factor, Naming, Table, not_identified
from rollview.maintenance.keys import names_of
from rollview.maintenance.signed import named, reference, references
from rollview.maintenance.violations import not_told_apart

_COPY, _MATCH = Literal("TRUE", "BOOLEAN"), Literal("FALSE", "BOOLEAN")
_BOTH, _LEFT, _RIGHT = (Literal(text, "INT") for text in ("0", "1", "2"))


def convert_outer_join(join: Join, below: tuple[Relation, ...], naming: Naming) -> Table | Reason:
    """A conversion point: the extent of an outer join of relations maintained by deltas."""
    left, right = below
    unclear = not_identified(join.columns)
    if unclear:
        return not_told_apart(join, unclear)
    side = Column(naming.fresh(), "INT", False)
    copy = Column(naming.fresh(), "BOOLEAN", False)
    columns = (*join.columns, side, copy)
    kind = JoinKind.CROSS if join.condition is None else JoinKind.INNER
    pairs = Join(kind, left, right, join.condition)
    preserved = [
        (relation, mark)
        for relation, mark, kinds in (
            (left, _LEFT, (JoinKind.LEFT, JoinKind.FULL)),
            (right, _RIGHT, (JoinKind.RIGHT, JoinKind.FULL)),
        )
        if join.kind in kinds
    ]
    matched = Expand(
        pairs,
        (
            (*references(pairs.columns), _BOTH, _COPY),
            *((*_padded(join, relation), mark, _MATCH) for relation, mark in preserved),
        ),
        columns,
    )
    copies = (
        Project(relation, _items(columns, (*_padded(join, relation), mark, _COPY)))
        for relation, mark in preserved
    )
    tagged = Union((matched, *copies), columns)
    counts = (
        NamedAggregate(naming.fresh(), _count_if(reference(copy))),
        NamedAggregate(naming.fresh(), _count_if(_not(reference(copy)))),
    )
    extent = Aggregate(tagged, references((*join.columns, side)), counts)
    shown = named(references(join.columns))
    return Table((Factor(extent, unmatched=counts[1].name),), shown)


def _padded(join: Join, relation: Relation) -> tuple[Expression, ...]:
    """The columns of the join for a row of one side without a match."""
    present = names_of(relation)
    return tuple(
        reference(c) if c.name in present else Literal(f"CAST(NULL AS {c.type})", c.type, True)
        for c in join.columns
    )


def _items(columns: tuple[Column, ...], values: tuple[Expression, ...]) -> tuple[Named, ...]:
    return tuple(Named(c.name, value) for c, value in zip(columns, values, strict=True))


def _count_if(condition: Expression) -> AggregateCall:
    return AggregateCall("CountIf", ("count_if(", ")"), (condition,), "BIGINT", False)


def _not(condition: Expression) -> Expression:
    return Call("Not", ("(NOT ", ")"), (condition,), "BOOLEAN", False)
