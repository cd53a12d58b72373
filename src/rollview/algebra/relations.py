"""Relations: what a view is, as a tree of frozen nodes.

Every node answers ``columns``. Column names are unique within one view definition wherever two
inputs meet, so expressions refer to columns by name alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from rollview.algebra.expressions import (
    AggregateCall,
    Call,
    ColumnRef,
    Expression,
    SortKey,
    WindowCall,
)
from rollview.algebra.schema import Column, Schema
from rollview.errors import InternalError


class JoinKind(StrEnum):
    """The join types that Spark's plans reduce to."""

    INNER = "inner"
    CROSS = "cross"
    LEFT = "left"
    RIGHT = "right"
    FULL = "full"
    SEMI = "semi"
    ANTI = "anti"
    EXISTENCE = "existence"
    SINGLE = "single"
    """A left join that fails when a left row has more than one match."""


class Side(StrEnum):
    """One input of a join."""

    LEFT = "left"
    RIGHT = "right"


class SetKind(StrEnum):
    """The set operators besides UNION."""

    INTERSECT = "intersect"
    EXCEPT = "except"


@dataclass(frozen=True, slots=True)
class Named:
    """An expression and the column it becomes."""

    name: str
    expression: Expression

    @property
    def column(self) -> Column:
        return Column(self.name, self.expression.type, self.expression.nullable)


@dataclass(frozen=True, slots=True)
class NamedAggregate:
    """An aggregate call and the column it becomes."""

    name: str
    call: AggregateCall

    @property
    def column(self) -> Column:
        return Column(self.name, self.call.type, self.call.nullable)


@dataclass(frozen=True, slots=True)
class NamedWindow:
    """A window call and the column it becomes."""

    name: str
    call: WindowCall

    @property
    def column(self) -> Column:
        return Column(self.name, self.call.type, self.call.nullable)


@dataclass(frozen=True, slots=True)
class Scan:
    """All rows of one source: ``fields[i]`` of the source is known as ``columns[i]``."""

    source: str
    fields: tuple[str, ...]
    columns: Schema


@dataclass(frozen=True, slots=True)
class Values:
    """Constant rows written in the definition; no columns and one row is SELECT without FROM."""

    columns: Schema
    rows: tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True, slots=True)
class TableFunction:
    """Rows made by a function of constants, such as ``range(10)``."""

    text: str
    fields: tuple[str, ...]
    columns: Schema


@dataclass(frozen=True, slots=True)
class Project:
    """One output row per input row."""

    child: Relation
    items: tuple[Named, ...]

    @property
    def columns(self) -> Schema:
        return tuple(item.column for item in self.items)


@dataclass(frozen=True, slots=True)
class Filter:
    """The rows for which the condition is true."""

    child: Relation
    condition: Expression

    @property
    def columns(self) -> Schema:
        return self.child.columns


