"""The model is linear: amounts times constants, which a session can set."""

from __future__ import annotations

from dataclasses import fields

import pytest

from rollview.errors import BadOption
from rollview.planning.cost import DEFAULTS, Constants, Work
from rollview.planning.overrides import APPLY, STRATEGY, Overrides, overrides


def test_every_amount_has_a_constant() -> None:
    assert {field.name for field in fields(Work)} <= {field.name for field in fields(Constants)}


@pytest.mark.parametrize("name", [field.name for field in fields(Work)])
def test_each_constant_is_the_price_of_its_work(name: str) -> None:
    assert DEFAULTS.seconds(Work(**{name: 3.0})) == pytest.approx(3 * getattr(DEFAULTS, name))
    assert getattr(DEFAULTS, name) > 0


def test_work_adds_up() -> None:
    both = Work(statement=1, row=5) + Work(row=7, merge=1)
    assert both == Work(statement=1, row=12, merge=1)
    assert DEFAULTS.seconds(both) == pytest.approx(
        DEFAULTS.seconds(Work(statement=1, row=5)) + DEFAULTS.seconds(Work(row=7, merge=1))
    )
    assert both.to_dict() == {"statement": 1, "row": 12, "merge": 1}


def test_a_session_sets_constants_and_ways() -> None:
    said = {"spark.rollview.cost.merge": "7.5", "spark.sql.x": "1", STRATEGY: "key-scoped"}
    found = overrides({**said, APPLY: "auto"})
    assert (found.constants.merge, found.strategy, found.way) == (7.5, "key-scoped", None)
    assert found.constants.append == DEFAULTS.append
    assert overrides({}) == Overrides()


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("spark.rollview.cost.mergers", "1", "no constant mergers"),
        ("spark.rollview.cost.merge", "much", "no number of 0 or more"),
        ("spark.rollview.cost.merge", "-1", "no number of 0 or more"),
        ("spark.rollview.cost.merge", "inf", "no number of 0 or more"),
        ("spark.rollview.cost.merge", "nan", "no number of 0 or more"),
        (STRATEGY, "guess", "no way to refresh"),
        (APPLY, "replace", "no way to refresh"),
    ],
)
def test_a_setting_that_says_nothing_is_refused(key: str, value: str, problem: str) -> None:
    with pytest.raises(BadOption, match=problem):
        overrides({key: value})
