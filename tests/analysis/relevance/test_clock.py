"""The clock lets rows go that were relevant before: conditions on it hold while it stands still."""

from __future__ import annotations

import datetime

import pytest

from rollview.algebra.expressions import Call, ColumnRef
from rollview.algebra.printer import show
from rollview.algebra.relations import Filter, Join, JoinKind, Relation, Scan
from rollview.algebra.schema import Column
from rollview.maintenance.clock import Clock
from rollview.maintenance.prepare import prepare
from rollview.maintenance.relevant import relevant_changes
from tests.analysis.relevance.views import compare
from tests.maintenance.people import connection
from tests.properties.cases import Case, Change, Table
from tests.properties.maintained import Maintained

DAY, OTHER = ColumnRef("day", "DATE"), ColumnRef("other", "DATE")
EVENTS = Scan("events", ("id", "day"), (Column("id", "INT"), Column("day", "DATE")))
NOTES = Scan("notes", ("day", "note"), (Column("other", "DATE"), Column("note", "INT")))
TODAY = Call("CurrentDate", ("current_date()",), (), "DATE", False)
NEW = Filter(EVENTS, compare(DAY, ">=", TODAY))
FIRST, LAST = datetime.date(2024, 1, 1), datetime.date(2024, 1, 5)
VIEWS = {
    "left": Join(JoinKind.INNER, NEW, NOTES, compare(DAY, "=", OTHER)),
    "right": Join(JoinKind.INNER, NOTES, NEW, compare(DAY, "=", OTHER)),
    "above": Filter(
        Join(JoinKind.INNER, NOTES, EVENTS, compare(DAY, "=", OTHER)), compare(DAY, ">=", TODAY)
    ),
    "semi": Join(JoinKind.SEMI, NOTES, NEW, compare(DAY, "=", OTHER)),
    "anti": Join(JoinKind.ANTI, NEW, NOTES, compare(DAY, "=", OTHER)),
    "outer": Join(JoinKind.LEFT, NEW, NOTES, compare(DAY, "=", OTHER)),
}


def reading(day: datetime.date) -> dict[str, str]:
    return {"CurrentDate": f"DATE '{day}'"}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("table", ["events", "notes"])
def test_what_leaves_by_the_clock_and_by_a_change_at_once(name: str, table: str) -> None:
    """Each of them alone would have taken it away; together nobody may leave it to the other."""
    tables = {
        "events": Table((Column("id", "INT"), Column("day", "DATE")), ((1, FIRST), (2, LAST))),
        "notes": Table((Column("day", "DATE"), Column("note", "INT")), ((FIRST, 10), (LAST, 20))),
    }
    view = Maintained(Case(tables, VIEWS[name], ()), connection(), reading(FIRST))
    gone = tables[table].rows[0]
    view.refresh((Change(table, gone, -1),), reading(LAST))
    view.refresh((Change(table, gone, 1),))


def told(view: Relation, clock: Clock) -> dict[str, str]:
    found = relevant_changes(prepare(view), clock).predicates
    return {scan.source: show(predicate) for scan, predicate in found.items()}


def test_conditions_on_the_clock_count_while_it_stands_still() -> None:
    still = Clock(reading(LAST), reading(LAST))
    assert told(VIEWS["left"], still) == {
        "events": "(day >= DATE '2024-01-05')",
        "notes": "(other >= DATE '2024-01-05')",
    }
    gone_on = Clock(reading(FIRST), reading(LAST))
    known = {"events": "(day IS NOT NULL)", "notes": "(other IS NOT NULL)"}
    assert told(VIEWS["left"], gone_on) == known
