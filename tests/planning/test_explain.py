"""EXPLAIN tells, for every operator of a definition, what the rules say of it."""

from __future__ import annotations

import json
from random import Random

import pytest

from rollview.algebra.definition import Reason, ReasonCode
from rollview.algebra.printer import print_tree
from rollview.algebra.relations import (
    Filter,
    Join,
    JoinKind,
    Recursion,
    Relation,
    Scan,
    Sort,
    Union,
)
from rollview.algebra.traverse import inputs, walk
from rollview.maintenance.program import RuleName
from rollview.maintenance.strategies import choose
from rollview.planning.explain import explain
from rollview.planning.explanation import Explanation, Operator
from rollview.planning.verdict import judge
from rollview.sql.program import render_program
from tests.algebra.examples import DEFINITIONS, EXAMPLES, PEOPLE, RICH, SAME_TEAM, TEAMS, join
from tests.docs.test_limits import ALWAYS, AT_TIMES
from tests.planning.views import definition_of, explained
from tests.properties.cases import random_case
from tests.properties.seed import SEED


def operator(told: Explanation, kind: str) -> Operator:
    """The only operator of its kind."""
    (found,) = [one for one in told.operators if one.kind == kind]
    return found


@pytest.mark.parametrize("name", DEFINITIONS)
def test_the_tree_is_that_of_the_definition(name: str) -> None:
    lines = ["  " * one.depth + one.text for one in explained(DEFINITIONS[name]).operators]
    assert "\n".join(lines) == print_tree(DEFINITIONS[name])


def assert_all_are_told(relation: Relation) -> None:
    """What changes has a rule, what does not is constant; no reason is lost, or without a hint."""
    told = explained(relation)
    for one, (node, outside) in zip(told.operators, _nodes(relation), strict=True):
        assert one.rule in list(RuleName)
        changes = any(isinstance(below, Scan) for below in walk(node))
        assert not outside or (one.rule == RuleName.CONSTANT) is not changes
    of_operators = {reason for one in told.operators for reason in (*one.reasons, *one.at_times)}
    assert of_operators == {*told.reasons, *told.at_times}
    assert all(reason.hint for reason in of_operators)


def _nodes(relation: Relation, outside: bool = True) -> list[tuple[Relation, bool]]:
    """All operators, parents first, and whether each is outside of recursion."""
    below = outside and not isinstance(relation, Recursion)
    return [(relation, outside)] + [n for child in inputs(relation) for n in _nodes(child, below)]


@pytest.mark.parametrize("name", DEFINITIONS)
def test_every_operator_is_told_of(name: str) -> None:
    assert_all_are_told(DEFINITIONS[name])


@pytest.mark.parametrize("case", [*ALWAYS, *AT_TIMES])
def test_what_falls_back_is_told_of(case: str) -> None:
    assert_all_are_told({**ALWAYS, **AT_TIMES}[case])


def test_every_operator_of_generated_views_is_told_of() -> None:
    for number in range(300):
        assert_all_are_told(random_case(Random(f"{SEED}-{number}")).relation)


def test_counts_are_told_in_the_words_of_the_operator() -> None:
    distinct = operator(explained(EXAMPLES["distinct"]), "Distinct")
    assert distinct.rule == RuleName.GROUPS
    assert distinct.state == ("aggregate_1: how often each different row occurs",)
    both = operator(explained(EXAMPLES["except_all"]), "SetOperation")
    assert both.state == ("aggregate_1: how often each different row occurs on either side",)


def test_reads_keeps_and_reasons_of_an_operator() -> None:
    told = explained(EXAMPLES["window_global"])
    window = operator(told, "Window")
    assert window.rule == RuleName.RECOMPUTE
    assert window.reads == ("state",)
    assert window.state == ("window_1: its rows",)
    assert window.reasons == told.reasons
    assert window.reasons[0].hint


def test_what_happens_at_times_is_told_apart() -> None:
    top = operator(explained(EXAMPLES["top_k"]), "TopK")
    assert not top.reasons
    assert [reason.code for reason in top.at_times] == [ReasonCode.NO_KEY]


def test_a_reason_of_an_outer_join_is_told_of_that_join() -> None:
    view = Join(JoinKind.LEFT, PEOPLE, TEAMS, RICH)
    told = explained(view)
    assert told.mode == "partial"
    assert operator(told, "Join").reasons == told.reasons


def test_equal_operators_are_told_alike() -> None:
    counted = EXAMPLES["aggregate"]
    told = explained(Union((counted, counted), counted.columns))
    one, two = (o for o in told.operators if o.kind == "Aggregate")
    assert one == two
    assert one.state


