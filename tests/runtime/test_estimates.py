"""What is kept of an estimate, and what the next one makes of it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from rollview.maintenance.clock import CLOCK
from rollview.planning.candidates import Question
from rollview.planning.cost import DEFAULTS, Way
from rollview.planning.overrides import Overrides
from rollview.planning.past import past_of
from rollview.planning.statistics import ChangeSize, Size, Statistics
from rollview.planning.verdict import maintained
from rollview.runtime import estimates
from rollview.runtime.estimates import (
    Estimator,
    observations,
    pieces_of,
    state_sizes,
    why_whole,
)
from rollview.runtime.report import Mode, RefreshReport
from rollview.storage.vector import Segment
from tests.algebra.examples import EXAMPLES
from tests.planning.views import definition_of

VIEW = EXAMPLES["aggregate"]
STATISTICS = Statistics(
    {"people": Size(50_000_000, 10**9, 8)},
    {"people": ChangeSize(500, 500, 10**6)},
    view=Size(1_000, 10_000, 1),
)


@pytest.fixture(autouse=True)
def _nothing_was_done_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimates, "_done", set())


def estimator(policy: str = "auto", view_id: str = "v", **more: object) -> Estimator:
    prepared = maintained(definition_of(VIEW))
    question = Question(VIEW, prepared, STATISTICS, DEFAULTS)
    return replace(Estimator(question, policy, Overrides(), view_id, ("people",)), **more)


def refreshed(one: Estimator) -> RefreshReport:
    """One refresh that takes twice as long as the model says, but for the commit."""
    chosen, programs = one.after_reading({"people": 900})
    assert chosen.strategy in programs
    pieces = pieces_of(chosen)
    for name in ("changes", "derive"):
        one.took(pieces[name], 2 * pieces[name].model)
    one.committed(one.way(400, 400), 400, 400, 0.5)
    report = RefreshReport("v", Mode.INCREMENTAL, costs=one.record(), seconds={"total": 4.0})
    return RefreshReport(**{**json.loads(json.dumps(report.to_dict())), "mode": report.mode})


def test_the_choice_before_and_after_reading() -> None:
    one = estimator()
    first = one.first()
    assert not first.is_whole
    much, _ = one.after_reading({"people": 90_000_000})
    assert much.is_whole
    assert one.told  # what was expected is there to be told
    assert "deriving its change" in why_whole(much, one.told, read=True)
    same, _ = one.after_reading({"people": 900})
    assert not same.is_whole
    for policy in ("incremental", "strict"):
        assert not estimator(policy).after_reading({"people": 90_000_000})[0].is_whole


def test_sources_without_changed_rows_are_left_out() -> None:
    one = estimator()
    _, programs = one.after_reading({"people": 0})
    assert programs["counting"].delta is None
    ticking = replace(one, changed=("people", CLOCK))
    _, programs = ticking.after_reading({"people": 3})
    assert programs["counting"].delta is not None


def test_what_was_expected_and_what_it_took_is_kept() -> None:
    report = refreshed(estimator())
    assert report.costs is not None
    names = [one["piece"] for one in report.costs["pieces"]]
    assert names == ["changes", "derive by counting", "apply by rewrite"]
    assert all(one["work"] and one["first"] for one in report.costs["pieces"])
    assert report.costs["pieces"][2]["took"] == 0.5
    assert {one["strategy"] for one in report.costs["candidates"]} == {
        "counting",
        "key-scoped",
        "recompute",
    }
    assert report.costs["expected"] > 0


def test_the_next_estimate_goes_by_it() -> None:
    report = refreshed(estimator())
    past = past_of(observations([report]))
    factor = past.factor("derive by counting", replace(DEFAULTS, first=1.0))
    assert factor == pytest.approx(2.0, rel=0.01)
    assert past.factor("derive by key-scoped", DEFAULTS) == 1.0


def test_only_the_first_time_in_a_process_is_the_first() -> None:
    refreshed(estimator())
    again = refreshed(estimator())
    other = refreshed(estimator(view_id="w"))
    assert again.costs is not None
    assert other.costs is not None
    assert not any(one["first"] for one in again.costs["pieces"])
    assert all(one["first"] for one in other.costs["pieces"])


def test_side_by_side_each_has_its_share() -> None:
    report = refreshed(estimator())
    shared = replace(report, seconds={"total": 4.0, "share": 1.0})
    alone, beside = observations([report]), observations([shared])
    assert [b.seconds for b in beside] == pytest.approx([a.seconds / 4 for a in alone])


def test_reports_without_costs_say_nothing() -> None:
    old = RefreshReport("v", Mode.FULL, seconds={"total": 2.0})
    newer = refreshed(estimator())
    assert observations([old]) == []
    assert {one.age for one in observations([old, newer])} == {1}


def test_a_forced_way_is_taken_if_it_can_be() -> None:
    forced = estimator(wanted=Overrides(way=Way.MERGE))
    assert forced.way(3, 3) is Way.MERGE
    assert forced.way(3, 0) is Way.APPEND
    assert estimator().way(3, 3) is Way.REWRITE


def test_the_whole_view_is_one_piece() -> None:
    one = estimator()
    (piece,) = pieces_of(one.whole()).values()
    one.took(piece, 3.0)
    assert [(p["piece"], p["took"]) for p in one.record()["pieces"]] == [("recompute", 3.0)]


def test_the_size_of_a_state_is_that_of_its_segments() -> None:
    base, delta = Segment("a", 100, False, 1_000), Segment("b", 7, True, 50)
    found = state_sizes({"x": (base, delta), "y": (delta,)})
    assert found == {"x": Size(100, 1_050, 2), "y": Size(7, 50, 1)}
