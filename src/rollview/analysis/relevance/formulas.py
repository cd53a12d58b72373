"""Conditions in disjunctive normal form: what must hold for a condition to be true.

A formula is weaker than what it stands for, never stronger: what it cannot say it takes for true
(Blakeley, Larson, Tompa 1986, section 4, for what it can say). Columns are those of places in a
view: the name says which (`place_of`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from itertools import product

from rollview.algebra.expressions import ColumnRef, Expression
from rollview.algebra.traverse import walk_expression
from rollview.analysis.relevance.domains import Number
from rollview.analysis.relevance.linear import Node

MOST = 32  # conjunctions of a formula; what would have more says less


@dataclass(frozen=True, slots=True)
class Edge:
    """``low <= high + weight``, or less if it is strict; neither is NULL."""

    low: Node
    high: Node
    weight: Number
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Null:
    """A column is NULL, or (``known``) is not."""

    column: ColumnRef
    known: bool = False


@dataclass(frozen=True, slots=True)
class Test:
    """An expression over one row is true: of use where the row is at hand."""

    expression: Expression


Atom = Edge | Null | Test
Conjunction = frozenset[Atom]
Formula = tuple[Conjunction, ...]
TRUE: Formula = (frozenset(),)
FALSE: Formula = ()
Places = Collection[int]


def place_of(column: ColumnRef) -> int:
    """The place in the view whose column this is."""
    return int(column.name.partition(":")[0])


def placed(place: int, name: str, type: str) -> ColumnRef:
    """A column of a place; all may be NULL, as what is above may have made them so."""
    return ColumnRef(f"{place}:{name}", type)


def columns_of(atom: Atom) -> tuple[ColumnRef, ...]:
    """The columns that an atom speaks of."""
    match atom:
        case Edge(low=low, high=high):
            return tuple(node for node in (low, high) if isinstance(node, ColumnRef))
        case Null(column=column):
            return (column,)
        case Test(expression=expression):
            return tuple(e for e in walk_expression(expression) if isinstance(e, ColumnRef))


def both(*formulas: Formula) -> Formula:
    """All of the formulas; the last ones are left out where that would be too long."""
    whole = TRUE
    for formula in formulas:
        if len(whole) * len(formula) > MOST * MOST:
            continue
        parts = (one | two for one, two in product(whole, formula))
        found = _absorbed(part for part in parts if not _clashes(part))
        if len(found) <= MOST:
            whole = found
    return whole


def either(*formulas: Formula) -> Formula:
    """Any of the formulas; true where that would be too long."""
    found = _absorbed(part for formula in formulas for part in formula)
    return found if len(found) <= MOST else TRUE


def _absorbed(parts: Iterable[Conjunction]) -> Formula:
    """Without those that say more than another one."""
    different = list(dict.fromkeys(parts))
    if len(different) > MOST * MOST:
        return TRUE
    return tuple(one for one in different if not any(other < one for other in different))


def _clashes(conjunction: Conjunction) -> bool:
    """Whether a column is NULL and is not."""
    empty = {atom.column for atom in conjunction if isinstance(atom, Null) and not atom.known}
    return bool(empty) and any(
        column in empty
        for atom in conjunction
        if isinstance(atom, Edge) or (isinstance(atom, Null) and atom.known)
        for column in columns_of(atom)
    )


def nulled(formula: Formula, places: Places) -> Formula:
    """What the formula says where all columns of these places are NULL."""
    found = []
    for conjunction in formula:
        own = {a for a in conjunction if any(place_of(c) in places for c in columns_of(a))}
        if all(isinstance(a, Test) or (isinstance(a, Null) and not a.known) for a in own):
            found.append(conjunction - own)
    return _absorbed(found)


def restricted(formula: Formula, wanted: Callable[[ColumnRef], bool]) -> Formula:
    """What the formula says of some columns alone."""
    return _absorbed(
        frozenset(atom for atom in conjunction if all(wanted(c) for c in columns_of(atom)))
        for conjunction in formula
    )
