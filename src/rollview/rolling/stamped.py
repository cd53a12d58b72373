"""A propagation query as ordinary algebra over stamped leaves.

Every leaf stands for rows of one source: `After` for the present, `Before` for the rows at a
position, `Changes` for the changes in a window, with their weight and position last. A leaf is
named after source and positions, ``orders (3, 7]``; `readings` says what each name stands for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rollview.algebra.expressions import ColumnRef, Expression, Literal, binary, cast, function
from rollview.algebra.relations import (
    After,
    Before,
    Changes,
    Filter,
    Named,
    Project,
    Relation,
    Scan,
    Union,
)
from rollview.algebra.schema import Column, Schema
from rollview.algebra.traverse import walk
from rollview.errors import InternalError
from rollview.maintenance.flow import Flow
from rollview.maintenance.images import image
from rollview.maintenance.keys import Keys
from rollview.maintenance.outward import Joined, outwards
from rollview.maintenance.signed import (
    MINUS,
    PLUS,
    WEIGHT,
    WEIGHT_COLUMN,
    WEIGHT_REF,
    named,
    references,
)
from rollview.rolling.query import AsOf, Correction, Entry, Present, Query, Stamp, Window
from rollview.rolling.view import RolledView

POSITION = "__position"
POSITION_COLUMN = Column(POSITION, "BIGINT", nullable=True)
POSITION_REF = ColumnRef(POSITION, "BIGINT", nullable=True)
_NOWHERE = cast(Literal("NULL", "BIGINT", nullable=True), "BIGINT")
_PICKED = {Stamp.MINIMUM: "least", Stamp.MAXIMUM: "greatest"}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a leaf stands for: the rows at ``since``, or the changes in ``(since, until]``.

    The present of a live source has no positions.
    """

    source: str
    since: int | None = None
    until: int | None = None


def delta(view: RolledView, query: Query) -> Relation:
    """The rows of the query: the columns of the view, then weight and position."""
    parts = [
        _part(relation.scan, number, view.joined.inputs[relation.input], entry)
        for number, (relation, entry) in enumerate(zip(view.relations, query.entries, strict=True))
    ]
    of_input = {r.input: part for r, part in zip(view.relations, parts, strict=True)}
    weight, position = _weight(query, parts), _position(query, parts)
    items = (*view.joined.items, Named(WEIGHT, weight), Named(POSITION, position))
    joined = Joined(view.joined.inputs, view.joined.conditions, items)

    def other(index: int, keys: Keys | None, by: tuple[Expression, ...]) -> Relation:
        return of_input.get(index, view.joined.inputs[index])

    start = view.relations[_smallest(query)].input
    # All inputs are plain, so nothing is held and no image is asked for.
    flow = Flow({}, image, frozenset(), ())
    return outwards(flow, joined, start, of_input[start], other)


def readings(relation: Relation) -> dict[str, Reading]:
    """What the leaves of a rendered query stand for, by the names that the renderer asks for."""
    found = {}
    for leaf in walk(relation):
        if isinstance(leaf, After):
            found[f"after {leaf.source}"] = Reading(leaf.source)
        elif isinstance(leaf, Before):
            source, _, at = leaf.source.rpartition(" at ")
            found[f"before {leaf.source}"] = Reading(source, int(at))
        elif isinstance(leaf, Changes):
            source, _, window = leaf.source.rpartition(" (")
            since, until = window.removesuffix("]").split(", ")
            found[f"changes {leaf.source}"] = Reading(source, int(since), int(until))
    return found


def _smallest(query: Query) -> int:
    """The relation to join the others to: one of which only changes are read."""
    for relation, entry in enumerate(query.entries):
        if isinstance(entry, Window | Correction):
            return relation
    raise InternalError(f"a propagation query reads changes: {query}")


def _part(scan: Scan, number: int, whole: Relation, entry: Entry) -> Relation:
    """The input of the join that has this entry, with weight and position of its own names."""
    match entry:
        case Present():
            return _above(whole, After(scan.source, scan.fields, scan.columns), ())
        case AsOf(since=since, until=until) if since >= until:
            return _above(whole, _rows_at(scan, until), ())
        case AsOf(since=since, until=until):
            rows = _with(_rows_at(scan, since), PLUS, _NOWHERE)
            leaf = _union(scan, rows, _changes(scan, since, until))
        case Window(since=since, until=until):
            leaf = _changes(scan, since, until)
        case Correction(since=since, until=until, seen=seen):
            undone = binary("Multiply", "*", WEIGHT_REF, MINUS, "BIGINT")
            leaf = _with(_changes(scan, since, seen), undone, _NOWHERE)
            if until > since:
                leaf = _union(scan, leaf, _changes(scan, since, until))
    mine = (Named(f"{WEIGHT}_{number}", WEIGHT_REF), Named(f"{POSITION}_{number}", POSITION_REF))
    return _above(whole, Project(leaf, (*named(references(scan.columns)), *mine)), mine)


def _rows_at(scan: Scan, position: int) -> Relation:
    return Before(f"{scan.source} at {position}", scan.fields, scan.columns)


def _changes(scan: Scan, since: int, until: int) -> Relation:
    fields = (*scan.fields, WEIGHT, POSITION)
    return Changes(f"{scan.source} ({since}, {until}]", fields, _columns(scan))


def _columns(scan: Scan) -> Schema:
    return (*scan.columns, WEIGHT_COLUMN, POSITION_COLUMN)


def _with(rows: Relation, weight: Expression, position: Expression) -> Relation:
    own = tuple(c for c in rows.columns if c.name not in (WEIGHT, POSITION))
    more = (Named(WEIGHT, weight), Named(POSITION, position))
    return Project(rows, (*named(references(own)), *more))


def _union(scan: Scan, *many: Relation) -> Relation:
    return Union(many, _columns(scan))


def _above(whole: Relation, leaf: Relation, more: tuple[Named, ...]) -> Relation:
    """The filters and projections of an input over another leaf, its further columns kept."""
    match whole:
        case Filter(child=child, condition=condition):
            return Filter(_above(child, leaf, more), condition)
        case Project(child=child, items=items):
            kept = named(ColumnRef(i.name, i.expression.type) for i in more)
            return Project(_above(child, leaf, more), (*items, *kept))
        case _:
            return leaf


def _own(parts: Iterable[Relation], prefix: str) -> list[ColumnRef]:
    """The weights or positions of all parts that have them."""
    columns = (column for part in parts for column in part.columns)
    return list(references(tuple(c for c in columns if c.name.startswith(f"{prefix}_"))))


def _weight(query: Query, parts: list[Relation]) -> Expression:
    weight: Expression = PLUS if query.sign > 0 else MINUS
    for own in _own(parts, WEIGHT):
        weight = binary("Multiply", "*", weight, own, "BIGINT")
    return weight


def _position(query: Query, parts: list[Relation]) -> Expression:
    """Both functions leave NULL out of account."""
    own = _own(parts, POSITION)
    if len(own) == 1:
        return own[0]
    return function(_PICKED[query.stamp], *own, type="BIGINT")
