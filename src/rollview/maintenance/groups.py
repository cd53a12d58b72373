"""Groups of aggregates: they go on from their stored values, the others are evaluated anew.

Quass (1996), sections 4, 5; Barbier (2007), table 4.3. Changes are aggregated by group, added and
removed rows apart, and joined with the stored rows of these groups. A group is evaluated anew from
its rows after the change where the stored value does not suffice: a min or max that may have lost
its extremum, a floating sum or variance that lost rows, a sum that overflows, and every function
that has no inverse at all. The step ``groups`` has the old and the new values of a group beside
each other: it is Quass's mu (section 6), of which the delta is taken apart above it.
"""

from __future__ import annotations

from dataclasses import replace

from rollview.algebra.definition import Reason, ReasonCode
from rollview.algebra.expressions import (
    Call,
    ColumnRef,
    Expression,
    Literal,
    binary,
    conjunction,
    is_known,
    same,
)
from rollview.algebra.printer import describe, show
from rollview.algebra.relations import (
    Aggregate,
    Filter,
    Join,
    JoinKind,
    Named,
    Project,
    Relation,
    State,
    Union,
)
from rollview.algebra.traverse import with_inputs
from rollview.errors import InternalError
from rollview.maintenance.counts import COUNT_ALL
from rollview.maintenance.flow import Flow
from rollview.maintenance.keys import restrict, without
from rollview.maintenance.merging import Merge, merges, row_count
from rollview.maintenance.partial import goes_on
from rollview.maintenance.program import Kept, Note, RuleName
from rollview.maintenance.reads import AFTER, STATE
from rollview.maintenance.sides import ZERO, either, negation
from rollview.maintenance.signed import difference, named, references


def delta_groups(aggregate: Aggregate, flow: Flow) -> Relation | None:
    """New rows of the changed groups, and their stored rows to be removed."""
    change = flow.delta(aggregate.child)
    kept = flow.kept(aggregate)
    if change is None:
        return None
    if kept is None:
        raise InternalError("an aggregate without state")
    change = flow.hold(change, "change")
    state = State(kept.name, kept.columns)
    flow.note(aggregate, Note(RuleName.GROUPS, state=(_what_is_kept(aggregate, kept),)))
    flow.read(aggregate, STATE, aggregate, aggregate.groups)
    if _goes_on(aggregate):
        return _merged(aggregate, flow, change, state)
    return _anew(aggregate, flow, change, state)


def _goes_on(aggregate: Aggregate) -> bool:
    """Whether `prepare` gave it what it takes: the count of its rows."""
    calls = [one.call for one in aggregate.calls]
    return COUNT_ALL in calls and all(goes_on(call) for call in calls)


def _anew(aggregate: Aggregate, flow: Flow, change: Relation, state: State) -> Relation:
    keys = flow.keys(change, aggregate.groups) if aggregate.groups else None
    now = flow.hold(with_inputs(aggregate, (flow.after(aggregate.child, keys),)), "groups")
    flow.read(aggregate, AFTER, aggregate.child, aggregate.groups)
    if keys is None:
        flow.note(aggregate, replace(flow.notes[aggregate], rule=RuleName.RECOMPUTE))
        flow.blame(aggregate, _one_group(aggregate, "at every change"))
        flow.know_after(aggregate, now)
        return difference(state, now, aggregate.columns)
    flow.know_after(aggregate, Union((without(state, keys), now), aggregate.columns))
    return difference(restrict(state, keys), now, aggregate.columns)


def _what_is_kept(aggregate: Aggregate, kept: Kept) -> str:
    calls = ", ".join(show(one.call) for one in aggregate.calls) or "a row"
    groups = ", ".join(group.name for group in aggregate.groups)
    return f"{kept.label}: {calls}" + (f" per {groups}" if groups else "")


def _one_group(aggregate: Aggregate, when: str) -> Reason:
    return Reason(
        ReasonCode.NO_KEY,
        describe(aggregate),
        f"an aggregate without GROUP BY is evaluated from all rows {when}",
        "let one view aggregate by groups, and another one aggregate that view",
    )


