"""docs/limits.md has a row for every reason that EXPLAIN can give, and for no other."""

from __future__ import annotations

import pytest

from rollview.algebra.definition import ReasonCode
from rollview.planning.explain import explain
from tests.algebra.examples import EXAMPLES
from tests.algebra.test_codec import definition_of
from tests.docs.pages import DOCS, first_cells

PAGE = DOCS / "limits.md"


def test_every_reason_has_its_row_and_no_row_an_unknown_reason() -> None:
    listed = [cell for cell in first_cells(PAGE) if cell.isupper()]
    assert len(set(listed)) == len(listed), "a reason is listed twice"
    assert set(listed) == {code.value for code in ReasonCode}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_operator_is_recomputed_as_the_page_says(name: str) -> None:
    told = explain(definition_of(EXAMPLES[name]), "auto", "")
    assert told.mode == "full"
    assert told.reasons[-1].code is ReasonCode.NO_RULE
    assert all(operator.reasons == (ReasonCode.NO_RULE,) for operator in told.operators)
