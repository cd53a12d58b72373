"""The control state: what it says, and that its text says the same."""

from __future__ import annotations

import pytest

from rollview.errors import DefinitionCorrupt
from rollview.rolling.control import (
    Control,
    Listed,
    Round,
    Target,
    Todo,
    beginning,
    from_text,
    to_text,
)
from rollview.rolling.query import AsOf, Correction, Present, Query, Stamp, Window

TODO = Todo(
    Query((Window(1, 4), AsOf(2, 3), Present(), Correction(1, 2, 5)), -1, Stamp.MAXIMUM),
    (Target(1, 4), Target(2, 3), Target(2, 2), Target(1, 2)),
)
CONTROL = Control(
    number=7,
    forward=(9, 4, 6, 6),
    lists=((Listed(2, 5, (5, 6, 6, 6)), Listed(5, 9, (9, 9, 9, 9))), (), (), ()),
    memory=(1, 2, 3, 4),
    pending=(TODO, Todo(Query((Window(4, 6), Present(), Present(), Present())))),
    round=Round((9, 6, 6, 6), 1, (7, 6, 7, 7), 12),
)


def test_marks() -> None:
    assert CONTROL.compensated == (2, 4, 6, 6)
    assert CONTROL.high_water_mark == 2
    assert beginning(3, 5, (0,)).high_water_mark == 5


@pytest.mark.parametrize("control", [CONTROL, beginning(2, 0, (1, 1))])
def test_text_there_and_back(control: Control) -> None:
    assert from_text(to_text(control)) == control


@pytest.mark.parametrize("text", ["", "{}", '{"lists": 3}', to_text(CONTROL).replace("as_of", "x")])
def test_a_text_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(DefinitionCorrupt, match="a control state cannot be read"):
        from_text(text)


def test_queries_are_written_as_in_the_paper() -> None:
    assert str(TODO.query) == "- R1(1,4] R2@2+(2,3] R3 R4[+(1,2] -(1,5]]"
    assert str(Query((AsOf(2, 2), Window(0, 1)))) == "+ R1@2 R2(0,1]"
