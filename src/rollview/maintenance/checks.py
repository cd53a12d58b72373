"""Checks of declared keys: relations that must have no rows.

A refresh that makes use of a declaration knows that it held before; so it holds now unless a
changed row breaks it, and only the keys of changed rows are looked at (Qian, Wiederhold 1991: a
constraint is a view that must stay empty).
"""

from __future__ import annotations

from rollview.algebra.expressions import (
    AggregateCall,
    ColumnRef,
    Literal,
    binary,
    conjunction,
    is_known,
)
from rollview.algebra.relations import (
    Aggregate,
    Changes,
    Filter,
    Join,
    JoinKind,
    NamedAggregate,
    Relation,
    Scan,
    Temporary,
)
from rollview.algebra.schema import Column, Schema
from rollview.algebra.traverse import walk
from rollview.analysis.constraints import Constraint, ForeignKey, Key
from rollview.errors import InternalError
from rollview.maintenance.flow import Flow
from rollview.maintenance.keys import Keys, without
from rollview.maintenance.program import Check
from rollview.maintenance.signed import (
    ADDED,
    REMOVED,
    WEIGHT,
    WEIGHT_COLUMN,
    WEIGHT_REF,
    keep,
    references,
)

_COUNT = ColumnRef("__copies", "BIGINT")
_ONE = Literal("1", "INT")
_NOTHING = Literal("0", "INT")


def whole(constraint: Constraint, relation: Relation) -> tuple[Relation, ...]:
    """What must have no rows if a declaration holds of the tables that a relation reads."""
    if isinstance(constraint, Key):
        return (_repeated(_scan(relation, constraint.table, constraint.columns)),)
    child = _scan(relation, constraint.table, constraint.columns, "__child")
    parent = _scan(relation, constraint.parent, constraint.parent_columns)
    pairs = zip(references(child.columns), references(parent.columns), strict=True)
    condition = conjunction(binary("EqualTo", "=", one, two, "BOOLEAN") for one, two in pairs)
    orphans = Join(JoinKind.ANTI, _without_nulls(child), parent, condition)
    return (_repeated(parent), orphans)


def of_changes(constraint: Constraint, flow: Flow, relation: Relation) -> tuple[Check, ...]:
    """What must have no rows after the changes, given that the declaration held before them."""
    if isinstance(constraint, Key):
        return _unique(constraint, constraint, flow, relation)
    found = _unique(constraint, constraint.key, flow, relation)
    return (*found, *_orphans(constraint, flow, relation))


def _unique(constraint: Constraint, key: Key, flow: Flow, relation: Relation) -> tuple[Check, ...]:
    if not flow.source_changed(key.table):
        return ()
    scan = _scan(relation, key.table, key.columns)
    keys = _changed(flow, scan, added=True)
    repeated = flow.hold(_repeated(flow.after(scan, keys)), "repeated")
    return (_check(constraint, repeated, f"{key.table} has several rows for"),)


def _orphans(key: ForeignKey, flow: Flow, relation: Relation) -> tuple[Check, ...]:
    child = _scan(relation, key.table, key.columns, "__child")
    parent = _scan(relation, key.parent, key.parent_columns)
    found = []
    if flow.source_changed(key.table):
        new = _more(flow, child)
        there = flow.after(parent, new.over(references(parent.columns)))
        lost = without(_without_nulls(new.relation), _in(there, new))
        word = f"{key.parent} has no row for new rows of {key.table} with"
        found.append(_check(key, flow.hold(lost, "orphans"), word))
    if flow.source_changed(key.parent):
        removed = _changed(flow, parent, added=False)
        left = without(removed.relation, _in(flow.after(parent, removed), removed))
        gone = flow.hold(_without_nulls(left), "removed")
        columns = references(gone.columns)
        own = Keys(gone, tuple(zip(references(child.columns), columns, strict=True)))
        word = f"{key.table} has rows left for what {key.parent} has lost:"
        found.append(_check(key, flow.hold(flow.after(child, own), "orphans"), word))
    return tuple(found)


def _in(rows: Relation, keys: Keys) -> Keys:
    """The rows as keys for the columns of some keys."""
    own = tuple(key for _, key in keys.on)
    return Keys(rows, tuple(zip(own, references(rows.columns), strict=True)))


def _changed(flow: Flow, scan: Scan, *, added: bool) -> Keys:
    """The keys of the rows that were added, or of those that were removed."""
    changes = Changes(scan.source, (*scan.fields, WEIGHT), (*scan.columns, WEIGHT_COLUMN))
    some = Filter(changes, ADDED if added else REMOVED)
    return flow.keys(some, references(scan.columns))


def _more(flow: Flow, scan: Scan) -> Keys:
    """The keys that have more rows than before; the others had rows then, and so a parent."""
    changes = Changes(scan.source, (*scan.fields, WEIGHT), (*scan.columns, WEIGHT_COLUMN))
    total = AggregateCall("Sum", ("sum(", ")"), (WEIGHT_REF,), "BIGINT")
    summed = Aggregate(changes, references(scan.columns), (NamedAggregate(_COUNT.name, total),))
    some = Filter(summed, binary("GreaterThan", ">", _COUNT, _NOTHING, "BOOLEAN"))
    return flow.keys(some, references(scan.columns))


def _repeated(rows: Relation) -> Relation:
    """The rows that are there more than once."""
    count = AggregateCall("Count", ("count(", ")"), (_ONE,), "BIGINT", False)
    counted = Aggregate(rows, references(rows.columns), (NamedAggregate(_COUNT.name, count),))
    several = binary("GreaterThan", ">", _COUNT, _ONE, "BOOLEAN")
    return keep(Filter(counted, several), rows.columns)


def _without_nulls(rows: Relation) -> Relation:
    known = conjunction(is_known(column) for column in references(rows.columns) if column.nullable)
    return rows if known is None else Filter(rows, known)


def _check(constraint: Constraint, held: Relation, what: str) -> Check:
    if not isinstance(held, Temporary):
        raise InternalError("a check that is no step")
    return Check(constraint, held.name, what)


def _scan(relation: Relation, table: str, columns: tuple[str, ...], prefix: str = "__own") -> Scan:
    """A scan of these columns alone, of the types that the relation reads them in."""
    found: dict[str, Column] = {}
    for node in walk(relation):
        if isinstance(node, Scan) and node.source == table:
            found |= dict(zip(node.fields, node.columns, strict=True))
    if not set(columns) <= found.keys():
        raise InternalError(f"{table} is not read with its columns {', '.join(columns)}")
    own: Schema = tuple(
        Column(f"{prefix}_{i}", found[name].type, found[name].nullable)
        for i, name in enumerate(columns)
    )
    return Scan(table, columns, own)
