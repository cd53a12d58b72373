"""docs/relevance.md: its example is what the code does, and the tests that it names are there."""

from __future__ import annotations

import re

from rollview.algebra.expressions import ColumnRef, Literal, binary
from rollview.algebra.printer import show
from rollview.algebra.relations import Filter, Join, JoinKind, Named, Project, Scan
from rollview.algebra.schema import Column
from rollview.analysis.relevance.changes import relevance
from rollview.analysis.relevance.formulas import MOST
from rollview.maintenance.prepare import prepare
from rollview.maintenance.relevant import relevant_changes
from tests.docs.pages import DOCS, ROOT
from tests.maintenance.people import connection
from tests.properties.cases import Case, Change, Table
from tests.properties.maintained import Maintained

PAGE = (DOCS / "relevance.md").read_text("utf-8")
ORDERS = Scan(
    "orders",
    ("id", "customer", "amount"),
    tuple(Column(name, "INT") for name in ("order", "customer", "amount")),
)
CUSTOMERS = Scan("customers", ("id", "name"), (Column("id", "INT"), Column("name", "STRING")))
AMOUNT, CUSTOMER, ID = (ColumnRef(name, "INT") for name in ("amount", "customer", "id"))
SOLD = Project(
    Filter(
        Join(
            JoinKind.INNER, ORDERS, CUSTOMERS, binary("EqualTo", "=", CUSTOMER, ID, "BOOLEAN")
        ),
        binary(
            "And",
            "AND",
            binary("GreaterThan", ">", AMOUNT, Literal("50", "INT"), "BOOLEAN"),
            binary("LessThan", "<", ID, Literal("100", "INT"), "BOOLEAN"),
            "BOOLEAN",
        ),
    ),
    (Named("sold", ColumnRef("order", "INT")), Named("to", ColumnRef("name", "STRING"))),
)  # fmt: skip


def test_the_predicates_of_the_example() -> None:
    found = relevant_changes(prepare(SOLD)).predicates
    for scan in (ORDERS, CUSTOMERS):
        assert f"| `{scan.source}` | `{show(found[scan])}` |" in PAGE


def test_the_rows_of_the_example() -> None:
    rows = re.findall(r"^\| (\d+) \| (\d+) \| (\d+) \| (\w+)", PAGE, re.MULTILINE)
    assert len(rows) == 3
    tables = {
        "orders": Table(tuple(Column(f, "INT") for f in ORDERS.fields), ()),
        "customers": Table(CUSTOMERS.columns, ((7, "Ann"), (400, "Ben"))),
    }
    view = Maintained(Case(tables, SOLD, ()), connection())
    batch = tuple(Change("orders", tuple(map(int, row[:3])), 1) for row in rows)
    done = view.refresh(batch)
    assert done.irrelevant == sum(row[3] == "irrelevant" for row in rows) == 2
    assert done.delta == {(1, "Ann"): 1}


def test_the_tests_that_are_named_are_there() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)`", PAGE)
    assert len(named) >= 8
    assert all((ROOT / name).is_file() for name in named)
    assert all((ROOT / "src/rollview" / n).is_file() for n in re.findall(r"`(analysis/\S+)`", PAGE))


def test_numbers_of_the_page() -> None:
    assert f"up to {MOST} conjunctions" in PAGE
    assert not relevance(ORDERS).predicates
