"""The first rows of every group, ``row_number() OVER (PARTITION BY g ORDER BY x) <= k``.

What holds for LIMIT holds for each partition: the first rows of Q + added are the first rows of
(the first rows of Q) + added, since every row before one of them is among them. So the filter over
the window keeps its rows, and only partitions that lose one of these are evaluated from the rows
below. It holds for row_number, rank and dense_rank, which depend on the rows before alone. Without
PARTITION BY all rows are one partition.
"""

from __future__ import annotations

from dataclasses import replace

from rollview.algebra.expressions import (
    Call,
    ColumnRef,
    Expression,
    Literal,
    binary,
    conjunction,
    conjuncts,
    same,
)
from rollview.algebra.relations import (
    Filter,
    Join,
    JoinKind,
    Named,
    Project,
    Relation,
    State,
    Union,
    Window,
)
from rollview.analysis.order import is_orderable, left_open
from rollview.errors import InternalError
from rollview.maintenance.flow import Flow
from rollview.maintenance.keys import Keys, restrict, without
from rollview.maintenance.program import Kept, Note, RuleName
from rollview.maintenance.reads import AFTER, STATE
from rollview.maintenance.reasons import refilled
from rollview.maintenance.signed import (
    REMOVED,
    added,
    difference,
    keep,
    net,
    references,
    unsigned,
)

_RANKS = frozenset({"RowNumber", "Rank", "DenseRank"})
_BOUNDS = ("LessThan", "LessThanOrEqual", "EqualTo")
_MIRRORED = {
    "GreaterThan": "LessThan",
    "GreaterThanOrEqual": "LessThanOrEqual",
    "EqualTo": "EqualTo",
}
_MOST = 1000  # rows of a partition that are worth keeping
LOST_ROW = "a kept row is removed"


def members(flow: Flow, change: Relation, kept: Relation) -> Relation:
    """The removed rows of a change that are among kept rows of the same columns."""
    removed = unsigned(Filter(change, REMOVED))
    names = {column.name: flow.fresh("__old") for column in kept.columns}
    old = Project(kept, tuple(Named(names[r.name], r) for r in references(kept.columns)))
    pairs = zip(references(removed.columns), references(old.columns), strict=True)
    return Join(JoinKind.SEMI, removed, old, conjunction(same(one, two) for one, two in pairs))


def bounded_first(filter: Filter) -> Filter:
    """The same rows, with the bound on a rank in a filter of its own, if there is one."""
    window = filter.child
    if not isinstance(window, Window) or not _is_ranked(window):
        return filter
    ranks = frozenset(call.name for call in window.calls)
    parts = conjuncts(filter.condition)
    bounds = [bound for part in parts if (bound := _bound(part, ranks)) is not None]
    if not bounds:
        return filter
    first = Filter(window, bounds[0])
    rest = conjunction(part for part in parts if part != bounds[0])
    return first if rest is None else Filter(first, rest)


def is_top(relation: Relation) -> bool:
    """Whether the relation is a filter as `bounded_first` makes it."""
    match relation:
        case Filter(child=Window() as window, condition=condition):
            ranks = frozenset(call.name for call in window.calls)
            return _is_ranked(window) and _bound(condition, ranks) == condition
        case _:
            return False


def delta_tops(filter: Filter, kept: Kept, flow: Flow) -> Relation | None:
    """``d(T(Q)) = T(T(Q) + added) - T(Q)`` in the partitions that lose no row of T(Q)."""
    window = filter.child
    if not isinstance(window, Window):
        raise InternalError("rows are kept of a filter that bounds no rank")
    below = window.child
    flow.note(window, Note(RuleName.TOP))
    flow.note(filter, Note(RuleName.TOP, state=(f"{kept.label}: its rows",)))
    flow.read(filter, STATE, filter, window.partition)
    flow.read(filter, AFTER, below, window.partition, when="where a kept row is removed")
    change = flow.delta(below)
    if change is None:
        return None
    change = flow.hold(net(change), "change")
    state = State(kept.name, kept.columns)
    lost = flow.hold(members(flow, change, keep(state, below.columns)), "lost")
    lost = flow.rarely(lost, below, (LOST_ROW,))
    losing = _partitions(window, flow, lost)
    if not window.partition and flow.reaches_tables(below):
        flow.blame(filter, refilled(filter), when=lost)
    come = added(change)
    touched = _partitions(window, flow, Union((come, lost), below.columns))
    old = flow.hold(restrict(state, touched), "kept")
    # All that came is touched; said so that nothing is evaluated if nothing is.
    rows = Union((keep(old, below.columns), restrict(come, touched)), below.columns)
    grown = _first_of(filter, window, rows)
    anew = flow.hold(_first_of(filter, window, flow.after(below, losing)), "anew")
    now = flow.hold(Union((without(grown, losing), anew), filter.columns), "top")
    flow.know_after(filter, Union((without(state, touched), now), filter.columns))
    return difference(old, now, filter.columns)


def _partitions(window: Window, flow: Flow, rows: Relation) -> Keys:
    """The partitions of some rows; without PARTITION BY the only one, if there are any."""
    if window.partition:
        return flow.keys(rows, window.partition)
    return Keys(flow.hold(rows, "touched"), ())


def _first_of(filter: Filter, window: Window, rows: Relation) -> Filter:
    return replace(filter, child=replace(window, child=rows))


def _is_ranked(window: Window) -> bool:
    kinds = [getattr(one.call.function, "kind", "") for one in window.calls]
    opened = left_open(window)
    return (
        all(kind in _RANKS for kind in kinds)
        and not (opened.rows or opened.columns)
        and is_orderable(window.child.columns)
    )


def _bound(condition: Expression, ranks: frozenset[str]) -> Expression | None:
    """What the condition says of the greatest rank that passes; None if it is no bound."""
    match condition:
        case Call(kind=kind, args=(ColumnRef(name=name) as rank, Literal() as limit)):
            pass
        case Call(kind=mirrored, args=(Literal() as limit, ColumnRef(name=name) as rank)):
            kind = _MIRRORED.get(mirrored, "")
        case _:
            return None
    if kind not in _BOUNDS or name not in ranks or not _is_few(limit):
        return None
    if kind == "EqualTo":
        return binary("LessThanOrEqual", "<=", rank, limit, "BOOLEAN")
    return condition


def _is_few(limit: Literal) -> bool:
    return limit.text.isdecimal() and int(limit.text) <= _MOST
