"""Every way to refresh has an estimate, and the cheapest that the policy allows is taken."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from rollview.algebra.relations import Relation
from rollview.planning.candidates import (
    Estimate,
    Question,
    cheapest,
    choose,
    estimates,
    programs,
    whole,
)
from rollview.planning.cost import DEFAULTS, Constants, Way, Work
from rollview.planning.explain import explain
from rollview.planning.overrides import Overrides
from rollview.planning.past import Observation, past_of
from rollview.planning.statistics import ChangeSize, Size, Statistics
from rollview.planning.verdict import judge, maintained
from rollview.planning.work import apply, ways
from tests.algebra.examples import DEFINITIONS, EXAMPLES
from tests.planning.views import definition_of
from tests.properties.cases import random_case
from tests.properties.seed import SEED

AUTO = Overrides()
VIEW = EXAMPLES["aggregate"]
INNER = EXAMPLES["join_inner"]


def question(
    relation: Relation,
    rows: int = 50_000_000,
    change: ChangeSize | None = None,
    constants: Constants = DEFAULTS,
) -> Question:
    """A view over so many people, of whom some have changed; a tenth as many rows everywhere."""
    prepared = maintained(definition_of(relation))
    assert prepared is not None
    tables = {"people": Size(rows, 40 * rows, 8), "teams": Size(max(1, rows // 100))}
    states = {kept.name: Size(rows // 10) for kept in prepared.kept}
    changes = {"people": change or ChangeSize(500, 500, 40_000)}
    statistics = Statistics(tables, changes, states, Size(rows // 10, 4 * rows, 8))
    return Question(relation, prepared, statistics, constants)


def told(asked: Question) -> tuple[Estimate, ...]:
    assert asked.prepared is not None
    return estimates(asked, programs(asked.prepared, tuple(asked.statistics.changes)))


def chosen(asked: Question, policy: str = "auto", wanted: Overrides = AUTO) -> Estimate:
    return choose(told(asked), policy, wanted)


def test_strategies_and_ways_to_apply_are_candidates() -> None:
    found = {(one.strategy, one.way.value) for one in told(question(VIEW))}
    assert found == {
        ("counting", "merge"),
        ("counting", "rewrite"),
        ("key-scoped", "merge"),
        ("key-scoped", "rewrite"),
        ("recompute", "replace"),
    }
    assert {one.strategy for one in told(question(INNER))} == {"counting", "recompute"}


def test_rows_that_only_come_are_appended() -> None:
    only = ChangeSize(500, 0, 40_000)
    ways_of = [one.way for one in told(question(INNER, change=only)) if not one.is_whole]
    assert ways_of == [Way.APPEND]
    # A group that gets a row is another row of the view.
    grouped = [one.way for one in told(question(VIEW, change=only)) if not one.is_whole]
    assert Way.APPEND not in grouped


def test_little_changed_in_much_is_derived_and_much_or_little_of_little_recomputed() -> None:
    for view in (VIEW, INNER):
        assert not chosen(question(view)).is_whole
        assert chosen(question(view, change=ChangeSize(4 * 10**7, 4 * 10**7, 10**9))).is_whole
        assert chosen(question(view, rows=1_000, change=ChangeSize(5, 5, 300))).is_whole


def test_more_changes_never_cost_less() -> None:
    sizes = [ChangeSize(n, n, 80 * n) for n in (0, 10, 1_000, 100_000, 10_000_000)]
    for view, strategies in ((VIEW, ("counting", "key-scoped")), (INNER, ("counting",))):
        for strategy in strategies:
            costs = [
                min(o.seconds for o in told(question(view, change=c)) if o.strategy == strategy)
                for c in sizes
            ]
            assert costs == sorted(costs)


def test_only_auto_lets_time_speak_for_recomputing() -> None:
    small = question(VIEW, rows=1_000, change=ChangeSize(5, 5, 300))
    assert chosen(small, "auto").is_whole
    for policy in ("incremental", "strict"):
        assert not chosen(small, policy).is_whole
    alone = (whole(small),)
    assert choose(alone, "strict", AUTO).is_whole  # that it is not allowed is told elsewhere


def test_what_is_asked_for_is_taken_where_it_can_be() -> None:
    asked = question(VIEW)
    for strategy, way in (("key-scoped", Way.MERGE), ("counting", Way.REWRITE)):
        found = chosen(asked, wanted=Overrides(strategy=strategy, way=way))
        assert (found.strategy, found.way) == (strategy, way)
    assert chosen(asked, wanted=Overrides(strategy="recompute")).is_whole
    for policy in ("incremental", "strict"):
        assert not chosen(asked, policy, Overrides(strategy="recompute")).is_whole
    assert chosen(question(INNER), wanted=Overrides(strategy="key-scoped")).strategy == "counting"
    assert chosen(asked, wanted=Overrides(way=Way.APPEND)) == chosen(asked)


def test_the_past_of_a_view_decides_where_the_model_is_wrong() -> None:
    asked = question(VIEW)
    assert chosen(asked).strategy == "counting"
    slow = Observation("derive by counting", 1.0, 1_000.0, 0)
    other = chosen(replace(asked, past=past_of([slow])))
    assert other.strategy != "counting"
    fast = [slow, Observation("recompute", 100.0, 0.1, 1)]
    assert chosen(replace(asked, past=past_of(fast))).is_whole
    # What was slow long ago is tried again.
    old = past_of([replace(slow, age=400)])
    assert chosen(replace(asked, past=old)).strategy == "counting"


def test_changes_that_were_read_do_not_count_any_more() -> None:
    dear = replace(DEFAULTS, change_byte=1.0)
    asked = question(VIEW, constants=dear)
    candidates = told(asked)
    assert choose(candidates, "auto", AUTO).is_whole
    assert not choose(candidates, "auto", AUTO, read=True).is_whole


def test_ways_to_apply() -> None:
    assert ways(Size(100), removes=False) == (Way.APPEND,)
    assert ways(Size(None), removes=True) == (Way.MERGE,)
    assert ways(Size(100), removes=True) == (Way.MERGE, Way.REWRITE)


@pytest.mark.parametrize(
    ("stored", "removed", "way"),
    [
        (Size(1_000, files=1), 10, Way.REWRITE),
        (Size(100_000, files=2), 10, Way.REWRITE),
        (Size(10_000_000, files=200), 10, Way.MERGE),
        (Size(10_000_000, files=200), 5_000_000, Way.REWRITE),
    ],
)
def test_small_views_and_large_changes_are_written_anew(
    stored: Size, removed: int, way: Way
) -> None:
    asked = replace(question(VIEW), statistics=Statistics(view=stored))
    assert cheapest(asked, removed, removed, AUTO) is way
    assert cheapest(asked, removed, 0, AUTO) is Way.APPEND
    other = Way.MERGE if way is Way.REWRITE else Way.REWRITE
    assert cheapest(asked, removed, removed, Overrides(way=other)) is other
    assert cheapest(asked, removed, removed, Overrides(way=Way.APPEND)) is way


def test_a_merge_writes_the_files_that_it_touches() -> None:
    few = apply(Way.MERGE, Size(1_000_000, files=100), 1, 1)
    many = apply(Way.MERGE, Size(1_000_000, files=100), 100_000, 100_000)
    assert few.written == pytest.approx(10_001)
    assert many.written == pytest.approx(1_100_000)
    assert apply(Way.APPEND, Size(1_000_000), 5, 0) == Work(append=1, written=5)


@pytest.mark.parametrize("name", DEFINITIONS)
def test_every_definition_has_estimates(name: str) -> None:
    assert_estimated(DEFINITIONS[name])


def test_every_generated_view_has_estimates() -> None:
    for number in range(40):
        assert_estimated(random_case(Random(f"{SEED}-{number}")).relation)


def assert_estimated(relation: Relation) -> None:
    """Every candidate costs something, and EXPLAIN shows all, one of them chosen."""
    definition = definition_of(relation)
    verdict = judge(definition, "auto")
    prepared = maintained(definition)
    tables = {source.id: Size(10_000, 400_000, 2) for source in definition.sources}
    statistics = Statistics(tables, {name: ChangeSize(9, 9, 900) for name in tables})
    asked = Question(relation, prepared, statistics, DEFAULTS)
    by = {} if prepared is None else programs(prepared, tuple(tables))
    candidates = estimates(asked, by)
    assert all(0 < one.seconds < float("inf") for one in candidates)
    shown = explain(definition, verdict, "", candidates, choose(candidates, "auto", AUTO))
    assert len(shown.candidates) == len(candidates)
    assert [one.cost for one in shown.candidates if one.chosen] == [
        min(one.cost for one in shown.candidates if one.cost is not None)
    ]


def test_explain_prints_the_candidates_with_the_cheapest_first() -> None:
    asked = question(VIEW)
    candidates = told(asked)
    definition = definition_of(VIEW)
    picked = choose(candidates, "auto", AUTO)
    shown = explain(definition, judge(definition, "auto"), "", candidates, picked)
    lines = str(shown).splitlines()
    start = lines.index("candidates, by what a refresh is expected to take now:")
    listed = lines[start + 1 :]
    assert len(listed) == len(candidates)
    assert listed[0].startswith(f"* {picked.strategy}, {picked.way.value}")
    assert f"{picked.seconds:.2f} s" in listed[0]
    assert "derive by counting" in listed[0]
    (first, *_) = shown.to_dict()["candidates"]  # type: ignore[misc]
    assert set(first) == {"mode", "strategy", "apply", "cost", "pieces", "chosen"}
