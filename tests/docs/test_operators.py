"""Every relation has its page, every page its relation, and its examples are what is rendered."""

from __future__ import annotations

import re

import pytest

from rollview.algebra.expressions import Call, binary
from rollview.algebra.printer import print_tree
from rollview.algebra.relations import Filter, Recursion
from rollview.algebra.traverse import walk
from rollview.maintenance.program import RuleName
from rollview.sql.render import render
from tests.algebra.examples import (
    DEFINITIONS,
    EXAMPLES,
    LEAVES,
    PAY,
    PROGRAM_LEAVES,
    relation_classes,
)
from tests.docs.pages import DOCS, examples, sections
from tests.planning.views import explained

FOLDER = DOCS / "operators"
_TODAY = Call("CurrentDate", ("current_date()",), (), "DATE", False)
BY_CLOCK = Filter(EXAMPLES["scan"], binary("LessThan", "<", PAY, _TODAY, "BOOLEAN"))
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
        assert sql == render(relation, LEAVES)


def rules_of(kind: str) -> set[str]:
    """The rules that EXPLAIN gives for an operator in any example.

    What is over constants alone, or inside a recursion, is maintained like all of that.
    """
    found = set()
    for relation in (*DEFINITIONS.values(), BY_CLOCK):
        recursive = any(isinstance(node, Recursion) for node in walk(relation))
        if recursive and not kind.startswith("Recursion"):
            continue
        found |= {one.rule for one in explained(relation).operators if one.kind == kind}
    return found - {RuleName.CONSTANT} or found


@pytest.mark.parametrize("name", [n for n in PAGES if PAGES[n] not in PROGRAM_LEAVES])
def test_page_names_the_rules_that_explain_gives(name: str) -> None:
    first, _, _ = sections(FOLDER / f"{name}.md")["Maintained"].partition(".")
    assert re.match(r"Rules?: `", first)
    assert set(re.findall(r"`(\w+)`", first)) == rules_of(PAGES[name].__name__)


@pytest.mark.parametrize("name", [n for n in PAGES if PAGES[n] in PROGRAM_LEAVES])
def test_page_says_that_only_programs_have_it(name: str) -> None:
    told = sections(FOLDER / f"{name}.md")
    assert told["From"].startswith("No query has it.")
    assert told["Maintained"].startswith("No rule: programs have it, and definitions have not.")


def test_every_rule_is_on_a_page() -> None:
    """Rules that only a strategy has which was asked for are on the page of the strategies."""
    named = {rule for name in PAGES for rule in rules_of(PAGES[name].__name__)}
    by_name = {RuleName.PAIR, RuleName.TRUTH_TABLE, RuleName.CONVERSION, RuleName.PROPAGATED}
    assert named == set(RuleName) - by_name
    page = (DOCS / "strategies.md").read_text("utf-8")
    assert all(f"`{rule}`" in page for rule in by_name)
