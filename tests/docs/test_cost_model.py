"""docs/cost-model.md has every constant, strategy, way and setting, and no other."""

from __future__ import annotations

from dataclasses import fields

from rollview.planning.cost import Constants, Way
from rollview.planning.overrides import APPLY, STRATEGY
from rollview.planning.verdict import COUNTING, KEY_SCOPED, RECOMPUTE
from tests.docs.pages import DOCS, first_cells

PAGE = DOCS / "cost-model.md"


def test_every_constant_has_its_row_in_order() -> None:
    cells = first_cells(PAGE)
    names = [field.name for field in fields(Constants)]
    start = cells.index("statement")
    assert cells[start : start + len(names)] == names


def test_every_strategy_way_and_setting_has_its_row() -> None:
    cells = first_cells(PAGE)
    assert cells[: 3 + len(Way)] == [COUNTING, KEY_SCOPED, RECOMPUTE, *Way]
    assert {STRATEGY, APPLY} <= set(cells)
