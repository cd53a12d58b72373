"""From a failing case to a small one that fails in the same way."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from rollview.algebra.relations import Scan
from rollview.algebra.traverse import walk
from rollview.analysis.order import canonical
from tests.properties.cases import Case, Change, Row, Table
from tests.properties.holding import all_hold, fields_of
from tests.properties.simpler import fewer_operators, lighter_operators
from tests.properties.values import VALUES

Fails = Callable[[Case], str | None]


def shrink(case: Case, fails: Fails, seconds: float = 60) -> Case:
    """The smallest case found in the time; ``fails`` says how a case fails, None if it does not."""
    wanted = fails(case)
    end = time.monotonic() + seconds

    def smaller(case: Case, step: Callable[[Case], Iterator[Case]]) -> Case | None:
        for candidate in step(case):
            if time.monotonic() > end:
                return None
            if candidate != case and is_consistent(candidate) and fails(candidate) == wanted:
                return candidate
        return None

    before = None
    while case is not before:
        before = case
        for step in STEPS:
            while (found := smaller(case, step)) is not None:
                case = found
    return case


def _fewer_operators(case: Case) -> Iterator[Case]:
    return (replace(case, relation=canonical(r)) for r in fewer_operators(case.relation))


def _lighter_operators(case: Case) -> Iterator[Case]:
    return (replace(case, relation=canonical(r)) for r in lighter_operators(case.relation))


def _fewer_tables(case: Case) -> Iterator[Case]:
    used = {node.source for node in walk(case.relation) if isinstance(node, Scan)}
    for name in case.tables:
        if name not in used and len(case.tables) > 1:
            yield _without_table(case, name)


def _fewer_batches(case: Case) -> Iterator[Case]:
    batches = case.batches
    for i in range(len(batches) if len(batches) > 1 else 0):
        yield replace(case, batches=(*batches[:i], *batches[i + 1 :]))


def _fewer_changes(case: Case) -> Iterator[Case]:
    """One change less, or two that belong together."""
    for i, batch in enumerate(case.batches):
        for width in (1, 2):
            for j in range(len(batch) - width + 1 if len(batch) > width else 0):
                fewer = (*batch[:j], *batch[j + width :])
                yield replace(case, batches=(*case.batches[:i], fewer, *case.batches[i + 1 :]))


def _fewer_rows(case: Case) -> Iterator[Case]:
    """A half of a table less, then a row."""
    for name, table in case.tables.items():
        half = len(table.rows) // 2
        for rows in (table.rows[half:], table.rows[:half]):
            yield _with_table(case, name, replace(table, rows=rows))
        for i in range(len(table.rows)):
            rows = (*table.rows[:i], *table.rows[i + 1 :])
            yield _with_table(case, name, replace(table, rows=rows))


def _without_table(case: Case, name: str) -> Case:
    tables = {other: table for other, table in case.tables.items() if other != name}
    batches = tuple(tuple(c for c in batch if c.table != name) for batch in case.batches)
    return replace(case, tables=tables, batches=tuple(batch for batch in batches if batch))


def _with_table(case: Case, name: str, table: Table) -> Case:
    return replace(case, tables={**case.tables, name: table})


def _mapped(case: Case, name: str, change: Callable[[Row], Row]) -> Case:
    table = case.tables[name]
    rows = tuple(change(row) for row in table.rows)
    batches = tuple(
        tuple(Change(c.table, change(c.row), c.weight) if c.table == name else c for c in batch)
        for batch in case.batches
    )
    return replace(_with_table(case, name, replace(table, rows=rows)), batches=batches)


def _narrower_tables(case: Case) -> Iterator[Case]:
    for name in case.tables:
        yield from _narrower(case, name)


def _narrower(case: Case, name: str) -> Iterator[Case]:
    """The table without a column that no scan reads."""
    columns = case.tables[name].columns
    scans = [n for n in walk(case.relation) if isinstance(n, Scan) and n.source == name]
    read = {field for scan in scans for field in scan.fields}
    read |= {field for one in case.constraints.all for field in fields_of(one, name)}
    for i, column in enumerate(columns):
        if column.name in read or len(columns) == 1:
            continue
        less = _mapped(case, name, lambda row, i=i: (*row[:i], *row[i + 1 :]))  # type: ignore[misc]
        table = replace(less.tables[name], columns=(*columns[:i], *columns[i + 1 :]))
        yield _with_table(less, name, table)


def _plainer_values(case: Case) -> Iterator[Case]:
    for name in case.tables:
        yield from _plainer(case, name)


def _plainer(case: Case, name: str) -> Iterator[Case]:
    """All occurrences of one value in a column replaced by the plainest of its type."""
    for i, column in enumerate(case.tables[name].columns):
        plain = VALUES[column.type][0]
        rows = [*case.tables[name].rows]
        rows += [c.row for batch in case.batches for c in batch if c.table == name]
        for value in dict.fromkeys(row[i] for row in rows if row[i] != plain):

            def change(row: Row, i: int = i, value: object = value, plain: object = plain) -> Row:
                return (*row[:i], plain, *row[i + 1 :]) if row[i] == value else row

            yield _mapped(case, name, change)


def is_consistent(case: Case) -> bool:
    """Whether every removed row is there when it is removed."""
    if not case.batches or not all(case.batches):
        return False
    present = {name: list(table.rows) for name, table in case.tables.items()}
    if any(table not in case.tables for one in case.constraints.all for table in one.tables):
        return False
    if not case.breaks and not all_hold(case, present):
        return False
    for batch in case.batches:
        for change in batch:
            if change.weight > 0:
                present[change.table].append(change.row)
            elif change.row in present[change.table]:
                present[change.table].remove(change.row)
            else:
                return False
        if not case.breaks and not all_hold(case, present):
            return False
    return True


def _fewer_constraints(case: Case) -> Iterator[Case]:
    for one in case.constraints.all:
        yield replace(case, constraints=case.constraints.without([one]))


STEPS = (
    _fewer_constraints,
    _fewer_tables,
    _fewer_operators,
    _fewer_batches,
    _fewer_changes,
    _fewer_rows,
    _lighter_operators,
    _narrower_tables,
    _plainer_values,
)
