"""Failing cases are made small, and stay cases that can be run."""

from __future__ import annotations

from rollview.algebra.relations import Aggregate, Scan, Window
from rollview.algebra.traverse import walk
from tests.properties.cases import Case
from tests.properties.duckdb_engine import connect
from tests.properties.laws import check
from tests.properties.run import numbered_case
from tests.properties.show import shown
from tests.properties.shrink import is_consistent, shrink
from tests.properties.simpler import is_well_formed


def grouped_window(case: Case) -> str | None:
    """A made-up failure: an aggregate above a window, and a row that goes from its table."""
    above = any(
        isinstance(node, Aggregate) and any(isinstance(below, Window) for below in walk(node.child))
        for node in walk(case.relation)
    )
    read = {node.source for node in walk(case.relation) if isinstance(node, Scan)}
    goes = any(c.weight < 0 and c.table in read for batch in case.batches for c in batch)
    return "found" if above and goes else None


def first_failing() -> Case:
    cases = (numbered_case(4, number) for number in range(1000))
    return next(c for c in cases if grouped_window(c) and len(list(walk(c.relation))) > 8)


def test_only_what_is_needed_is_left() -> None:
    small = shrink(first_failing(), grouped_window)
    assert [type(node) for node in walk(small.relation)] == [Aggregate, Window, Scan]
    assert len(small.tables) == 1
    rows = sum(len(table.rows) for table in small.tables.values())
    assert rows + sum(len(batch) for batch in small.batches) == 2


def test_what_is_left_can_be_run() -> None:
    small = shrink(first_failing(), grouped_window)
    assert is_consistent(small)
    assert is_well_formed(small.relation)
    check(small, connect())


def test_what_is_printed_is_python() -> None:
    last = shown(shrink(first_failing(), grouped_window)).splitlines()[-1]
    assert last.startswith("check(Case(")
    compile(last, "case", "eval")
