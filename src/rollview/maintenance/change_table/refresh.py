"""The refresh operator: stored rows that go, the same rows updated, and new rows.

Barbier (2007), definition 5.7. The stored rows with a row in the change table are deleted (D),
combined with it and put back unless no cause is left (U); rows of the change table that are not
stored are new (N). The result is the delta of the extent, so that it is stored and handed on like
any other. Of a product, every operand has a change table of its own:

- a stored row is combined with each of them by that operand's keys, no table being read;
- a row is new if an operand has a new row: the change table of each is joined with the other
  operands as they are. Where several are new, those values are taken that were read.

docs/strategies.md proves both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rollview.algebra.expressions import (
    AggregateCall,
    Call,
    ColumnRef,
    Expression,
    Literal,
    conjunction,
    is_known,
    same,
)
from rollview.algebra.relations import (
    Aggregate,
    Filter,
    Join,
    JoinKind,
    Named,
    NamedAggregate,
    Project,
    Relation,
    Side,
    State,
    Temporary,
    Union,
)
from rollview.errors import InternalError
from rollview.maintenance.change_rows import change_rows
from rollview.maintenance.change_tables import operands
from rollview.maintenance.extents import (
    Total,
    causes,
    is_always_there,
    or_zero,
    totals,
    with_nulls,
)
from rollview.maintenance.flow import Flow
from rollview.maintenance.keys import Keys, restrict
from rollview.maintenance.outward import Joined, outwards
from rollview.maintenance.program import Merging, Note, RuleName
from rollview.maintenance.reads import AFTER, STATE, label
from rollview.maintenance.reasons import no_equality
from rollview.maintenance.sides import above_zero, either, negation
from rollview.maintenance.signed import (
    PLUS,
    difference,
    named,
    reference,
    references,
    signed,
)

_TRUE = Literal("TRUE", "BOOLEAN")
_STAYS = ColumnRef("__stays", "BOOLEAN", nullable=False)


def delta_conversion(extent: Aggregate, flow: Flow) -> Relation | None:
    """The change table of an extent that is not kept, as added rows: what is above sums them up."""
    flow.note(extent, Note(RuleName.CONVERSION))
    rows = change_rows(extent, flow)
    return None if rows is None else signed(rows, extent.columns, PLUS)


def delta_extent(extent: Aggregate | Project, flow: Flow) -> Relation | None:
    """``d(E) = U + N - D``."""
    kept = flow.kept(extent)
    if kept is None:
        raise InternalError("an extent that is not kept")
    found, conditions = operands(extent)
    changes = {i: rows for i, one in enumerate(found) if (rows := change_rows(one, flow))}
    if not changes:
        return None
    state = State(kept.name, kept.columns)
    flow.note(
        extent, Note(RuleName.CONVERSION, state=(f"{kept.label}: its rows and their causes",))
    )
    held = {i: flow.hold(rows, "change_table") for i, rows in changes.items()}
    refresh = _Refresh(extent, flow, found, conditions, held, state)
    return refresh.alone() if len(found) == 1 else refresh.product()


@dataclass(frozen=True, slots=True)
class _Refresh:
    """One refresh: the operands of the extent, their conditions, and the change tables held."""

    extent: Aggregate | Project
    flow: Flow
    operands: tuple[Aggregate, ...]
    conditions: tuple[Expression, ...]
    changes: dict[int, Relation]
    state: State

    # --- one operand -------------------------------------------------------------------------

    def alone(self) -> Relation:
        """Stored and new rows at once: the change table, with the stored rows beside it."""
        (operand,), flow = self.operands, self.flow
        flow.read(self.extent, STATE, operand, operand.groups)
        old = {c.name: flow.fresh("__old") for c in operand.columns}
        own = conjunction(self.conditions)
        change = self.changes[0] if own is None else Filter(self.changes[0], own)
        stored = self._renamed(old)
        pairs = [same(group, _as(group, old)) for group in operand.groups]
        kind = JoinKind.LEFT if pairs else JoinKind.CROSS
        both = Join(kind, change, stored, conjunction(pairs))
        found = totals(operand)
        values = {t.name: t.combined(_nullable(_as(t.column, old)), _difference(t)) for t in found}
        rows = flow.hold(self._compared(both, old, values, (operand,), found), "refresh")
        self._merging(rows)
        return self._parts(rows, old)

    # --- a product ---------------------------------------------------------------------------

    def product(self) -> Relation:
        """Stored rows by the keys of every operand that changed, new rows by a join for each."""
        old = {c.name: self.flow.fresh("__old") for c in self.extent.columns}
        touched = self.flow.hold(self._touched(old), "refresh")
        new = self.flow.hold(self._new(), "new")
        keys = self.flow.keys(new, self._keys())
        stored = restrict(self.state, keys)
        fresh = {c.name: self.flow.fresh("__there") for c in self.extent.columns}
        there = Project(stored, tuple(Named(fresh[r.name], r) for r in self._keys()))
        pairs = conjunction(same(key, _as(key, fresh)) for key in self._keys())
        unknown = self.flow.hold(Join(JoinKind.ANTI, new, there, pairs), "unknown")
        self._merging(touched, unknown)
        known = self._parts(touched, old)
        return Union((known, signed(unknown, self.extent.columns, PLUS)), known.columns)

    def _keys(self) -> tuple[ColumnRef, ...]:
        return tuple(group for operand in self.operands for group in operand.groups)

    def _touched(self, old: dict[str, str]) -> Relation:
        """D and U: the stored rows with a key in a change table, combined with it."""
        flow, rows, hits = self.flow, self._renamed(old), list[Expression]()
        values: dict[str, Expression] = {}
        for index, operand in enumerate(self.operands):
            found = totals(operand)
            values |= {t.name: or_zero(_nullable(_as(t.column, old))) for t in found}
            change = self.changes.get(index)
            if change is None:
                continue
            flow.read(self.extent, STATE, operand, operand.groups)
            more = {c.name: flow.fresh("__more") for c in operand.columns}
            hit = flow.fresh("__hit")
            items = (*_named_as(operand, more), Named(hit, _TRUE))
            pairs = [same(_as(group, old), _as(group, more)) for group in operand.groups]
            condition = conjunction(pairs) or _TRUE
            right = Project(change, items)
            rows = Join(JoinKind.LEFT, rows, right, condition, broadcast=Side.RIGHT)
            hits.append(is_known(ColumnRef(hit, "BOOLEAN")))
            for t in found:
                before, differs = _nullable(_as(t.column, old)), _nullable(_as(t.column, more))
                values[t.name] = t.combined(before, differs)
        hit_by_any = either(hits)
        if hit_by_any is None:
            raise InternalError("a refresh without a change")
        every = tuple(t for operand in self.operands for t in totals(operand))
        keys = {key.name: _as(key, old) for key in self._keys()}
        return self._compared(Filter(rows, hit_by_any), old, values, self.operands, every, keys)

    def _new(self) -> Relation:
        """N, and rows that are stored: the change table of each operand joined with the others."""
        terms = tuple(self._term(index) for index in self.changes)
        columns = terms[0].columns
        both = terms[0] if len(terms) == 1 else Union(terms, columns)
        calls = tuple(
            NamedAggregate(c.name, AggregateCall("Max", ("max(", ")"), (reference(c),), c.type))
            for c in columns[len(self._keys()) :]
        )
        taken = Aggregate(both, self._keys(), calls)
        every = tuple(t for operand in self.operands for t in totals(operand))
        values = {t.name: _first(_read(t), _moved(t)) for t in every}
        shown = with_nulls(every, values)
        there = conjunction(_is_there(self.operands, values))
        rows: Relation = taken if there is None else Filter(taken, there)
        items = (Named(c.name, shown.get(c.name, reference(c))) for c in self.extent.columns)
        return Project(rows, tuple(items))

    def _term(self, start: int) -> Relation:
        """All joined rows that begin with a row of one change table.

        Of each total there are two columns: as it was read, or the difference if it is of the
        operand that the row begins with; the other is NULL.
        """
        columns = tuple(c for operand in self.operands for c in operand.columns)
        joined = Joined(tuple(self.operands), self.conditions, named(references(columns)))
        rows = outwards(self.flow, joined, start, self.changes[start], self._other)
        items = [*named(self._keys())]
        for index, operand in enumerate(self.operands):
            for t in totals(operand):
                value, nothing = or_zero(_nullable(t.column)), _null(t)
                pair = (nothing, value) if index == start else (value, nothing)
                names = (_read(t).name, _moved(t).name)
                items += [Named(n, e) for n, e in zip(names, pair, strict=True)]
        return Project(rows, tuple(items))

    def _other(self, index: int, keys: Keys | None, by: tuple[Expression, ...]) -> Relation:
        """Another operand as it is, under the keys that were reached."""
        operand, flow = self.operands[index], self.flow
        flow.read(self.extent, AFTER, operand, by)
        if not by and flow.reaches_tables(operand):
            whole = Join(JoinKind.CROSS, operand, operand)
            flow.blame(self.extent, no_equality(whole, label(operand, flow.kept)))
        return flow.after(operand, keys)

    # --- both --------------------------------------------------------------------------------

    def _merging(self, *steps: Relation) -> None:
        """The same change by key, for who would apply it as one MERGE."""
        names = tuple(step.name for step in steps if isinstance(step, Temporary))
        keys = tuple(group.name for group in self._keys())
        own = tuple(c for c in self.extent.columns if c.name in keys)
        values = tuple(c for c in self.extent.columns if c.name not in keys)
        self.flow.merges.append(Merging(self.state.name, names, own, values, _STAYS.name))

    def _renamed(self, old: dict[str, str]) -> Relation:
        items = (Named(old[r.name], r) for r in references(self.state.columns))
        return Project(self.state, tuple(items))

    def _compared(
        self,
        rows: Relation,
        old: dict[str, str],
        values: dict[str, Expression],
        operands: tuple[Aggregate, ...],
        found: tuple[Total, ...],
        keys: dict[str, ColumnRef] | None = None,
    ) -> Relation:
        """Old and new values side by side, with whether the row stays; what is the same is left."""
        shown = with_nulls(found, values)
        known = keys or {}
        items = (
            *(Named(old[r.name], _as(r, old)) for r in references(self.extent.columns)),
            *(Named(k.name, known.get(k.name, k)) for k in self._keys()),
            *(Named(t.name, shown[t.name]) for t in found),
            Named(_STAYS.name, conjunction(_is_there(operands, values)) or _TRUE),
        )
        unchanged = conjunction(
            (_STAYS, *(same(_nullable(_as(t.column, old)), _nullable(t.column)) for t in found))
        )
        if unchanged is None:
            raise InternalError("an extent without causes")
        return Filter(Project(rows, items), negation(unchanged))

    def _parts(self, rows: Relation, old: dict[str, str]) -> Relation:
        """``U + N - D`` of rows with their old and new values."""
        columns = self.extent.columns
        first = ColumnRef(old[causes(self.operands[0])], "BIGINT")
        gone = Filter(rows, is_known(first)) if self._has_unstored() else rows
        deleted = Project(gone, tuple(Named(c.name, _as(reference(c), old)) for c in columns))
        updated = Project(Filter(rows, _STAYS), named(references(columns)))
        return difference(deleted, updated, columns)

    def _has_unstored(self) -> bool:
        """Whether a row may have no old values: its causes are known of any that is stored."""
        return len(self.operands) == 1 and not is_always_there(self.operands[0])


def _is_there(
    operands: tuple[Aggregate, ...], values: dict[str, Expression]
) -> Iterator[Expression]:
    """A row is there as long as every operand has a cause for it."""
    for operand in operands:
        if not is_always_there(operand):
            yield above_zero(values[causes(operand)])


def _as(column: ColumnRef, names: dict[str, str]) -> ColumnRef:
    return ColumnRef(names[column.name], column.type, column.nullable)


def _nullable(column: ColumnRef) -> ColumnRef:
    return ColumnRef(column.name, column.type)


def _difference(total: Total) -> ColumnRef:
    return ColumnRef(total.name, total.call.type, nullable=False)


def _named_as(operand: Aggregate, names: dict[str, str]) -> tuple[Named, ...]:
    return tuple(Named(names[r.name], r) for r in references(operand.columns))


def _read(total: Total) -> ColumnRef:
    return ColumnRef(f"{total.name}__read", total.call.type)


def _moved(total: Total) -> ColumnRef:
    return ColumnRef(f"{total.name}__moved", total.call.type)


def _null(total: Total) -> Literal:
    return Literal(f"CAST(NULL AS {total.call.type})", total.call.type, nullable=True)


def _first(one: ColumnRef, other: ColumnRef) -> Expression:
    """The first of two values that is known; one of them is."""
    return Call("Coalesce", ("coalesce(", ", ", ")"), (one, other), one.type, False)
