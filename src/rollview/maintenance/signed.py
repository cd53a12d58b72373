"""Signed bags: a relation whose rows have a weight, +1 or -1, in their last column.

The positive and negative rows are the Delta and Nabla of Barbier (2007), section 1.3. A row that is
added three times stands there three times, so every aggregate over changes is one of Spark's own
with a FILTER on the sign.
"""

from __future__ import annotations

from collections.abc import Iterable

from rollview.algebra.expressions import (
    AggregateCall,
    Call,
    ColumnRef,
    Expression,
    Literal,
    binary,
    cast,
    function,
    is_collated,
    spelled,
    spelling,
)
from rollview.algebra.relations import (
    Aggregate,
    Filter,
    Generate,
    Named,
    NamedAggregate,
    Project,
    Relation,
    Union,
)
from rollview.algebra.schema import Column, Schema

WEIGHT = "__weight"
WEIGHT_COLUMN = Column(WEIGHT, "BIGINT", nullable=False)
WEIGHT_REF = ColumnRef(WEIGHT, "BIGINT", nullable=False)
PLUS = Literal("1L", "BIGINT")
MINUS = Literal("-1L", "BIGINT")
_ZERO = Literal("0L", "BIGINT")
ADDED = binary("GreaterThan", ">", WEIGHT_REF, _ZERO, "BOOLEAN")
REMOVED = binary("LessThan", "<", WEIGHT_REF, _ZERO, "BOOLEAN")


def reference(column: Column) -> ColumnRef:
    """The expression that is this column."""
    return ColumnRef(column.name, column.type, column.nullable)


def references(columns: Schema) -> tuple[ColumnRef, ...]:
    """The expressions that are these columns."""
    return tuple(reference(column) for column in columns)


def named(expressions: Iterable[ColumnRef]) -> tuple[Named, ...]:
    """Columns under their own names."""
    return tuple(Named(e.name, e) for e in expressions)


def keep(relation: Relation, columns: Schema) -> Relation:
    """The relation with these of its columns, in this order."""
    if relation.columns == columns:
        return relation
    return Project(relation, named(references(columns)))


def signed(relation: Relation, columns: Schema, weight: Expression = WEIGHT_REF) -> Relation:
    """These columns of the relation with a weight; that of the relation itself by default."""
    items = (*named(references(columns)), Named(WEIGHT, weight))
    if weight is WEIGHT_REF and relation.columns == (*columns, WEIGHT_COLUMN):
        return relation
    return Project(relation, items)


def unsigned(delta: Relation) -> Relation:
    """The rows of a delta without their weights."""
    return keep(delta, tuple(c for c in delta.columns if c.name != WEIGHT))


def added(delta: Relation) -> Relation:
    """The rows that a delta adds."""
    return unsigned(Filter(delta, ADDED))


def net(delta: Relation) -> Relation:
    """The same change, minimal: what is added and removed on the way is left out."""
    columns = tuple(c for c in delta.columns if c.name != WEIGHT)
    if any(is_collated(column.type) for column in columns):
        return _net_of_spellings(delta, columns)
    told, texts = _told_apart(delta, columns)
    total = AggregateCall("Sum", ("sum(", ")"), (WEIGHT_REF,), "BIGINT")
    weight = ColumnRef("__net", "BIGINT")
    values = {
        name: AggregateCall("AnyValue", ("any_value(", ")"), (value,), value.type, value.nullable)
        for name, value in texts.items()
    }
    calls = (NamedAggregate(f"{name}_value", call) for name, call in values.items())
    groups = references(tuple(c for c in told.columns if c.name != WEIGHT))
    counted = Aggregate(told, groups, (NamedAggregate(weight.name, total), *calls))
    changed = Filter(counted, binary("Not", "<>", weight, _ZERO, "BOOLEAN"))
    copies = function(
        "sequence", PLUS, function("abs", weight, type="BIGINT"), type="ARRAY<BIGINT>"
    )
    explode = function("explode", copies, type="BIGINT", kind="Explode")
    repeated = Generate(changed, explode, False, (Column("__copy", "BIGINT", False),))
    grows = binary("GreaterThan", ">", weight, _ZERO, "BOOLEAN")
    sign = Call("If", ("if(", ", ", ", ", ")"), (grows, PLUS, MINUS), "BIGINT", False)
    if not texts:
        return signed(repeated, columns, sign)
    exact = {value.name: ColumnRef(f"{name}_value", value.type) for name, value in texts.items()}
    items = (Named(c.name, exact.get(c.name) or reference(c)) for c in columns)
    return Project(repeated, (*items, Named(WEIGHT, sign)))


def _told_apart(delta: Relation, columns: Schema) -> tuple[Relation, dict[str, ColumnRef]]:
    """The delta with texts of what holds floats, by name: a group takes -0.0 for 0.0."""
    floats = [r for r in references(columns) if "FLOAT" in r.type or "DOUBLE" in r.type]
    texts = {f"__text_{position}": value for position, value in enumerate(floats)}
    if not texts:
        return delta, texts
    more = (Named(name, cast(value, "STRING")) for name, value in texts.items())
    return Project(delta, (*named(references(delta.columns)), *more)), texts


def _net_of_spellings(delta: Relation, columns: Schema) -> Relation:
    """Values of a collation are equal to others that they are not the same as."""
    told = tuple(Named(c.name, spelling(reference(c))) for c in columns)
    found = net(Project(delta, (*told, Named(WEIGHT, WEIGHT_REF))))
    plain = zip(references(columns), references(found.columns), strict=False)
    back = (Named(c.name, spelled(p, c.type) if is_collated(c.type) else p) for c, p in plain)
    return Project(found, (*back, Named(WEIGHT, WEIGHT_REF)))


def sum_of(deltas: Iterable[Relation | None], columns: Schema) -> Relation | None:
    """All changes of several deltas over the same columns; None if there is none."""
    present = tuple(signed(delta, columns) for delta in deltas if delta is not None)
    if not present:
        return None
    if len(present) == 1:
        return present[0]
    return Union(present, (*columns, WEIGHT_COLUMN))


def difference(old: Relation, new: Relation, columns: Schema) -> Relation:
    """The delta from one bag to another, not net."""
    both = (signed(old, columns, MINUS), signed(new, columns, PLUS))
    return Union(both, (*columns, WEIGHT_COLUMN))
