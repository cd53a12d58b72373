"""What a refresh and EXPLAIN go by: can changes be carried through, and by which program."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rollview.algebra.definition import Reason, ReasonCode
from rollview.algebra.expressions import AggregateCall
from rollview.algebra.relations import Aggregate, NamedAggregate
from rollview.maintenance.counting import RULES
from rollview.maintenance.strategies import STRATEGIES, choose
from rollview.maintenance.strategy import Strategy
from rollview.planning.explain import explain
from rollview.planning.verdict import changing, judge, maintained, obstacles
from tests.algebra.examples import EXAMPLES, PAY, PEOPLE, TEAM
from tests.planning.views import definition_of

FULL_ONLY = ("NON_DETERMINISTIC", "TIME_DEPENDENT", "UNVERSIONED_SOURCE", "NOT_UNDERSTOOD")


def reason(code: str) -> Reason:
    return Reason(ReasonCode(code), "piece", "message")


@pytest.mark.parametrize("code", FULL_ONLY)
def test_some_definitions_can_only_be_recomputed(code: str) -> None:
    definition = definition_of(PEOPLE, reason(code))
    assert obstacles(definition) == (reason(code),)
    assert maintained(definition) is None
    found = judge(definition, "auto")
    assert (found.mode, found.strategy, found.reasons) == ("full", "recompute", (reason(code),))
    assert found.program is None


def test_what_is_not_algebra_can_only_be_recomputed() -> None:
    assert maintained(definition_of(None, reason("NOT_UNDERSTOOD"))) is None


def test_all_others_are_maintained() -> None:
    found = judge(definition_of(PEOPLE), "auto")
    assert (found.mode, found.strategy, found.reasons) == ("incremental", "counting", ())
    assert found.program is not None


def test_a_subtree_that_is_recomputed_makes_it_partial() -> None:
    found = judge(definition_of(EXAMPLES["window_global"]), "auto")
    assert (found.mode, found.strategy) == ("partial", "counting")
    assert [reason.code for reason in found.reasons] == [ReasonCode.NO_KEY]


def test_what_happens_at_times_does_not_make_it_partial() -> None:
    found = judge(definition_of(EXAMPLES["top_k"]), "auto")
    assert (found.mode, found.reasons) == ("incremental", ())
    assert [reason.code for reason in found.at_times] == [ReasonCode.NO_KEY]


@pytest.mark.parametrize("policy", ["auto", "incremental", "strict"])
def test_these_policies_maintain(policy: str) -> None:
    assert judge(definition_of(PEOPLE), policy).mode == "incremental"


def test_policy_full_recomputes() -> None:
    found = judge(definition_of(PEOPLE), "full")
    assert (found.mode, found.strategy, found.reasons) == ("full", "recompute", ())


def test_a_time_travelled_table_never_changes() -> None:
    definition = definition_of(EXAMPLES["join_inner"], pinned=("teams",))
    assert changing(definition) == ("people",)
    found = judge(definition, "auto")
    assert found.program is not None
    assert len(found.program.steps) == 1


def test_statistics_of_old_are_evaluated_anew() -> None:
    """A sample of one value is NaN there, which sums do not tell from NULL."""
    call = AggregateCall("VarianceSamp", ("var_samp(", ")"), (PAY,), "DOUBLE")
    view = Aggregate(PEOPLE, (TEAM,), (NamedAggregate("spread", call),))
    definition = definition_of(view)
    now = maintained(definition)
    old = (("spark.sql.legacy.statisticalAggregate", "true"),)
    then = maintained(replace(definition, settings=old))
    assert now is not None
    assert then is not None
    assert now.relation != view
    assert then.relation == view


def test_a_strategy_out_of_whose_reach_a_view_is_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    why = Reason(ReasonCode.NOT_APPLICABLE, "Scan", "the condition of the paper fails")
    shy = Strategy("shy", RULES, {"form": ("one", "two")}, beyond=lambda _relation, _choice: (why,))
    monkeypatch.setitem(STRATEGIES, "shy", shy)
    definition = definition_of(PEOPLE)
    found = judge(definition, "auto", choose("shy"))
    assert (found.mode, found.strategy, found.reasons) == ("full", "recompute", (why,))
    assert obstacles(definition, choose("shy")) == (why,)
    assert obstacles(definition) == ()


def test_explain_names_the_strategy_and_its_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STRATEGIES, "shy", Strategy("shy", RULES, {"form": ("one", "two")}))
    definition = definition_of(PEOPLE)
    told = explain(definition, judge(definition, "auto", choose("shy", form="two")), "")
    assert (told.strategy, told.to_dict()["options"]) == ("shy", {"form": "two"})
    assert str(told).startswith("refresh: incremental (shy, form two), policy auto")
