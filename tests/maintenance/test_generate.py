"""``d(G(Q)) = G(d(Q))``."""

from __future__ import annotations

from dataclasses import replace

from rollview.algebra.expressions import Call
from rollview.algebra.relations import Generate, Project
from tests.algebra.examples import EXAMPLES, RICH
from tests.maintenance.people import ANN, BEN, hired, left, refresh

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
