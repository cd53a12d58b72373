"""How much work each way to refresh is: a program, all rows anew, and a commit.

Counted over the very relations that would be run, so whatever rule or strategy made a program, its
cost follows from what it reads, joins, holds and writes.
"""

from __future__ import annotations

from rollview.algebra.relations import (
    After,
    Aggregate,
    Before,
    Changes,
    Distinct,
    Join,
    JoinKind,
    Recursion,
    Relation,
    Scan,
    SetOperation,
    Sort,
    State,
    Temporary,
    TopK,
    Window,
)
from rollview.algebra.traverse import inputs, walk
from rollview.maintenance.prepare import Prepared
from rollview.maintenance.program import Program
from rollview.planning.cardinality import Cardinalities
from rollview.planning.cost import Constants, Way, Work
from rollview.planning.statistics import Size, Statistics

# Joins that ask whether there is a row at all.
_EXISTENCE = (JoinKind.SEMI, JoinKind.ANTI, JoinKind.EXISTENCE)
_ROWS_PER_FILE = 1_000_000.0  # of a stored view whose files were not counted


def read_changes(statistics: Statistics, rows: Cardinalities) -> Work:
    """Reading the changes of every source that moved."""
    found = Work()
    for source, change in statistics.changes.items():
        found += Work(
            statement=1, change=1, change_byte=float(change.bytes or 0), held=rows.changed(source)
        )
    return found


def derive(program: Program, rows: Cardinalities, constants: Constants) -> Work:
    """Running a program over changes that were read, and writing the segments of its states.

    Steps that have no rows in most refreshes, and what rests on them, are left out, as they are
    when the program is run.
    """
    found = Work()
    seldom = program.seldom
    for step in program.steps:
        held = rows.hold(step.name, step.relation, empty=step.name in seldom)
        if step.name not in seldom:
            found += statement(step.relation, rows, constants) + Work(held=held.rows)
    for relation in program.states.values():
        changed = rows.of(relation).rows
        found += statement(relation, rows, constants)
        found += Work(segment=1, held=changed, written=changed)
    if program.delta is not None:
        found += statement(program.delta, rows, constants)
        found += Work(held=rows.of(program.delta).rows)
    return found


def recompute(
    relation: Relation,
    prepared: Prepared | None,
    statistics: Statistics,
    rows: Cardinalities,
    constants: Constants,
) -> Work:
    """Computing all rows of the view and of its kept operators, and storing them."""
    found = statement(relation, rows, constants)
    for kept in () if prepared is None else prepared.kept:
        stored = rows.state(kept.name) if kept.name in statistics.states else 0.0
        stored = stored or rows.of(kept.relation).rows
        # It is computed once and read back: what lies above it is built on what was stored.
        cells = stored * len(kept.columns)
        found += Work(statement=1, scan=1, cell=cells, segment=1, written=stored)
    known = statistics.view.rows
    return found + Work(replace=1, written=rows.of(relation).rows if known is None else known)


def statement(relation: Relation, rows: Cardinalities, constants: Constants) -> Work:
    """Planning and running one statement, but for what becomes of its result."""
    nodes = list(walk(relation))
    found = Work(statement=1, operator=len(nodes))
    for node in nodes:
        found += Work(row=_worked_over(node, rows, constants))
    for leaf, narrowed in _leaves(relation, False, rows):
        read = rows.of(leaf).rows
        if narrowed and not isinstance(leaf, Changes | Temporary):
            read *= constants.under_keys
        table = 0 if isinstance(leaf, Changes | Temporary) else 1
        found += Work(scan=table, cell=read * max(1, len(leaf.columns)))
    return found


def apply(way: Way, stored: Size, added: float, removed: float) -> Work:
    """Committing a change of so many rows to the stored view."""
    before = float(stored.rows or 0)
    match way:
        case Way.APPEND:
            return Work(append=1, written=added)
        case Way.MERGE:
            # The whole table is searched; files in which a row goes or changes are written anew.
            touched = before * _touched(_files(stored), removed)
            return Work(merge=1, row=before, written=touched + added)
        case Way.REWRITE:
            return Work(rewrite=1, row=before, written=max(0.0, before + added - removed))
        case Way.REPLACE:
            return Work(replace=1, written=max(0.0, before + added - removed))


def ways(stored: Size, removes: bool) -> tuple[Way, ...]:
    """The ways that can apply a delta: what only adds is appended, anything else is not."""
    if not removes:
        return (Way.APPEND,)
    return (Way.MERGE,) if stored.rows is None else (Way.MERGE, Way.REWRITE)


def _files(stored: Size) -> float:
    return float(stored.files or max(1.0, (stored.rows or 0) / _ROWS_PER_FILE))


def _touched(files: float, rows: float) -> float:
    """The share of files in which at least one of some rows lies, if they lie anywhere."""
    return 1.0 - (1.0 - 1.0 / files) ** rows if files > 1 else min(1.0, rows)


def _worked_over(node: Relation, rows: Cardinalities, constants: Constants) -> float:
    """The rows that an operator has to sort, hash or compare."""
    below = sum(rows.of(child).rows for child in inputs(node))
    match node:
        case Join(condition=condition, kind=kind) if not rows.is_equi_join(node):
            if condition is None and kind in _EXISTENCE:
                return below
            left, right = (rows.of(child).rows for child in inputs(node))
            return max(left * right, below)
        case Join() | Aggregate() | Distinct() | SetOperation() | Window() | Sort() | TopK():
            return below
        case Recursion():
            return below * constants.rounds
        case _:
            return 0.0


def _leaves(relation: Relation, narrowed: bool, rows: Cardinalities) -> list[tuple[Relation, bool]]:
    """The leaves that have rows of tables or of earlier steps, and whether keys narrow each."""
    if isinstance(relation, Scan | Before | After | State | Changes | Temporary):
        return [(relation, narrowed)]
    if not isinstance(relation, Join) or not rows.is_equi_join(relation):
        return [leaf for child in inputs(relation) for leaf in _leaves(child, narrowed, rows)]
    left, right = relation.left, relation.right
    return [
        *_leaves(left, narrowed or _is_of_a_change(right), rows),
        *_leaves(right, narrowed or _is_of_a_change(left), rows),
    ]


def _is_of_a_change(relation: Relation) -> bool:
    return any(isinstance(node, Changes | Temporary) for node in walk(relation))
