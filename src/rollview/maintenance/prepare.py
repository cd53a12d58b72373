"""The form of a definition that is maintained, and which of its operators keep state.

Set operators and DISTINCT become counts per row (Blakeley, Larson, Tompa 1986, section 5.2: the
multiplicity counter; Barbier 2007, ch. 3), so that one rule, that of Aggregate, maintains them.
Aggregates get the further columns that their rule needs to go on from the stored values. The rows
of these operators are the state: a bag of ordinary rows of an ordinary relation.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from rollview.algebra.expressions import (
    AggregateCall,
    ColumnRef,
    Expression,
    Literal,
    WindowCall,
    binary,
)
from rollview.algebra.expressions import function as call
from rollview.algebra.fingerprint import digest
from rollview.algebra.relations import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Join,
    Named,
    NamedAggregate,
    Project,
    Recursion,
    Relation,
    Scan,
    SetKind,
    SetOperation,
    SingleRow,
    TopK,
    Union,
    Window,
)
from rollview.algebra.schema import Column, Schema
from rollview.algebra.traverse import inputs, with_inputs
from rollview.analysis.accesses import Access
from rollview.analysis.constraints import NONE, Constraint, Constraints
from rollview.analysis.keys import keys_of
from rollview.analysis.order import left_open
from rollview.maintenance.choice import ANY, Choice
from rollview.maintenance.kept_rows import can_be_counted
from rollview.maintenance.limits import limited_first
from rollview.maintenance.not_in import not_in_by_counts
from rollview.maintenance.outward import is_plain
from rollview.maintenance.partial import extended, is_floating
from rollview.maintenance.program import Kept, RuleName
from rollview.maintenance.signed import keep, named, reference, references
from rollview.maintenance.tops import bounded_first, is_top

_NO_WORD = re.compile(r"[^A-Za-z0-9]+")  # names of states are names of folders
_ONE = Literal("1L", "BIGINT")
_ZERO = Literal("0L", "BIGINT")
_HERE, _NOT_HERE = Literal("1", "INT"), Literal("0", "INT")  # sums of short integers never overflow


@dataclass(frozen=True, slots=True)
class Prepared:
    """A definition's relation in the form that is maintained, and the operators that keep state.

    ``kept`` is in an order in which every operator comes after those below it. ``forms`` has the
    maintained form of every operator of the definition, but for those in the step of a Recursion,
    which are evaluated with it. ``choice`` says which strategy it was prepared for. It has the rows
    of the definition if the declarations in ``relies`` hold; rules may make use of any in
    ``constraints``. ``wraps`` says that an overflow of integers is no error.
    """

    relation: Relation
    kept: tuple[Kept, ...]
    forms: Mapping[Relation, Relation] = field(default_factory=dict)
    choice: Choice = ANY
    told: Mapping[Relation, RuleName] = field(default_factory=dict)
    """Operators of the definition that have no rule of their own, and what EXPLAIN says of them."""
    constraints: Constraints = NONE
    relies: tuple[Constraint, ...] = ()
    wraps: bool = False

    def parts(self, node: Relation) -> tuple[Relation, ...]:
        """What an operator of the definition has become, without the forms of its inputs."""
        below = [self.forms[child] for child in inputs(node) if child in self.forms]
        found, pending = [], [self.forms[node]]
        while pending:
            part = pending.pop()
            if part not in below:
                found.append(part)
                pending += inputs(part)
        return tuple(found)

    def speaker(self, node: Relation) -> Relation:
        """The part whose rule maintains the operator: itself, or the aggregate with its counts."""
        if node in self.told:
            return self.forms[node]
        if isinstance(node, Distinct | SetOperation | Aggregate):
            parts = (part for part in self.parts(node) if isinstance(part, Aggregate))
            return next(parts, self.forms[node])
        if isinstance(node, Join):
            return next(part for part in self.parts(node) if isinstance(part, Join))
        if isinstance(node, Filter | TopK):
            # The bound of a rank, below the rest of the condition; a limit without an offset, below
            # the one that has it; a count, below the question whether it is zero.
            return self.parts(node)[-1]
        return self.forms[node]


def prepare(
    relation: Relation,
    *,
    moments: bool = True,
    counts: bool = True,
    wraps: bool = False,
    constraints: Constraints = NONE,
    form: Constraints | None = None,
    auxiliary: Collection[Access] = (),
) -> Prepared:
    """The maintained form; the same rows as the relation.

    Without ``moments``, variances and their like are evaluated anew in every changed group; without
    ``counts``, DISTINCT and set operations stay what they are. With ``wraps``, integers that
    overflow come back at the other end of their type. Rules may make use of ``constraints``; the
    form itself only of ``form``, all of them by default. The rows of the ``auxiliary`` accesses are
    kept, so that no table is read through these.
    """
    rewriting = Rewriting(names(), moments, counts, constraints if form is None else form)
    rewritten = rewriting.of(relation)
    kept: dict[Relation, Kept] = {}
    tables = {rewriting.known[one.relation]: one.table for one in auxiliary}
    collect(rewritten, kept, rewriting.compared_whole, tables)
    return Prepared(
        rewritten,
        tuple(kept.values()),
        rewriting.known,
        constraints=constraints,
        relies=tuple(rewriting.relied),
        wraps=wraps,
    )


def names() -> Iterator[str]:
    """Names for the columns that are added to a definition."""
    number = 0
    while True:
        number += 1
        yield f"__p{number}"


@dataclass(frozen=True, slots=True)
class Rewriting:
    """One preparation: the names it may use, and what it has found.

    ``compared_whole`` are relations of which some refreshes want all rows, whatever has changed.
    """

    names: Iterator[str]
    moments: bool
    counts: bool
    constraints: Constraints = NONE
    relied: dict[Constraint, None] = field(default_factory=dict)
    known: dict[Relation, Relation] = field(default_factory=dict)
    compared_whole: set[Relation] = field(default_factory=set)

    def of(self, relation: Relation) -> Relation:
        """What is there twice is kept once; the step of a Recursion stays as it is."""
        if relation not in self.known and isinstance(relation, Recursion):
            self.known[relation] = replace(relation, anchor=self.of(relation.anchor))
        elif relation not in self.known:
            below = tuple(self.of(child) for child in inputs(relation))
            self.known[relation] = self._maintained(with_inputs(relation, below))
        return self.known[relation]

    def _maintained(self, node: Relation) -> Relation:
        match node:
            case Distinct(child=child) if self._is_told_apart(child):
                return Project(child, named(references(child.columns)))
            case Distinct(child=child) if self.counts:
                count = NamedAggregate(next(self.names), _count())
                rows = Aggregate(child, references(child.columns), (count,))
                return keep(extended(rows, self.names), node.columns)
            case SetOperation() if self.counts:
                return _counted(node, self.names)
            case Aggregate():
                return keep(extended(node, self.names, self.moments), node.columns)
            case Join(left=left):
                counted = not_in_by_counts(node, self.names)
                if counted is not None and not is_plain(left):
                    self.compared_whole.add(left)
                return counted or node
            case SingleRow(child=child):
                self.compared_whole.add(child)
                return node
            case Filter():
                return bounded_first(node)
            case TopK():
                return limited_first(node, self.names)
            case _:
                return node

    def _is_told_apart(self, relation: Relation) -> bool:
        """Whether a declared key says that no row is there twice: nothing is to be counted."""
        found = next(iter(keys_of(relation, self.constraints)), None) if self.constraints else None
        if found is None or not found.by:
            return False
        self.relied.update(dict.fromkeys(found.by))
        return True


def _count() -> AggregateCall:
    return AggregateCall("Count", ("count(", ")"), (Literal("1", "INT"),), "BIGINT", False)


def _counted(node: SetOperation, names: Iterator[str]) -> Relation:
    """Each different row with how often it occurs on either side."""
    left, right, copies = next(names), next(names), next(names)
    sides = (Column(left, "INT", False), Column(right, "INT", False))
    rows = _of_both_sides(node)
    union = Union(
        (
            _marked(node.left, rows, sides, (_HERE, _NOT_HERE)),
            _marked(node.right, rows, sides, (_NOT_HERE, _HERE)),
        ),
        (*rows, *sides),
    )
    totals = tuple(next(names) for _ in sides)
    sums = tuple(
        NamedAggregate(name, AggregateCall("Sum", ("sum(", ")"), (reference(side),), "BIGINT"))
        for name, side in zip(totals, sides, strict=True)
    )
    counted = extended(Aggregate(union, references(rows), sums), names)
    on_left, on_right = (ColumnRef(total, "BIGINT") for total in totals)
    how_often = _how_often(node, on_left, on_right)
    present = Filter(counted, binary("GreaterThan", ">", how_often, _ZERO, "BOOLEAN"))
    if not node.all:
        return keep(present, node.columns)
    repeated = call("sequence", _ONE, how_often, type="ARRAY<BIGINT>")
    copy = call("explode", repeated, type="BIGINT", kind="Explode")
    exploded = Generate(present, copy, False, (Column(copies, "BIGINT", False),))
    return keep(exploded, node.columns)


def _of_both_sides(node: SetOperation) -> Schema:
    """The columns of the result, with the NULLs that only one side has: it is counted as well."""
    return tuple(
        replace(column, nullable=column.nullable or one.nullable or two.nullable)
        for column, one, two in zip(
            node.columns, node.left.columns, node.right.columns, strict=True
        )
    )


def _how_often(node: SetOperation, left: ColumnRef, right: ColumnRef) -> Expression:
    """How many copies the result has, or for DISTINCT a number that is positive if it has one."""
    if node.kind is SetKind.INTERSECT:
        return call("least", left, right, type="BIGINT")
    if node.all:
        return binary("Subtract", "-", left, right, "BIGINT")
    none = binary("EqualTo", "=", right, _ZERO, "BOOLEAN")
    return call("if", none, left, _ZERO, type="BIGINT")


def _marked(
    relation: Relation, columns: Schema, sides: Schema, marks: tuple[Expression, ...]
) -> Project:
    items = tuple(
        Named(column.name, reference(below))
        for column, below in zip(columns, relation.columns, strict=True)
    )
    marked = tuple(Named(side.name, mark) for side, mark in zip(sides, marks, strict=True))
    return Project(relation, items + marked)


def collect(
    relation: Relation,
    kept: dict[Relation, Kept],
    whole: set[Relation],
    tables: Mapping[Relation, str],
) -> None:
    """The operators that keep their rows, every one after those below it."""
    below = inputs(relation)
    if isinstance(relation, Recursion):  # whose step is evaluated in rounds
        below = (relation.anchor,)
    if is_top(relation):  # whose window is never evaluated over all rows
        below = inputs(below[0])
    for child in below:
        collect(child, kept, whole, tables)
    asked = (relation in whole or relation in tables) and can_be_counted(relation.columns)
    asked = asked and _reads(relation, kept)
    if (asked or _keeps_state(relation)) and relation not in kept:
        kind = type(relation).__name__.lower()
        if relation in tables:
            kind = f"auxiliary_{_NO_WORD.sub('_', tables[relation])}"
        kept[relation] = Kept(f"{kind}_{len(kept) + 1}_{digest(relation)}", relation)


def _reads(relation: Relation, kept: Mapping[Relation, Kept]) -> bool:
    """Whether all rows of a relation are had from tables, not from what is kept."""
    if relation in kept:
        return False
    return isinstance(relation, Scan) or any(_reads(child, kept) for child in inputs(relation))


def _sums_floats(call: WindowCall) -> bool:
    """Whether the same rows in another order give another value."""
    function = call.function
    if not isinstance(function, AggregateCall) or function.kind in ("Min", "Max", "Count"):
        return False
    return is_floating(function.type)


def _keeps_state(relation: Relation) -> bool:
    """Aggregates go on from their rows; what is open or has no key compares with its old rows."""
    match relation:
        case Aggregate() | TopK() | Recursion():
            return True
        case Filter():
            return is_top(relation)
        case Window(partition=partition):
            opened = left_open(relation)
            floats = any(_sums_floats(call.call) for call in relation.calls)
            return not partition or opened.rows or bool(opened.columns) or floats
        case _:
            return False
