"""The registry of strategies: what can be asked for, and what a wrong wish is told."""

from __future__ import annotations

import pytest

from rollview.algebra.relations import Relation
from rollview.errors import BadOption
from rollview.maintenance.choice import ANY
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.prepare import prepare
from rollview.maintenance.strategies import (
    DEFAULT,
    STRATEGIES,
    beyond,
    choose,
    prepared,
    strategy_of,
)
from tests.algebra.examples import DEFINITIONS, EXAMPLES, PEOPLE
from tests.docs.pages import DOCS
from tests.properties.ways import WAYS


def test_nothing_asked_for_is_the_default_without_options() -> None:
    assert choose() == choose("auto") == ANY
    assert strategy_of(ANY) is STRATEGIES[DEFAULT]
    assert prepared(PEOPLE, ANY) == prepare(PEOPLE)


def test_a_strategy_has_all_its_options() -> None:
    for name, strategy in STRATEGIES.items():
        defaults = tuple((option, values[0]) for option, values in strategy.options.items())
        assert choose(name).options == defaults
        assert strategy.name == name


def test_what_is_not_there_is_refused_with_what_is() -> None:
    with pytest.raises(BadOption, match="there is no strategy 'magic'") as told:
        choose("magic")
    assert all(name in str(told.value.hint) for name in ("auto", *STRATEGIES))
    with pytest.raises(BadOption, match="the strategy auto has no option flavour"):
        choose(flavour="sweet")


def test_the_rules_of_the_chosen_strategy_are_used() -> None:
    for way in WAYS:
        view = EXAMPLES["aggregate"] if beyond(PEOPLE, way) else PEOPLE
        form = prepared(view, way)
        assert form.choice == way
        assert compile_delta(form, ["people"]).delta is not None


@pytest.mark.parametrize("name", DEFINITIONS)
def test_every_program_of_the_default_is_that_of_auto(name: str) -> None:
    def compiled(relation: Relation, strategy: str) -> object:
        return compile_delta(prepared(relation, choose(strategy)), ["people", "teams"])

    assert compiled(DEFINITIONS[name], DEFAULT) == compiled(DEFINITIONS[name], "auto")


def test_the_page_has_a_section_for_every_strategy_and_names_every_option() -> None:
    page = (DOCS / "strategies.md").read_text("utf-8")
    for name, strategy in STRATEGIES.items():
        _, found, section = page.partition(f"\n## `{name}`")
        assert found, f"no section for {name}"
        section = section.partition("\n## ")[0]
        for option, values in strategy.options.items():
            assert all(f'{option}="{value}"' in section for value in values), option
