"""Deferred views: the stored rows, with what is pending laid over them by whoever reads.

A pending row is the *after-image* of one key: the row that the view has from a position on, and in
how many copies, none if it is gone. So a reader needs no sums: the stored rows whose key is not
pending, and of what is pending the newest image of each key. A view without a key is its own key,
with as many copies as it has.

The stored rows come with the position up to which they are folded in, read in the same snapshot.
Only what is pending beyond it counts, so it does not matter which of both a reader reads first:
rows that are folded in meanwhile are found in one place, and not in the other.
"""

from __future__ import annotations

from dataclasses import dataclass

from rollview.algebra.expressions import (
    AggregateCall,
    Call,
    ColumnRef,
    Expression,
    Literal,
    SortKey,
    WindowCall,
    binary,
    cast,
    conjunction,
    function,
    same,
)
from rollview.algebra.relations import (
    Aggregate,
    Filter,
    Generate,
    Join,
    JoinKind,
    Named,
    NamedAggregate,
    NamedWindow,
    Project,
    Relation,
    Side,
    Union,
    Window,
)
from rollview.algebra.schema import Column, Schema
from rollview.maintenance.signed import (
    ADDED,
    PLUS,
    WEIGHT,
    WEIGHT_COLUMN,
    WEIGHT_REF,
    keep,
    named,
    net,
    reference,
    references,
    signed,
)
from rollview.rolling.stamped import POSITION_COLUMN, POSITION_REF

COPIES = "__copies"
COPIES_COLUMN = Column(COPIES, "BIGINT", nullable=False)
_COPIES_REF = reference(COPIES_COLUMN)
_APPLIED = "__applied"
APPLIED_COLUMN = Column(_APPLIED, "BIGINT", nullable=False)
_ZERO = Literal("0L", "BIGINT")
_RANK = ColumnRef("__newest", "INT", nullable=False)


@dataclass(frozen=True, slots=True)
class Deferred:
    """A view whose changes are pending; ``key`` are the columns that tell its rows apart."""

    columns: Schema
    key: tuple[str, ...]

    @property
    def pending_columns(self) -> Schema:
        """What a pending row has: the image, which is NULL but for the key if there is none."""
        nullable = tuple(
            c if c.name in self.key else Column(c.name, c.type, True) for c in self.columns
        )
        return (*nullable, COPIES_COLUMN, POSITION_COLUMN)

    @property
    def is_own_key(self) -> bool:
        """Whether a row is known by all of its columns, and may be there several times."""
        return {c.name for c in self.columns} <= set(self.key)


def deferred_read(
    view: Deferred, stored: Relation, applied: Relation, pending: Relation
) -> Relation:
    """The rows of the view: ``applied`` is one row, the position that ``stored`` is folded to."""
    newest = newest_images(view, pending, applied)
    rest = _without(view, stored, newest)
    there = Filter(newest, binary("GreaterThan", ">", _COPIES_REF, _ZERO, "BOOLEAN"))
    series = function("sequence", PLUS, _COPIES_REF, type="ARRAY<BIGINT>")
    explode = function("explode", series, type="BIGINT", kind="Explode")
    copied = Generate(there, explode, False, (Column("__copy", "BIGINT", False),))
    images = tuple(c for c in copied.columns if c.name in {own.name for own in view.columns})
    return Union((rest, keep(copied, images)), view.columns)


def newest_images(view: Deferred, pending: Relation, applied: Relation) -> Relation:
    """Of every key that is pending beyond the applied position, its newest image."""
    beyond = binary(
        "GreaterThan", ">", POSITION_REF, ColumnRef(_APPLIED, "BIGINT", False), "BOOLEAN"
    )
    open_rows = Join(JoinKind.INNER, pending, applied, beyond, broadcast=Side.RIGHT)
    number = WindowCall(Call("RowNumber", ("row_number()",), (), "INT", nullable=False), "")
    keys = tuple(r for r in references(pending.columns) if r.name in view.key)
    newest_first = (SortKey(POSITION_REF, ascending=False, nulls_first=False),)
    ranked = Window(open_rows, keys, newest_first, (NamedWindow(_RANK.name, number),))
    first = Filter(ranked, binary("EqualTo", "=", _RANK, Literal("1", "INT"), "BOOLEAN"))
    return keep(first, pending.columns)


def after_images(view: Deferred, delta: Relation, now: Relation, position: int) -> Relation:
    """The pending rows of a delta that takes effect at a position.

    ``now`` are the rows of the view before it. With a key they are not needed: an image that is
    added is the row, and a key that is only removed is gone. Without one, copies are counted, of
    the rows that the delta is about alone.
    """
    change = net(delta)
    if view.is_own_key:
        return _stamped(view, _counted(view, change, now), position)
    added = _with_copies(view, Filter(change, ADDED), PLUS)
    removed = binary("LessThan", "<", WEIGHT_REF, _ZERO, "BOOLEAN")
    gone = _without(view, Filter(change, removed), added)
    both = (*(c for c in view.pending_columns if c != POSITION_COLUMN),)
    return _stamped(view, Union((added, _gone(view, gone)), both), position)


def _counted(view: Deferred, change: Relation, now: Relation) -> Relation:
    """Rows that change, with how many copies there are afterwards."""
    concerned = _same_rows(view, now, change)
    both = Union(
        (signed(concerned, view.columns, PLUS), signed(change, view.columns)),
        (*view.columns, WEIGHT_COLUMN),
    )
    total = AggregateCall("Sum", ("sum(", ")"), (WEIGHT_REF,), "BIGINT")
    return Aggregate(both, references(view.columns), (NamedAggregate(COPIES, total),))


def _same_rows(view: Deferred, rows: Relation, change: Relation) -> Relation:
    return _matched(view, JoinKind.SEMI, rows, change)


def _without(view: Deferred, rows: Relation, others: Relation) -> Relation:
    """The rows whose key is none of the others'; these are few."""
    return _matched(view, JoinKind.ANTI, rows, others)


def _matched(view: Deferred, kind: JoinKind, rows: Relation, others: Relation) -> Relation:
    own = tuple(c for c in others.columns if c.name in view.key)
    renamed = Project(others, tuple(Named(f"__key_{c.name}", reference(c)) for c in own))
    condition = conjunction(
        same(_column(rows, column.name), ColumnRef(f"__key_{column.name}", column.type))
        for column in own
    )
    return Join(kind, rows, renamed, condition, broadcast=Side.RIGHT)


def _column(relation: Relation, name: str) -> ColumnRef:
    return next(r for r in references(relation.columns) if r.name == name)


def _with_copies(view: Deferred, rows: Relation, copies: Expression) -> Relation:
    return Project(rows, (*named(references(view.columns)), Named(COPIES, copies)))


def _gone(view: Deferred, rows: Relation) -> Relation:
    """A removed key: no image, no copies."""
    items = tuple(
        Named(c.name, reference(c) if c.name in view.key else _nothing(c.type))
        for c in view.columns
    )
    return Project(rows, (*items, Named(COPIES, _ZERO)))


def _nothing(type: str) -> Expression:
    return cast(Literal("NULL", "VOID", nullable=True), type)


def _stamped(view: Deferred, rows: Relation, position: int) -> Relation:
    items = named(references(tuple(c for c in rows.columns if c.name != WEIGHT)))
    at = Literal(f"{position}L", "BIGINT")
    return Project(rows, (*items, Named(POSITION_COLUMN.name, at)))
