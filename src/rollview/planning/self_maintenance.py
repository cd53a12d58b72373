"""Which changes a view, or several together, can follow without their base tables, and what helps.

For every base table and kind of change, the program that would carry it through the view is
compiled and looked at: if no step that can have rows reads a table, the view is self-maintainable
for this kind (Barbier 2007, definition 6.1); otherwise the accesses that are read are the auxiliary
views that make it so (theorem 6.5, with less than copies). The program with these kept is looked at
again: it reads no table, or the answer is no.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from math import ceil

from rollview.algebra.expressions import ColumnRef
from rollview.algebra.relations import After, Before, Project, Relation, Scan
from rollview.algebra.traverse import walk
from rollview.analysis.accesses import Access, Accesses
from rollview.analysis.constraints import NONE, Constraints
from rollview.analysis.cut_down import accesses
from rollview.analysis.self_maintenance import exposed, only_adds, part_of, shown, width_of
from rollview.maintenance.choice import ANY, Choice
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.emptiness import is_empty, without_empty
from rollview.maintenance.merging import LOST_BITS, LOST_DIGITS, LOST_EXTREMUM, OVERFLOW
from rollview.maintenance.program import Program
from rollview.maintenance.strategies import prepared
from rollview.maintenance.tops import LOST_ROW
from rollview.planning.self_maintained import KINDS, Auxiliary, Finding, Kind, SelfMaintenance

_LOST = frozenset({LOST_BITS, LOST_DIGITS, LOST_EXTREMUM, LOST_ROW})
_EMPTY = {
    Kind.INSERT: ("stayed", "gone", "regained"),
    Kind.DELETE: ("stayed", "regained"),
    Kind.UPDATE: ("gone", "regained"),
    Kind.EXPOSED: (),
}
"""Steps along foreign keys that a change of one kind alone leaves without rows."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a base table: its rows, if known, and how many columns it has."""

    rows: int | None = None
    columns: int = 0


def self_maintenance(
    views: Mapping[str, Relation],
    constraints: Constraints = NONE,
    facts: Mapping[str, Facts] | None = None,
    constant: Collection[str] = (),
) -> SelfMaintenance:
    """What the views need together, as if all that is declared were trusted.

    Tables that are ``constant`` never change.
    """
    trusted = Constraints(tuple(replace(one, rely=True) for one in constraints.all))
    analysed = [Analysed(relation, trusted) for relation in views.values()]
    held = [_plain(relation) for relation in views.values()]
    findings: list[Finding] = []
    kept: dict[str, Access] = {}
    tables = dict.fromkeys(table for one in analysed for table in one.tables)
    for table in (name for name in tables if name not in constant):
        for kind in KINDS:
            columns = {c for one in analysed for c in one.columns(table, kind)}
            if kind in (Kind.UPDATE, Kind.EXPOSED) and not columns:
                continue
            found = [one.finding(table, kind) for one in analysed if table in one.tables]
            needs = {a.name: a for one in found for a in one.needs if not _is_held(a, held)}
            kept |= needs
            findings.append(
                Finding(
                    table,
                    kind,
                    tuple(sorted(columns)),
                    tuple(needs),
                    tuple(dict.fromkeys(name for one in found for name in one.missing)),
                    tuple(dict.fromkeys(text for one in found for text in one.unless)),
                )
            )
    sizes = tuple(_sized(one, (facts or {}).get(one.table, Facts())) for one in kept.values())
    return SelfMaintenance(tuple(findings), sizes)


def _sized(access: Access, facts: Facts) -> Auxiliary:
    part = part_of(access)
    rows = None if facts.rows is None else ceil(part * facts.rows)
    columns = max(facts.columns, _read_columns(access))
    size = None if rows is None else rows * width_of(access)
    return Auxiliary(access, part, rows, size, access.is_copy(columns), columns)


def _read_columns(access: Access) -> int:
    """How many columns of the table the definition reads, where no more is known."""
    scans = (node for node in walk(access.relation) if isinstance(node, Scan))
    return max(len(scan.fields) for scan in scans if scan.source == access.table)


# --- a set of views: one may hold what another needs -----------------------------------------


def _plain(relation: Relation) -> Access | None:
    """A view that is a table, filtered and projected at most: it is an auxiliary view itself."""
    found = accesses(relation)
    if len(found.all) != 1:
        return None
    inner, node = found.all[0], found.relation
    while isinstance(node, Project) and node != inner.relation:
        if not all(isinstance(item.expression, ColumnRef) for item in node.items):
            return None
        node = node.child
    return inner if node == inner.relation else None


