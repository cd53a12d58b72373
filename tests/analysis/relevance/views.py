"""Two small tables and conditions over them, spelled shortly: ``r`` (a, b) and ``s`` (c, d)."""

from __future__ import annotations

from collections.abc import Iterable

from rollview.algebra.expressions import Call, ColumnRef, Expression, Literal, binary
from rollview.algebra.printer import show
from rollview.algebra.relations import Join, JoinKind, Relation, Scan
from rollview.algebra.schema import Column
from rollview.analysis.relevance.changes import Relevance, relevance
from rollview.maintenance.prepare import prepare
from rollview.maintenance.relevant import relevant_changes
from tests.properties.comparisons import SIGNS

A, B, C, D = (ColumnRef(name, "INT") for name in "abcd")


def table(name: str, *columns: ColumnRef) -> Scan:
    schema = tuple(Column(c.name, c.type, c.nullable) for c in columns)
    return Scan(name, tuple(c.name for c in columns), schema)


R, S = table("r", A, B), table("s", C, D)


def number(value: int) -> Literal:
    return Literal(str(value), "INT")


def compare(one: Expression, sign: str, two: Expression | int) -> Call:
    """A comparison by its sign."""
    kind = next(kind for kind, own in SIGNS.items() if own == sign)
    other = number(two) if isinstance(two, int) else two
    return binary(kind, sign, one, other, "BOOLEAN")


def plus(one: Expression, value: int) -> Call:
    return binary("Add", "+", one, number(value), one.type)


def all_of(first: Expression, *more: Expression) -> Expression:
    whole = first
    for part in more:
        whole = binary("And", "AND", whole, part, "BOOLEAN")
    return whole


def any_of(first: Expression, *more: Expression) -> Expression:
    whole = first
    for part in more:
        whole = binary("Or", "OR", whole, part, "BOOLEAN")
    return whole


def negated(condition: Expression) -> Call:
    return Call("Not", ("(NOT ", ")"), (condition,), "BOOLEAN")


def join(kind: JoinKind, *conditions: Expression) -> Join:
    flag = "flag" if kind is JoinKind.EXISTENCE else None
    return Join(kind, R, S, all_of(*conditions) if conditions else None, flag)


def of(view: Relation, scan: Scan = R, *, wraps: bool = False) -> str | None:
    """What EXPLAIN says of a scan of a view that is maintained; None if all its changes matter."""
    found = relevant_changes(prepare(view, wraps=wraps)).predicates.get(scan)
    return None if found is None else show(found)


def plain(view: Relation, kept: Iterable[Relation] = ()) -> Relevance:
    """The relevance of a relation as it is."""
    return relevance(view, frozenset(kept))
