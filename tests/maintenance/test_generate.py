"""``d(G(Q)) = G(d(Q))``."""

from __future__ import annotations

from dataclasses import replace

from rollview.algebra.definition import ReasonCode
from rollview.algebra.expressions import AggregateCall, Call, column
from rollview.algebra.relations import Aggregate, Generate, NamedAggregate, Project
from tests.algebra.examples import EXAMPLES, ID, RICH
from tests.maintenance.people import ANN, BEN, hired, left, maintained, refresh

EXPLODED = EXAMPLES["generate"]


def test_every_item_of_a_changed_row_changes() -> None:
    assert refresh(EXPLODED, left(ANN)).delta == {(1, 1): -1, (1, 100): -1}


def test_items_that_stay_are_no_change() -> None:
    raised = (1, "ann", "a", 101)
    assert refresh(EXPLODED, left(ANN), hired(raised)).delta == {(1, 100): -1, (1, 101): 1}


def test_outer_keeps_rows_without_items() -> None:
    assert isinstance(EXPLODED, Project)
    assert isinstance(EXPLODED.child, Generate)
    generator = EXPLODED.child.generator
    rich_only = Call("CaseWhen", ("CASE WHEN ", " THEN ", " END"), (RICH, *generator.args), "")
    outer = replace(EXPLODED.child, generator=replace(generator, args=(rich_only,)), outer=True)
    done = refresh(replace(EXPLODED, child=outer), left(ANN, BEN))
    assert done.delta == {(1, 1): -1, (1, 100): -1, (2, None): -1}


def test_keys_that_the_generator_makes_lead_to_no_row() -> None:
    latest = AggregateCall("Max", ("max(", ")"), (ID,), "INT")
    view = Aggregate(EXPLODED, (column("item", "INT"),), (NamedAggregate("latest", latest),))
    kept, later = maintained(view), (6, "fay", "c", 100)
    grown = kept.refresh(tuple(hired(later)))
    assert not grown.reasons
    assert not grown.program.reasons
    lost = kept.refresh(tuple(left(later)))
    assert [reason.code for reason in lost.reasons] == [ReasonCode.KEY_NOT_AT_HAND]
    assert lost.program.at_times == lost.reasons
