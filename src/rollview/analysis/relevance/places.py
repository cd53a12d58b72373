"""The view as it is seen from one of its scans: which conditions a row of that scan must satisfy.

Two things are found out. What holds for every row that an operator gives, from the bottom up: the
rows of other tables that a changed row meets are such. And what must hold for a row to matter to
anything that is stored, from the top down: to the rows of the view, and to those of every kept
operator, which are kept whatever becomes of them above.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from rollview.algebra.expressions import ColumnRef, Expression
from rollview.algebra.relations import (
    Aggregate,
    Distinct,
    Expand,
    Filter,
    Generate,
    Join,
    JoinKind,
    Project,
    Recursion,
    Relation,
    Scan,
    SetOperation,
    SingleRow,
    Sort,
    TopK,
    Union,
    Window,
)
from rollview.algebra.schema import Schema
from rollview.algebra.traverse import inputs, substitute, walk_expression
from rollview.analysis.relevance.conditions import Conditions
from rollview.analysis.relevance.domains import family
from rollview.analysis.relevance.formulas import (
    TRUE,
    Formula,
    both,
    either,
    nulled,
    place_of,
    placed,
    restricted,
)

Path = tuple[int, ...]
"""Which input to take at every operator, from the top down."""
Meaning = Mapping[str, Expression]
"""What the columns of an operator are, in columns of places."""
_LARGE = 20  # parts of an expression that are looked into


@dataclass(frozen=True, slots=True)
class Seen:
    """An operator: what its columns mean, what holds for its rows, and its own condition.

    ``places`` are those of itself and of everything below it.
    """

    relation: Relation
    inputs: tuple[Seen, ...]
    meaning: Meaning
    holds: Formula
    condition: Formula
    places: range


def paths(relation: Relation) -> Iterator[tuple[Scan, Path]]:
    """All scans of a view, and the ways to them."""
    if isinstance(relation, Scan):
        yield relation, ()
    for index, child in enumerate(inputs(relation)):
        for scan, path in paths(child):
            yield scan, (index, *path)


def relevant(
    relation: Relation, path: Path, kept: Collection[Relation], conditions: Conditions
) -> tuple[int, Formula]:
    """The place of the scan at the end of the path, and what a row of it must satisfy to matter."""
    seen = _View(conditions).seen(relation, path)
    needed = TRUE
    for index in path:
        needed = TRUE if seen.relation in kept else needed
        needed = _below(seen, index, needed)
        seen = seen.inputs[0 if len(seen.inputs) == 1 else index]
    return seen.places.start, TRUE if seen.relation in kept else needed


class _View:
    """The places of a view, numbered as they are come upon."""

    def __init__(self, conditions: Conditions) -> None:
        self._conditions = conditions
        self._next = 0

    def seen(self, relation: Relation, path: Path | None) -> Seen:
        """The operator; of a union on the path, only the input that the path goes through."""
        first = self._next
        children = tuple(
            self.seen(child, path[1:] if path and path[0] == index else None)
            for index, child in enumerate(inputs(relation))
            if not (isinstance(relation, Union) and path and path[0] != index)
        )
        own = self._next
        self._next += 1
        meaning = self._meaning(relation, children, own, bool(path))
        condition = TRUE
        if isinstance(relation, Filter | Join) and relation.condition is not None:
            within = {k: v for child in children for k, v in child.meaning.items()}
            condition = self._conditions.when_true(substitute(relation.condition, within))
        holds = _holds(relation, children, condition, bool(path))
        return Seen(relation, children, meaning, holds, condition, range(first, self._next))

    def _meaning(
        self, relation: Relation, below: tuple[Seen, ...], own: int, on_path: bool
    ) -> Meaning:
        """The columns in terms of those below; what is computed is a column of this place."""
        anew = {c.name: placed(own, c.name, c.type) for c in relation.columns}
        known = {name: value for child in below for name, value in child.meaning.items()}
        match relation:
            case Project(items=items):
                values = {i.name: substitute(i.expression, known) for i in items}
                return {n: v if _is_small(v) else anew[n] for n, v in values.items()}
            case Expand(columns=columns, projections=rows):
                return {**anew, **_everywhere(columns, rows, known)}
            case Union(columns=columns) if on_path:
                (only,) = below
                pairs = zip(columns, only.relation.columns, strict=True)
                same = {o.name: known[i.name] for o, i in pairs if o.type == i.type}
                return {**anew, **same}
            case Join(kind=kind):
                left, right = (_bare(child) for child in below)
                if kind not in (JoinKind.RIGHT, JoinKind.FULL):
                    left = below[0].meaning
                if kind not in (JoinKind.LEFT, JoinKind.FULL, JoinKind.SINGLE):
                    right = below[1].meaning
                return {**anew, **_only(relation, {**left, **right})}
            case Filter() | Sort() | TopK() | Distinct() | Window() | Generate() | Aggregate():
                return {**anew, **_only(relation, below[0].meaning)}
            case _:
                return anew


def _only(relation: Relation, meaning: Meaning) -> Meaning:
    """The columns that the relation hands on."""
    names = {column.name for column in relation.columns}
    if isinstance(relation, Aggregate):
        names = {group.name for group in relation.groups}
    return {name: value for name, value in meaning.items() if name in names}


def _bare(seen: Seen) -> Meaning:
    """Columns that an outer join may make NULL: those that are columns of places below it.

    Anything else, a constant say, is a column of the operator below that is known no further.
    """
    own = seen.places[-1]
    return {
        column.name: value
        if isinstance(value := seen.meaning[column.name], ColumnRef)
        else placed(own, column.name, column.type)
        for column in seen.relation.columns
    }


def _everywhere(
    columns: Schema, rows: tuple[tuple[Expression, ...], ...], known: Meaning
) -> Meaning:
    """The columns that are the same expression in all projections."""
    found = {}
    for position, column in enumerate(columns):
        cells = {row[position] for row in rows}
        value = substitute(cells.pop(), known)
        if not cells and value.type == column.type and _is_small(value):
            found[column.name] = value
    return found


def _is_small(expression: Expression) -> bool:
    return sum(1 for _ in walk_expression(expression)) <= _LARGE


def _holds(
    relation: Relation, below: tuple[Seen, ...], condition: Formula, on_path: bool
) -> Formula:
    """What holds for every row of an operator, given some rows below it that it is made of."""
    match relation:
        case Join(kind=JoinKind.INNER | JoinKind.CROSS | JoinKind.SEMI):
            return both(condition, below[0].holds, below[1].holds)
        case Join(kind=JoinKind.RIGHT):
            return below[1].holds
        case Join(kind=JoinKind.FULL):
            return TRUE
        case Join() | Filter():
            return both(condition if isinstance(relation, Filter) else TRUE, below[0].holds)
        case Aggregate(groups=groups):
            return below[0].holds if groups else TRUE  # a group has a row
        case Project() | Sort() | TopK() | Distinct() | Window() | Generate() | Expand():
            return below[0].holds
        case Union() if on_path:
            return below[0].holds
        case _:
            return TRUE


def _below(seen: Seen, index: int, needed: Formula) -> Formula:
    """What a row of an input must satisfy to matter, if ``needed`` is that of the operator."""
    match seen.relation:
        case Filter():
            return both(needed, seen.condition)
        case Join():
            return _of_join(seen, seen.relation.kind, index, needed)
        case Window(partition=partition):
            return _of_keys(seen, partition, needed)
        case Aggregate(groups=groups):
            return _of_keys(seen, groups, needed)
        case Distinct(child=child):
            every = tuple(ColumnRef(c.name, c.type, c.nullable) for c in child.columns)
            return _of_keys(seen, every, needed)
        case SetOperation() | SingleRow() | TopK() | Recursion():
            return TRUE
        case _:
            return needed


def _of_keys(seen: Seen, keys: tuple[Expression, ...], needed: Formula) -> Formula:
    """Rows of an input are taken together by keys: what is said of other columns is not of them.

    Keys of other types may be equal and not the same.
    """
    (child,) = seen.inputs
    values = (child.meaning[key.name] for key in keys if isinstance(key, ColumnRef))
    shared = {v for v in values if isinstance(v, ColumnRef) and family(v.type) is not None}
    return restricted(needed, lambda c: c in shared or place_of(c) not in child.places)


def _of_join(seen: Seen, kind: JoinKind, index: int, needed: Formula) -> Formula:
    """A row of an input matters if a row of the join does that it makes, or keeps from being made.

    The other input's columns are NULL in rows without a match.
    """
    own, other = seen.inputs[index], seen.inputs[1 - index]
    met = both(seen.condition, other.holds)
    is_left = index == 0
    match kind:
        case JoinKind.INNER | JoinKind.CROSS | JoinKind.SEMI:
            return both(needed, met)
        case JoinKind.ANTI | JoinKind.EXISTENCE:
            return needed if is_left else both(needed, met)
        case JoinKind.SINGLE:  # two matches are an error, whatever becomes of the row
            return TRUE if is_left else met
        case JoinKind.LEFT | JoinKind.RIGHT | JoinKind.FULL:
            alone = nulled(needed, other.places)  # the row, without a match
            lonely = nulled(needed, own.places)  # a row of the other input, which it matches
    if kind is JoinKind.FULL:
        return either(both(met, either(needed, lonely)), alone)
    if is_left is (kind is JoinKind.LEFT):  # the side whose rows are all preserved
        return either(both(needed, met), alone)
    return both(met, either(needed, lonely))
