"""How many rows a relation has, estimated from the sizes of its leaves.

Of every relation two numbers are carried upwards: its rows, and how many it would have if the whole
tables were read in place of changes and keys. Two inputs that are joined by an equality are taken
to be a table and what refers to it: the smaller whole one has the different values, so each row of
one finds ``rows / values`` of the other. Keys cut a relation down in the same proportion.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import assert_never

from rollview.algebra.expressions import Call, ColumnRef, Expression, Literal, conjuncts
from rollview.algebra.relations import (
    After,
    Aggregate,
    Before,
    Changes,
    Distinct,
    Expand,
    Filter,
    Generate,
    Join,
    JoinKind,
    Project,
    Recursion,
    RecursionInput,
    Relation,
    Scan,
    SetOperation,
    SingleRow,
    Sort,
    State,
    TableFunction,
    Temporary,
    TopK,
    Union,
    Values,
    Window,
)
from rollview.maintenance.keys import equalities, names_of
from rollview.maintenance.program import Kept
from rollview.planning.cost import Constants
from rollview.planning.statistics import Size, Statistics

_FEW = 100.0  # rows of a LIMIT that is no constant, and of a function


@dataclass(frozen=True, slots=True)
class Guess:
    """The rows of a relation, and those it would have over whole tables."""

    rows: float
    whole: float

    def times(self, factor: float) -> Guess:
        return Guess(self.rows * factor, self.whole * factor)


class Cardinalities:
    """Estimates for the relations of one view and its programs; temporaries are told as they come.

    Aggregates that are kept have as many rows as their state.
    """

    def __init__(
        self, statistics: Statistics, constants: Constants, kept: Iterable[Kept] = ()
    ) -> None:
        self._statistics = statistics
        self._constants = constants
        # By identity, since equality of trees takes long; so the trees are kept as well.
        self._known: dict[int, tuple[Relation, Guess]] = {}
        self._equi: dict[int, tuple[Relation, bool]] = {}
        self._held: dict[str, Guess] = {}
        self._groups: dict[frozenset[str], float] = {}
        for one in kept:
            size = statistics.states.get(one.name)
            if size is not None and isinstance(one.relation, Aggregate) and size.rows is not None:
                names = frozenset(group.name for group in one.relation.groups)
                self._groups[names] = max(1.0, float(size.rows))

    def of(self, relation: Relation) -> Guess:
        """The estimate of a relation."""
        if id(relation) not in self._known:
            self._known[id(relation)] = relation, self._of(relation)
        return self._known[id(relation)][1]

    def is_equi_join(self, join: Join) -> bool:
        """Whether an equality leads from one input to the other."""
        if id(join) not in self._equi:
            found = equalities(join.condition, names_of(join.left), names_of(join.right))
            self._equi[id(join)] = join, bool(found)
        return self._equi[id(join)][1]

    def hold(self, name: str, relation: Relation, *, empty: bool = False) -> Guess:
        """The estimate of a step, by whose name later ones read it; most have no rows of some."""
        found = self.of(relation)
        self._held[name] = Guess(0.0, found.whole) if empty else found
        return self._held[name]

    def table(self, source: str) -> float:
        """The rows of a source: as told, or by its bytes, or as many as are assumed."""
        return self._rows(self._statistics.tables.get(source, Size()))

    def state(self, name: str) -> float:
        """The rows of a kept operator."""
        return self._rows(self._statistics.states.get(name, Size()))

    def changed(self, source: str) -> float:
        """The changed rows of a source, or a usual part of all."""
        change = self._statistics.changes.get(source)
        if change is not None and change.rows is not None:
            return float(change.rows)
        if change is not None and change.bytes is not None:
            return change.bytes / self._constants.row_bytes
        return 2 * self._constants.change_share * self.table(source)

    def _rows(self, size: Size) -> float:
        if size.rows is not None:
            return float(size.rows)
        if size.bytes is not None:
            return size.bytes / self._constants.row_bytes
        return self._constants.rows

    def _of(self, relation: Relation) -> Guess:  # noqa: C901 - one case per relation
        match relation:
            case Scan(source=source) | Before(source=source) | After(source=source):
                return Guess(self.table(source), self.table(source))
            case Changes(source=source):
                rows = self.changed(source)
                return Guess(rows, max(rows, self.table(source)))
            case State(name=name):
                return Guess(self.state(name), self.state(name))
            case Temporary(name=name):
                return self._held.get(name, Guess(1.0, 1.0))
            case Values(rows=rows_):
                return Guess(float(len(rows_)), float(len(rows_)))
            case TableFunction() | RecursionInput():
                return Guess(_FEW, _FEW)
            case Project(child=child) | Window(child=child) | Sort(child=child):
                return self.of(child)
            case Filter(child=child, condition=condition):
                return self.of(child).times(self._selectivity(condition))
            case Join():
                return self._joined(relation)
            case Aggregate(child=child, groups=groups):
                return self._grouped(child, frozenset(group.name for group in groups))
            case Distinct(child=child):
                return self._grouped(child, _plain_names(child))
            case Union(inputs=many):
                guesses = [self.of(one) for one in many]
                return Guess(sum(g.rows for g in guesses), sum(g.whole for g in guesses))
            case SetOperation(left=left):
                return self.of(left)
            case Expand(child=child, projections=projections):
                return self.of(child).times(len(projections))
            case Generate(child=child):
                return self.of(child).times(self._constants.copies)
            case TopK(child=child, limit=limit):
                below, most = self.of(child), _limit(limit)
                return Guess(min(below.rows, most), min(below.whole, most))
            case SingleRow():
                return Guess(1.0, 1.0)
            case Recursion(anchor=anchor):
                return self.of(anchor).times(self._constants.rounds)
            case _:
                assert_never(relation)

    def _selectivity(self, condition: Expression) -> float:
        """One guess for all conditions; that a value is not NULL is true of most."""
        parts = conjuncts(condition)
        if all(isinstance(part, Call) and part.kind == "IsNotNull" for part in parts):
            return 1.0
        return self._constants.selectivity

    def _grouped(self, child: Relation, names: frozenset[str]) -> Guess:
        """No more groups than rows; of all groups, what the state has or a part of all rows."""
        below = self.of(child)
        if not names:
            return Guess(1.0, 1.0)
        whole = self._groups.get(names, max(1.0, below.whole * self._constants.groups))
        return Guess(min(below.rows, whole), min(max(below.whole, 1.0), whole))

    def _joined(self, join: Join) -> Guess:
        left, right = self.of(join.left), self.of(join.right)
        values = self._values(join, left, right)
        if values is None:
            share = 1.0 if join.condition is None else self._constants.selectivity
            met = Guess(left.rows * right.rows * share, left.whole * right.whole * share)
            found = share if right.rows else 0.0
        else:
            met = Guess(left.rows * right.rows / values, max(left.whole, right.whole))
            found = min(1.0, right.rows / values)
        match join.kind:
            case JoinKind.INNER | JoinKind.CROSS:
                return met
            case JoinKind.LEFT:
                return Guess(max(met.rows, left.rows), max(met.whole, left.whole))
            case JoinKind.RIGHT:
                return Guess(max(met.rows, right.rows), max(met.whole, right.whole))
            case JoinKind.FULL:
                both = Guess(left.rows + right.rows, left.whole + right.whole)
                return Guess(max(met.rows, both.rows), max(met.whole, both.whole))
            case JoinKind.SEMI:
                return Guess(left.rows * found, left.whole)
            case JoinKind.ANTI:
                return Guess(left.rows * (1.0 - found), left.whole)
            case JoinKind.EXISTENCE | JoinKind.SINGLE:
                return left
            case _:
                assert_never(join.kind)

    def _values(self, join: Join, left: Guess, right: Guess) -> float | None:
        """How many different values the equalities of a join compare; None if there is none."""
        if not self.is_equi_join(join):
            return None
        return max(1.0, min(left.whole, right.whole))


def _plain_names(relation: Relation) -> frozenset[str]:
    """The columns that a projection takes as they are, by the names below it; or its own."""
    if isinstance(relation, Project):
        plain = [i.expression.name for i in relation.items if isinstance(i.expression, ColumnRef)]
        if len(plain) == len(relation.items):
            return frozenset(plain)
    return names_of(relation)


def _limit(limit: Expression | None) -> float:
    if isinstance(limit, Literal) and limit.text.rstrip("LSY").isdigit():
        return float(limit.text.rstrip("LSY"))
    return float("inf") if limit is None else _FEW
