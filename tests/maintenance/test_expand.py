"""``d(E(Q)) = E(d(Q))``."""

from __future__ import annotations

from rollview.algebra.definition import ReasonCode
from rollview.algebra.expressions import AggregateCall, Literal, column
from rollview.algebra.relations import Aggregate, Expand, NamedAggregate
from tests.algebra.examples import EXAMPLES, PAY, PEOPLE, TEAM, schema
from tests.maintenance.people import CAT, DAN, left, refresh


def test_every_copy_of_a_changed_row_changes() -> None:
    assert refresh(EXAMPLES["expand"], left(CAT)).delta == {(3, "b"): -1, (3, None): -1}


def test_equal_copies_count_twice() -> None:
    assert refresh(EXAMPLES["expand"], left(DAN)).delta == {(4, None): -2}


def test_the_grand_total_is_evaluated_from_all_rows_and_that_is_said() -> None:
    nothing = Literal("CAST(NULL AS STRING)", "STRING", nullable=True)
    columns = schema(column("grouped", "STRING"), column("own", "INT"))
    rolled = Expand(PEOPLE, ((TEAM, PAY), (nothing, PAY)), columns)
    call = AggregateCall("Median", ("median(", ")"), (column("own", "INT"),), "DOUBLE")
    view = Aggregate(rolled, (column("grouped", "STRING"),), (NamedAggregate("mixed", call),))
    done = refresh(view, left(CAT, DAN))
    assert done.delta == {("b", 60.0): -1, (None, 60.0): -1, (None, 70.0): 1}
    assert [reason.code for reason in done.reasons] == [ReasonCode.KEY_NOT_AT_HAND]
    assert {blame.relation for blame in done.program.blames} == {rolled}