@dataclass(frozen=True, slots=True)
class Join:
    """Two inputs under a condition; ``flag`` names the boolean of an existence join."""

    kind: JoinKind
    left: Relation
    right: Relation
    condition: Expression | None = None
    flag: str | None = None
    broadcast: Side | None = None
    """The input that is known to be small; the renderer tells Spark."""

    def __post_init__(self) -> None:
        if (self.flag is not None) != (self.kind is JoinKind.EXISTENCE):
            raise InternalError("exactly the existence join has a flag column")

    @property
    def columns(self) -> Schema:
        match self.kind:
            case JoinKind.SEMI | JoinKind.ANTI:
                return self.left.columns
            case JoinKind.EXISTENCE:
                return (*self.left.columns, Column(self.flag or "", "BOOLEAN", False))
            case JoinKind.INNER | JoinKind.CROSS:
                return self.left.columns + self.right.columns
            case JoinKind.LEFT | JoinKind.SINGLE:
                return self.left.columns + _nullable(self.right.columns)
            case JoinKind.RIGHT:
                return _nullable(self.left.columns) + self.right.columns
            case JoinKind.FULL:
                return _nullable(self.left.columns) + _nullable(self.right.columns)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One row per group; without groups, one row always."""

    child: Relation
    groups: tuple[ColumnRef, ...]
    calls: tuple[NamedAggregate, ...]

    @property
    def columns(self) -> Schema:
        groups = tuple(Column(g.name, g.type, g.nullable) for g in self.groups)
        return groups + tuple(call.column for call in self.calls)


@dataclass(frozen=True, slots=True)
class Distinct:
    """Each different row once."""

    child: Relation

    @property
    def columns(self) -> Schema:
        return self.child.columns


@dataclass(frozen=True, slots=True)
class Union:
    """All rows of all inputs, columns matched by position."""

    inputs: tuple[Relation, ...]
    columns: Schema

    def __post_init__(self) -> None:
        for relation in self.inputs:
            _check_width("UNION", relation, len(self.columns))


@dataclass(frozen=True, slots=True)
class SetOperation:
    """INTERSECT or EXCEPT, by set or (``all``) by multiplicity, columns matched by position."""

    kind: SetKind
    all: bool
    left: Relation
    right: Relation
    columns: Schema

    def __post_init__(self) -> None:
        _check_width(self.kind.upper(), self.left, len(self.columns))
        _check_width(self.kind.upper(), self.right, len(self.columns))


@dataclass(frozen=True, slots=True)
class Window:
    """Every input row with further columns computed over its partition."""

    child: Relation
    partition: tuple[Expression, ...]
    order: tuple[SortKey, ...]
    calls: tuple[NamedWindow, ...]

    @property
    def columns(self) -> Schema:
        return self.child.columns + tuple(call.column for call in self.calls)


@dataclass(frozen=True, slots=True)
class Expand:
    """Every input row once per projection (grouping sets, UNPIVOT)."""

    child: Relation
    projections: tuple[tuple[Expression, ...], ...]
    columns: Schema


@dataclass(frozen=True, slots=True)
class Generate:
    """Every input row with each row its generator makes; ``outer`` keeps rows that make none."""

    child: Relation
    generator: Call
    outer: bool
    produced: Schema

    @property
    def columns(self) -> Schema:
        return self.child.columns + self.produced


@dataclass(frozen=True, slots=True)
class Sort:
    """The same rows in an order; matters only to what is sensitive to order above it."""

    child: Relation
    order: tuple[SortKey, ...]

    @property
    def columns(self) -> Schema:
        return self.child.columns


@dataclass(frozen=True, slots=True)
class TopK:
    """The rows from ``offset`` up to ``limit`` more, in an order; without order, any such rows."""

    child: Relation
    order: tuple[SortKey, ...]
    limit: Expression | None
    offset: Expression | None

    @property
    def columns(self) -> Schema:
        return self.child.columns


@dataclass(frozen=True, slots=True)
class SingleRow:
    """A scalar subquery: its row, NULL if there is none, Spark's error if more than one."""

    child: Relation
    name: str

    @property
    def columns(self) -> Schema:
        inner = self.child.columns[0]
        return (Column(self.name, inner.type, True),)


@dataclass(frozen=True, slots=True)
class Recursion:
    """A recursive CTE: the anchor, then the step over the rows of the round before, until none."""

    name: str
    anchor: Relation
    step: Relation
    columns: Schema
    depth: str | None = None


@dataclass(frozen=True, slots=True)
class RecursionInput:
    """Inside the step of a `Recursion`: the rows of the round before."""

    name: str
    fields: tuple[str, ...]
    columns: Schema


@dataclass(frozen=True, slots=True)
class Changes:
    """In a delta: the changes of one source, each row with its weight, +1 or -1, last."""

    source: str
    fields: tuple[str, ...]
    columns: Schema


@dataclass(frozen=True, slots=True)
class Before:
    """In a delta: all rows of one source as they were at the last refresh."""

    source: str
    fields: tuple[str, ...]
    columns: Schema


@dataclass(frozen=True, slots=True)
class After:
    """In a delta: all rows of one source as they are at this refresh."""

    source: str
    fields: tuple[str, ...]
    columns: Schema


@dataclass(frozen=True, slots=True)
class State:
    """In a delta: the rows that an inner operator had at the last refresh, kept since then."""

    name: str
    columns: Schema


@dataclass(frozen=True, slots=True)
class Temporary:
    """In a delta: what an earlier step of the same refresh has computed."""

    name: str
    columns: Schema


Leaf = Scan | Values | TableFunction | RecursionInput | Changes | Before | After | State | Temporary
Relation = (
    Leaf
    | Project
    | Filter
    | Join
    | Aggregate
    | Distinct
    | Union
    | SetOperation
    | Window
    | Expand
    | Generate
    | Sort
    | TopK
    | SingleRow
    | Recursion
)


def _nullable(columns: Schema) -> Schema:
    return tuple(Column(c.name, c.type, True) for c in columns)


def _check_width(operator: str, relation: Relation, width: int) -> None:
    if len(relation.columns) != width:
        raise InternalError(f"{operator} of {width} columns has an input of another width")
