"""Which steps are done without a statement."""

from __future__ import annotations

import pytest

from rollview.algebra.expressions import ColumnRef, Literal, binary, function
from rollview.algebra.relations import (
    After,
    Changes,
    Distinct,
    Filter,
    Join,
    JoinKind,
    Named,
    Project,
    Relation,
    Temporary,
    Union,
)
from rollview.algebra.schema import Column
from rollview.maintenance import signed
from rollview.runtime.at_hand import AtHand, at_hand

K = ColumnRef("k", "INT")


def held(type: str) -> Temporary:
    return Temporary("one", (Column("k", type), signed.WEIGHT_COLUMN))


HELD = held("INT")
LEAVES = {"temporary one": "t1", "temporary two": "t2", "changes s": "c", "after s": "a"}
ONE = ["project", ["table", 0], [["k", "k"], ["__weight", "__weight"]]]


def test_a_change_under_the_names_of_its_relation() -> None:
    changes = Changes("s", ("id", "__weight"), HELD.columns)
    items = [["k", "id"], ["__weight", "__weight"]]
    assert at_hand(changes, LEAVES) == AtHand(["project", ["table", 0], items], ("c",))


def test_a_table_is_named_once() -> None:
    two = Temporary("two", HELD.columns)
    found = at_hand(Union((HELD, two, HELD), HELD.columns), LEAVES)
    assert found is not None
    assert found.tables == ("t1", "t2")


def test_keys() -> None:
    found = at_hand(Distinct(signed.added(HELD)), LEAVES)
    picked = ["project", ["filter", ONE, [[">", "__weight", 0]]], [["k", "k"]]]
    assert found == AtHand(["distinct", picked], ("t1",))


def test_net() -> None:
    assert at_hand(signed.net(HELD), LEAVES) == AtHand(["net", ONE], ("t1",))


@pytest.mark.parametrize(
    "relation",
    [
        After("s", ("k",), (Column("k", "INT"),)),
        Join(JoinKind.CROSS, HELD, HELD, None),
        Project(HELD, (Named("l", function("abs", K, type="INT")),)),
        Project(HELD, (Named("l", Literal("'x'", "STRING")),)),
        Project(HELD, (Named("l", Literal("1", "INT")),)),
        Project(HELD, ()),
        Filter(HELD, binary("GreaterThan", ">", K, Literal("1", "INT"), "BOOLEAN")),
        Filter(HELD, binary("EqualTo", "=", signed.WEIGHT_REF, signed.PLUS, "BOOLEAN")),
        signed.net(Temporary("one", (Column("d", "DOUBLE"), signed.WEIGHT_COLUMN))),
        signed.net(
            Temporary("one", (Column("s", "STRING COLLATE UTF8_LCASE"), signed.WEIGHT_COLUMN))
        ),
    ],
)
def test_everything_else_takes_a_statement(relation: Relation) -> None:
    assert at_hand(relation, LEAVES) is None
