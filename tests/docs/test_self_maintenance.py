"""The example of docs/self-maintenance.md is what EXPLAIN says of it."""

from __future__ import annotations

from rollview.algebra.expressions import Literal, binary, column
from rollview.algebra.relations import Filter, Join, JoinKind, Named, Project, Relation, Scan
from rollview.algebra.schema import Column
from rollview.analysis.constraints import Constraints, ForeignKey
from rollview.planning.self_maintenance import Facts, self_maintenance
from tests.docs.pages import DOCS

PAGE = DOCS / "self-maintenance.md"
DAY = column("day", "STRING")


def lines() -> Relation:
    """The view of the page."""
    orders = Scan("orders", ("id", "day"), (Column("o_id", "INT"), Column("day", "STRING")))
    fields = ("id", "order_id", "n")
    items = Scan("items", fields, tuple(Column(n, "INT") for n in ("i_id", "order_id", "n")))
    along = binary("EqualTo", "=", column("order_id", "INT"), column("o_id", "INT"), "BOOLEAN")
    monday = binary("EqualTo", "=", DAY, Literal("'mon'", "STRING"), "BOOLEAN")
    rows = Filter(Join(JoinKind.INNER, items, orders, along), monday)
    shown = (column("i_id", "INT"), column("n", "INT"), DAY)
    return Project(rows, tuple(Named(ref.name, ref) for ref in shown))


def test_the_example_is_what_is_said() -> None:
    declared = Constraints((ForeignKey("items", ("order_id",), "orders", ("id",)),))
    facts = {"orders": Facts(2, 2), "items": Facts(1, 3)}
    told = str(self_maintenance({"lines": lines()}, declared, facts))
    assert f"```text\n{told}\n```" in PAGE.read_text("utf-8")