def test_a_definition_that_is_recomputed() -> None:
    clock = Reason(ReasonCode.TIME_DEPENDENT, "now()", "now() makes it depend on the clock", "why")
    definition = definition_of(Filter(PEOPLE, RICH), clock)
    told = explain(definition, judge(definition, "auto"), "SELECT 1")
    assert [one.rule for one in told.operators] == ["recompute", "recompute"]
    assert str(told).splitlines()[-2:] == [
        "[TIME_DEPENDENT] now() makes it depend on the clock",
        "hint: why",
    ]
    (only,) = told.candidates
    assert (only.strategy, only.chosen) == ("recompute", True)


def test_both_ways_are_candidates() -> None:
    one, two = explained(PEOPLE).candidates
    assert (one.mode, one.strategy, one.chosen) == ("incremental", "counting", True)
    assert (two.mode, two.strategy, two.chosen) == ("full", "recompute", False)


def test_what_is_not_algebra_has_no_operators() -> None:
    problem = Reason(ReasonCode.NOT_UNDERSTOOD, "f(x)", "f(x) has no form in the algebra")
    definition = definition_of(None, problem)
    told = explain(definition, judge(definition, "auto"), "SELECT 1")
    assert not told.operators
    assert "kept as Spark's own plan" in str(told)


def test_it_prints_as_a_tree() -> None:
    view = Filter(join(JoinKind.ANTI), RICH)
    assert (
        str(explained(view))
        == """\
refresh: incremental (counting), policy auto
sources: lake.people, lake.teams

linear   Filter (pay > 50)
matches    Join anti on (team = code)
             reads before and after of teams under code
                   before of people under team
changes      Scan people [id, name, team, pay]
               where (pay >= 51)
changes      Scan teams [code, title]
               where (code IS NOT NULL)"""
    )


def test_what_is_relevant_of_a_table_is_told_of_its_scan() -> None:
    told = explained(Filter(join(JoinKind.LEFT), RICH))
    data = {one["text"].split()[1]: one["relevant"] for one in told.to_dict()["operators"]}
    assert data == {
        "(pay": None,
        "left": None,
        "people": "(pay >= 51)",
        "teams": "(code IS NOT NULL)",
    }
    everything = operator(explained(PEOPLE), "Scan")
    assert everything.relevant is None


def test_reasons_stand_below_their_operator_and_shared_hints_once() -> None:
    assert (
        str(explained(EXAMPLES["join_cross"]))
        == """\
refresh: partial (counting), policy auto
sources: lake.people, lake.teams

telescoped  Join cross
              reads after of teams, whole
                    before of people, whole
              [NO_KEY] no equality leads to teams, which is read whole
              [NO_KEY] no equality leads to people, which is read whole
              hint: compare columns of both inputs by =, if the question allows it
changes       Scan people [id, name, team, pay]
changes       Scan teams [code, title]"""
    )


@pytest.mark.parametrize("name", DEFINITIONS)
def test_it_is_plain_data(name: str) -> None:
    told = explained(DEFINITIONS[name])
    data = json.loads(json.dumps(told.to_dict()))
    assert data["mode"] == told.mode
    assert [one["rule"] for one in data["operators"]] == [one.rule for one in told.operators]
    assert [one["code"] for one in data["reasons"]] == [one.code for one in told.reasons]


def by_change_table(relation: Relation) -> Explanation:
    definition = definition_of(relation)
    verdict = judge(definition, "auto", choose("change_table"))
    assert verdict.program is not None
    assert verdict.prepared is not None
    return explain(definition, verdict, render_program(verdict.program, verdict.prepared))


def test_change_tables_are_told_from_the_conversion_point_up() -> None:
    told = by_change_table(Sort(EXAMPLES["aggregate"], ()))
    assert [one.rule for one in told.operators] == ["propagated", "conversion", "changes"]
    assert operator(told, "Sort").reads == ("state under team",)
    assert operator(told, "Sort").state == ("extent_1: its rows and their causes",)
    assert told.sql.count("MERGE INTO state_extent_1 AS kept") == 1


def test_a_product_of_change_tables_tells_what_it_reads() -> None:
    told = by_change_table(Join(JoinKind.INNER, EXAMPLES["aggregate"], TEAMS, SAME_TEAM))
    assert told.mode == "incremental"
    (top, *_) = told.operators
    assert top.rule == "propagated"
    assert any("teams under code" in read for read in top.reads), top.reads


def test_a_product_without_an_equality_has_a_reason() -> None:
    told = by_change_table(Join(JoinKind.CROSS, EXAMPLES["aggregate"], TEAMS))
    assert told.mode == "partial"
    assert {reason.code for reason in told.reasons} == {ReasonCode.NO_KEY}
    assert told.operators[0].reasons == told.reasons