def _is_held(access: Access, views: Iterable[Access | None]) -> bool:
    """Whether a view of the set has the rows of an access, and its columns among others."""
    held = (view for view in views if view is not None and not access.parents)
    return any(
        view.table == access.table
        and set(access.fields) <= set(view.fields)
        and _rows(view) == _rows(access)
        for view in held
    )


def _rows(access: Access) -> str:
    """What is said of the rows of an access."""
    return access.name.partition(" WHERE ")[2]


# --- one view ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Found:
    """What one view needs for a kind of change: some of its accesses, and tables all the same."""

    accesses: Accesses
    needs: tuple[Access, ...] = ()
    missing: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


class Analysed:
    """One view, with its tables cut down as far as foreign keys allow, and without them."""

    def __init__(self, relation: Relation, constraints: Constraints) -> None:
        self._relation = relation
        self._constraints = constraints.about(relation)
        self._whole = accesses(relation)
        self._reduced = accesses(relation, self._constraints)
        scans = [node for node in walk(relation) if isinstance(node, Scan)]
        self.tables = tuple(dict.fromkeys(scan.source for scan in scans))

    def columns(self, table: str, kind: Kind) -> frozenset[str]:
        """The columns that an update of this kind is about."""
        if table not in self.tables or kind in (Kind.INSERT, Kind.DELETE):
            return frozenset()
        return (shown if kind is Kind.UPDATE else exposed)(self._relation, table)

    def finding(self, table: str, kind: Kind) -> Found:
        """With reduced auxiliary views if these do; an update may bring back what they left out."""
        if kind in (Kind.UPDATE, Kind.EXPOSED) and not self.columns(table, kind):
            return Found(self._whole)
        whole = _needed(self._whole, self._constraints, (table,), kind)
        if not whole.needs and not whole.missing:
            return whole
        small = _needed(self._reduced, self._constraints, (table,), kind)
        return whole if small.missing else small


def for_any_change(
    relation: Relation, constraints: Constraints, tables: Iterable[str], choice: Choice = ANY
) -> Found:
    """What has to be kept so that no table is read, whatever happens to these tables."""
    about = constraints.about(relation)
    return _needed(accesses(relation), about, tuple(tables), Kind.EXPOSED, choice)


def _needed(
    found: Accesses,
    constraints: Constraints,
    tables: tuple[str, ...],
    kind: Kind,
    choice: Choice = ANY,
) -> Found:
    """The accesses that have to be kept so that no table is read, as far as that can be."""
    kept: dict[Relation, Access] = {}
    while True:
        accessed = tuple(kept.values())
        form = prepared(found.relation, choice, constraints=constraints, auxiliary=accessed)
        program = compile_delta(form, tables)
        leaves, unless = reads(program, tables, kind)
        read = (found.reading(column.name for column in leaf.columns) for leaf in leaves)
        new = {a.relation: a for a in read if a is not None and a.relation not in kept}
        if not new:
            break
        kept |= new
    missing = tuple(dict.fromkeys(leaf.source for leaf in leaves))
    return Found(found, tuple(kept.values()), missing, unless)


def reads(
    program: Program, tables: Iterable[str], kind: Kind
) -> tuple[tuple[Before | After, ...], tuple[str, ...]]:
    """The base tables that a change of this kind makes a program read; and unless what happens."""
    empty = {s.name for s in program.steps if _label(s.name) in _EMPTY[kind]}
    unless: dict[str, None] = {}
    for name, cause in program.causes.items():
        because = set(cause.because)
        if kind is Kind.INSERT and only_adds(cause.relation, frozenset(tables)):
            because -= _LOST
        if because <= {OVERFLOW}:
            empty.add(name)
            unless |= dict.fromkeys(because)
    run: list[Relation] = []
    for step in program.steps:  # a refresh runs every step that has rows, in this order
        relation = without_empty(step.relation, frozenset(empty))
        if is_empty(relation):
            empty.add(step.name)
        else:
            run.append(relation)
    results = [*program.states.values(), *([] if program.delta is None else [program.delta])]
    run += [without_empty(result, frozenset(empty)) for result in results]
    nodes = (node for relation in run for node in walk(relation))
    leaves = dict.fromkeys(node for node in nodes if isinstance(node, Before | After))
    return tuple(leaves), tuple(unless)


def _label(name: str) -> str:
    return name.rpartition("_")[0]
