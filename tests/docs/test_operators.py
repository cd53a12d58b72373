"""Every relation has its page, every page its relation, and its examples are what is rendered."""

from __future__ import annotations

import re

import pytest

from rollview.algebra.printer import print_tree
from rollview.algebra.traverse import walk
from rollview.planning.explain import explain
from rollview.sql.render import render
from tests.algebra.examples import EXAMPLES, relation_classes
from tests.algebra.test_codec import definition_of
from tests.docs.pages import DOCS, examples, sections

FOLDER = DOCS / "operators"
PAGES = {
    re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower(): kind for kind in relation_classes()
}


def test_pages_and_relations_are_the_same_list() -> None:
    assert {page.stem for page in FOLDER.glob("*.md")} == set(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_page_is_complete(name: str) -> None:
    page = FOLDER / f"{name}.md"
    assert page.read_text("utf-8").startswith(f"# {PAGES[name].__name__}\n")
    found = sections(page)
    assert list(found) == ["From", "Equation", "Rendered", "Maintained", "Limits"]
    assert all(text for title, text in found.items())


@pytest.mark.parametrize("name", PAGES)
def test_examples_are_what_is_rendered(name: str) -> None:
    found = examples(FOLDER / f"{name}.md")
    assert found, "the page shows no example"
    for example, tree, sql in found:
        relation = EXAMPLES[example]
        assert any(isinstance(node, PAGES[name]) for node in walk(relation))
        assert tree == print_tree(relation)
        assert sql == render(relation, {"people": "people", "teams": "teams"})


@pytest.mark.parametrize("name", PAGES)
def test_page_names_the_rule_that_explain_gives(name: str) -> None:
    kind = PAGES[name].__name__
    page = FOLDER / f"{name}.md"
    for example, _, _ in examples(page):
        operators = explain(definition_of(EXAMPLES[example]), "auto", "").operators
        rules = {operator.rule for operator in operators if operator.kind == kind}
        assert sections(page)["Maintained"].startswith(f"Rule: `{rules.pop()}`.")
        assert not rules
