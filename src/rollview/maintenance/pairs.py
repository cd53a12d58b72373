"""Pairs of what an operator gains and loses: the equations are written once, for both forms.

Griffin, Libkin, Trickey (1997; Barbier 2007, table 4.1) and Griffin, Libkin (1995) give for every
operator two expressions, Delta and Nabla, over its inputs as they were (pre-update). Barbier's
theorem 4.2 gives the post-update form by inversion: the inverse transaction leads from the tables
as they are back to what they were, and the inverse of its delta is the delta. So a rule says what
is gained and lost on the way of the transaction, over ``rows`` at its beginning; in post-update
form that way is the one back. No rule reads the tables at the other end: they are ``mod(Q)``.

Every delta of this strategy is strongly minimal (Quass 1996, section 3.1): nothing is lost that is
not there, and nothing is both gained and lost. It is held, so that programs stay linear in the
size of the view (Barbier 2007, section 4.3.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps

from rollview.algebra.expressions import Expression, conjunction, same, typed
from rollview.algebra.relations import (
    Filter,
    Join,
    JoinKind,
    Named,
    Project,
    Relation,
    SetKind,
    SetOperation,
    Union,
)
from rollview.algebra.schema import Schema
from rollview.maintenance import images
from rollview.maintenance.flow import Flow, Moment, Rule
from rollview.maintenance.kept_rows import brought_forward
from rollview.maintenance.keys import Keys, restrict
from rollview.maintenance.sides import negative
from rollview.maintenance.signed import (
    MINUS,
    PLUS,
    REMOVED,
    WEIGHT,
    WEIGHT_COLUMN,
    WEIGHT_REF,
    added,
    net,
    references,
    signed,
    unsigned,
)

FORM, PRE, POST = "form", "pre", "post"


@dataclass(frozen=True, slots=True)
class Pair:
    """What a relation gains and loses on the way of the transaction, or back."""

    gained: Relation
    lost: Relation
    change: Relation
    """Both, signed."""


def start(flow: Flow) -> Moment:
    """The moment whose tables are read: where the way begins."""
    return Moment.BEFORE if flow.option(FORM) == PRE else Moment.AFTER


def pair(flow: Flow, relation: Relation) -> Pair | None:
    """What a relation gains and loses; None if it cannot have changed."""
    delta = flow.delta(relation)
    if delta is None:
        return None
    change = flow.hold(_turned(flow, flow.hold(delta, "pair")), "pair")
    return Pair(added(change), removed(change), change)


def removed(delta: Relation) -> Relation:
    """The rows that a delta removes."""
    return unsigned(Filter(delta, REMOVED))


def _turned(flow: Flow, delta: Relation) -> Relation:
    """The delta on the way of the transaction: itself, or the inverse (Barbier, definition 1.9)."""
    return delta if flow.option(FORM) == PRE else inverse(delta)


def inverse(delta: Relation) -> Relation:
    """What is added is removed, and what is removed is added."""
    columns = tuple(c for c in delta.columns if c.name != WEIGHT)
    return signed(delta, columns, negative(WEIGHT_REF))


def delta_of(flow: Flow, gained: Relation, lost: Relation, columns: Schema) -> Relation:
    """The delta of a pair that is weakly minimal: what is in both is left out of both."""
    return minimal(flow, _signed(flow, gained, lost, columns))


def disjoint(flow: Flow, gained: Relation, lost: Relation, columns: Schema) -> Relation:
    """The delta of a pair that is strongly minimal by its equations."""
    return flow.hold(_signed(flow, gained, lost, columns), "pair")


def _signed(flow: Flow, gained: Relation, lost: Relation, columns: Schema) -> Relation:
    both = (signed(gained, columns, PLUS), signed(lost, columns, MINUS))
    return _turned(flow, Union(both, (*columns, WEIGHT_COLUMN)))


def minimal(flow: Flow, delta: Relation) -> Relation:
    """The delta, strongly minimal: ``(D - N, N - D)`` for D gained and N lost."""
    return flow.hold(net(delta), "pair")


def minimized(rule: Rule) -> Rule:
    """A rule that other strategies share, whose deltas are made strongly minimal."""

    @wraps(rule)
    def derived(relation: Relation, flow: Flow) -> Relation | None:
        delta = rule(relation, flow)
        return None if delta is None else minimal(flow, delta)

    return derived


def rows(flow: Flow, relation: Relation, keys: Keys | None = None) -> Relation:
    """Q: the rows at the beginning of the way, all or under keys.

    Equations say Q more than once; what is read of tables under keys is read once.
    """
    found = images.image(flow, relation, start(flow), keys)
    return found if keys is None or not flow.reaches_tables(relation) else flow.hold(found, "rows")


def mod(flow: Flow, relation: Relation, keys: Keys | None = None) -> Relation:
    """``mod(Q) = (Q - N(Q)) + D(Q)``: the rows at its end."""
    other = Moment.AFTER if start(flow) is Moment.BEFORE else Moment.BEFORE
    return flow.at(other, relation, keys)


def sub(flow: Flow, relation: Relation, keys: Keys | None = None) -> Relation:
    """``sub(Q) = Q - N(Q)``: the rows that stay."""
    own = pair(flow, relation)
    base = rows(flow, relation, keys)
    if own is None:
        return base
    gone = signed(restrict(own.lost, keys), relation.columns, MINUS)
    return brought_forward(flow, base, gone)


def mod_values(flow: Flow, relation: Relation, keys: Keys | None = None) -> Relation:
    """``mod(Q)`` for operators to which equal rows are the same row.

    0.0 equals -0.0, and Spark shows either as the other where it compares, also inside arrays: a
    copy that goes is found among the rows by what Spark takes for equal, not by what tells apart.
    """
    own = pair(flow, relation)
    stay = sub_values(flow, relation, keys)
    if own is None:
        return stay
    return Union((stay, restrict(own.gained, keys)), relation.columns)


def sub_values(flow: Flow, relation: Relation, keys: Keys | None = None) -> Relation:
    """``sub(Q)`` for operators to which equal rows are the same row."""
    own = pair(flow, relation)
    base = rows(flow, relation, keys)
    if own is None:
        return base
    gone = restrict(own.lost, keys)
    return SetOperation(SetKind.EXCEPT, True, base, gone, relation.columns)


def converted(flow: Flow, relation: Relation, moment: Moment, keys: Keys | None) -> Relation:
    """An image that reads the tables at one moment alone: the other one is had by ``mod``.

    Kept rows are those before in both forms, and what their rule found after.
    """
    if moment is start(flow) or flow.kept(relation) or not flow.has_changed(relation):
        return images.image(flow, relation, moment, keys)
    own = pair(flow, relation)
    base = rows(flow, relation, keys)
    return base if own is None else brought_forward(flow, base, restrict(own.change, keys))


def without_rows(flow: Flow, one: Relation, other: Relation) -> Relation:
    """The rows of one relation that the other has not."""
    return _compared(flow, JoinKind.ANTI, one, other)


def within_rows(flow: Flow, one: Relation, other: Relation) -> Relation:
    """The rows of one relation that the other has, too."""
    return _compared(flow, JoinKind.SEMI, one, other)


def _compared(flow: Flow, kind: JoinKind, one: Relation, other: Relation) -> Relation:
    names = tuple(flow.fresh("__row") for _ in other.columns)
    items = tuple(Named(n, r) for n, r in zip(names, references(other.columns), strict=True))
    told = Project(other, items)
    equal = zip(references(one.columns), references(told.columns), strict=True)
    return Join(kind, one, told, conjunction(same(left, right) for left, right in equal))


def matched(relation: Relation, columns: Schema) -> tuple[Expression, ...]:
    """The columns of a relation as these, by position; fields of structs may have other names."""
    pairs = zip(columns, references(relation.columns), strict=True)
    return tuple(typed(value, column.type) for column, value in pairs)


def renamed(relation: Relation, columns: Schema) -> Relation:
    """The same rows under the names of these columns."""
    if relation.columns == columns:
        return relation
    values = zip(columns, matched(relation, columns), strict=True)
    return Project(relation, tuple(Named(column.name, value) for column, value in values))
