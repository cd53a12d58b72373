"""A recursive CTE is evaluated anew: for the values that a change concerns, or as a whole.

A column that is handed down from the anchor through every round splits the recursion into one for
each of its values. A value is concerned if the anchor changed in a row that has it, or if the step
does, applied to the old rows: without that, every round has the same rows as before, by induction
from the first. All old rows are kept.
"""

from __future__ import annotations

from dataclasses import replace

from rollview.algebra.definition import Reason, ReasonCode
from rollview.algebra.expressions import ColumnRef
from rollview.algebra.printer import describe
from rollview.algebra.relations import (
    Filter,
    Named,
    Project,
    Recursion,
    RecursionInput,
    Relation,
    Scan,
    State,
    Union,
)
from rollview.algebra.traverse import transform_up, walk
from rollview.analysis.recursion import carried
from rollview.maintenance.clock import reads_clock
from rollview.maintenance.flow import Flow, Moment
from rollview.maintenance.images import evaluated
from rollview.maintenance.keys import Keys, restrict, without
from rollview.maintenance.program import Kept, Note, RuleName
from rollview.maintenance.reads import AFTER, STATE
from rollview.maintenance.signed import difference, reference


def delta_recursion(recursion: Recursion, flow: Flow) -> Relation | None:
    """``d(R) = R(after) under K - R(before) under K``, K the values that a change concerns."""
    kept = flow.kept(recursion)
    if kept is None:
        return None
    state = State(kept.name, kept.columns)
    flow.delta(recursion.anchor)
    keys = _concerned(recursion, flow, state)
    if keys is None:
        return _whole(recursion, flow, kept, state)
    over = _at(recursion, recursion.anchor)
    flow.note(recursion, Note(RuleName.PARTITIONS, state=(f"{kept.label}: its rows",)))
    flow.read(recursion, STATE, recursion, keys.expressions)
    flow.read(recursion, AFTER, recursion.anchor, over)
    scans = _scans(recursion.step)
    for scan in scans:
        flow.read(recursion, AFTER, scan)
    if scans:
        flow.blame(recursion, _rounds(recursion), when=keys.relation)
    anchor = flow.hold(flow.after(recursion.anchor, keys.over(over)), "anchor")
    step = evaluated(flow, recursion.step, Moment.AFTER, None)
    now = flow.hold(replace(recursion, anchor=anchor, step=step), "recursion")
    flow.know_after(recursion, Union((without(state, keys), now), recursion.columns))
    return difference(restrict(state, keys), now, recursion.columns)


def _at(recursion: Recursion, relation: Relation) -> tuple[ColumnRef, ...]:
    """The columns that are handed down, as the relation calls them."""
    return tuple(reference(relation.columns[position]) for position in carried(recursion))


def _concerned(recursion: Recursion, flow: Flow, state: State) -> Keys | None:
    """The values of the columns that are handed down, of rows that changed."""
    filters = (node for node in walk(recursion.step) if isinstance(node, Filter))
    if not carried(recursion) or any(reads_clock(node.condition) for node in filters):
        return None
    applied = flow.as_form(recursion, transform_up(recursion.step, lambda n: _before(n, state)))
    changes = ((flow.delta(r), _at(recursion, r)) for r in (recursion.anchor, applied))
    names = [flow.fresh("__carried") for _ in carried(recursion)]
    values = tuple(
        Project(change, tuple(Named(n, c) for n, c in zip(names, columns, strict=True)))
        for change, columns in changes
        if change is not None
    )
    if not values:
        return None
    all_values = Union(values, values[0].columns)
    found = flow.keys(all_values, tuple(reference(c) for c in all_values.columns))
    return found.over(_at(recursion, recursion))


def _before(node: Relation, state: State) -> Relation:
    """The rows of all rounds before the change, in the place of those of one round."""
    if not isinstance(node, RecursionInput):
        return node
    pairs = zip(node.columns, node.fields, strict=True)
    return Project(state, tuple(Named(c.name, ColumnRef(f, c.type)) for c, f in pairs))


def _whole(recursion: Recursion, flow: Flow, kept: Kept, state: State) -> Relation:
    flow.note(recursion, Note(RuleName.RECOMPUTE, state=(f"{kept.label}: its rows",)))
    flow.read(recursion, STATE, recursion)
    for scan in _scans(recursion):
        flow.read(recursion, AFTER, scan)
    flow.blame(
        recursion,
        Reason(
            ReasonCode.NO_RULE,
            describe(recursion),
            "a recursive query has no incremental rule: it is evaluated as a whole",
            "hand a column of what it starts from down unchanged, such as the root, through joins,"
            " filters and projections alone: then only the roots that a change concerns are",
        ),
    )
    now = flow.hold(evaluated(flow, recursion, Moment.AFTER, None), "recursion")
    flow.know_after(recursion, now)
    return difference(state, now, recursion.columns)


def _rounds(recursion: Recursion) -> Reason:
    columns = ", ".join(c.name for c in _at(recursion, recursion))
    return Reason(
        ReasonCode.NO_RULE,
        describe(recursion),
        f"where a change concerns a value of {columns}, all rounds read the tables of the step",
        "keep the tables of the step small: let it read a view that filters first",
    )


def _scans(relation: Relation) -> list[Scan]:
    return [node for node in walk(relation) if isinstance(node, Scan)]