def _merged(aggregate: Aggregate, flow: Flow, change: Relation, state: State) -> Relation:
    """The stored rows of the changed groups, brought up to date by the changes."""
    stored = {column.name: flow.fresh("__old") for column in state.columns}
    old = Project(state, tuple(Named(stored[r.name], r) for r in references(state.columns)))
    found = merges(aggregate, stored, flow.fresh)
    summary = Aggregate(change, aggregate.groups, tuple(p for m in found for p in m.parts))
    pairs = ((g, ColumnRef(stored[g.name], g.type)) for g in aggregate.groups)
    condition = conjunction(same(group, before) for group, before in pairs)
    joined = Join(JoinKind.LEFT, summary, old, condition)
    whole = _with_columns(joined, tuple(one for merge in found for one in merge.together))
    groups = flow.hold(_compared(whole, aggregate, found, stored), "groups")
    kept = Project(
        Filter(groups, _flag(_WAS)),
        tuple(Named(c.name, ColumnRef(stored[c.name], c.type)) for c in aggregate.columns),
    )
    going_on = Filter(groups, _flag(_GOES_ON))
    new = Project(
        going_on,
        (
            *named(aggregate.groups),
            *(Named(m.name, ColumnRef(_new(m.name), m.value.type)) for m in found),
        ),
    )
    now: Relation = new
    because = tuple(dict.fromkeys(merge.because for merge in found if merge.anew is not None))
    if because:
        anew = _evaluated(aggregate, flow, Filter(groups, _flag(_ANEW)), because)
        now = Union((new, anew), aggregate.columns)
    flow.know_after(aggregate, _after(aggregate, flow, groups, state, now))
    return difference(kept, now, aggregate.columns)


_WAS, _GOES_ON, _ANEW = "__was", "__goes_on", "__anew"


def _flag(name: str) -> ColumnRef:
    return ColumnRef(name, "BOOLEAN", nullable=False)


def _new(name: str) -> str:
    return f"__new_{name}"


def _with_columns(relation: Relation, more: tuple[Named, ...]) -> Relation:
    """Further columns, each once, for those above to be said in."""
    if not more:
        return relation
    return Project(relation, (*named(references(relation.columns)), *dict.fromkeys(more)))


def _compared(
    joined: Relation, aggregate: Aggregate, found: tuple[Merge, ...], stored: dict[str, str]
) -> Relation:
    """Old and new values of the groups that changed, with what becomes of each group."""
    count = row_count(aggregate)
    value = next(merge.value for merge in found if merge.name == count)
    was = is_known(ColumnRef(stored[count], "BIGINT"))
    lives: Expression = binary("GreaterThan", ">", value, ZERO, "BOOLEAN")
    if not aggregate.groups:
        lives = Literal("TRUE", "BOOLEAN")
    unsure = [merge.anew for merge in found if merge.anew is not None]
    anew = either([_surely(condition) for condition in unsure]) or Literal("FALSE", "BOOLEAN")
    anew = binary("And", "AND", lives, anew, "BOOLEAN")
    goes_on = binary("And", "AND", lives, negation(anew), "BOOLEAN")
    items = (
        *named(aggregate.groups),
        *(Named(stored[c.name], ColumnRef(stored[c.name], c.type)) for c in aggregate.columns),
        *(Named(_new(merge.name), merge.value) for merge in found),
        Named(_WAS, was),
        Named(_GOES_ON, goes_on),
        Named(_ANEW, anew),
    )
    same_values = [
        same(ColumnRef(stored[m.name], m.value.type), ColumnRef(_new(m.name), m.value.type))
        for m in found
    ]
    unchanged = conjunction([_flag(_WAS), _flag(_GOES_ON), *same_values])
    there = either([_flag(_WAS), _flag(_GOES_ON), _flag(_ANEW)])
    if unchanged is None or there is None:
        raise InternalError("an aggregate without a count")
    wanted = binary("And", "AND", there, negation(unchanged), "BOOLEAN")
    return Filter(Project(joined, items), wanted)


def _surely(condition: Expression) -> Expression:
    return Call("Coalesce", ("coalesce(", ", FALSE)"), (condition,), "BOOLEAN", False)


def _evaluated(
    aggregate: Aggregate, flow: Flow, wanted: Relation, because: tuple[str, ...]
) -> Relation:
    """The rows of some groups, from the rows below them after the change."""
    when = f"where {' or '.join(because)}"
    flow.read(aggregate, AFTER, aggregate.child, aggregate.groups, when)
    if aggregate.groups:
        keys = flow.keys(wanted, aggregate.groups)
        flow.rarely(keys.relation, aggregate.child, because)
        return flow.hold(with_inputs(aggregate, (flow.after(aggregate.child, keys),)), "anew")
    wanted = flow.rarely(flow.hold(wanted, "anew"), aggregate.child, because)
    if flow.reaches_tables(aggregate.child):
        flow.blame(aggregate, _one_group(aggregate, when), when=wanted)
    whole = with_inputs(aggregate, (flow.after(aggregate.child),))
    return flow.hold(Join(JoinKind.SEMI, whole, wanted), "anew")


def _after(
    aggregate: Aggregate, flow: Flow, groups: Relation, state: State, now: Relation
) -> Relation:
    """All rows of the aggregate after the change."""
    if aggregate.groups:
        untouched = without(state, flow.keys(groups, aggregate.groups))
    else:
        untouched = Join(JoinKind.ANTI, state, groups)
    return Union((untouched, now), aggregate.columns)
