"""One word for one thing: rule, file, page and test of an operator have its name."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from rollview.algebra.traverse import walk
from rollview.maintenance import algebraic
from rollview.maintenance.counting import RULES
from rollview.maintenance.prepare import prepare
from tests.algebra.examples import DEFINITIONS, PROGRAM_LEAVES, relation_classes

ROOT = Path(__file__).parents[2]
# Rewritten by `prepare`, evaluated within a Recursion, or without a change of their own.
WITHOUT_RULE = {"Distinct", "SetOperation", "RecursionInput", "Values", "TableFunction"}


def word(kind: type) -> str:
    """``TopK`` is ``top_k``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()


@pytest.mark.parametrize(
    ("room", "kind"),
    [("counting", kind) for kind in RULES] + [("algebraic", kind) for kind in algebraic.OWN],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_rule_file_page_and_test_have_the_name_of_the_operator(room: str, kind: type) -> None:
    name = word(kind)
    rule = {"counting": RULES, "algebraic": algebraic.OWN}[room][kind]
    assert Path(inspect.getfile(rule)).parent.name == room
    assert rule.__name__ == f"delta_{name}"
    assert Path(inspect.getfile(rule)).name == f"{name}.py"
    assert rule.__doc__
    assert "``d(" in rule.__doc__ or name == "join", "the docstring has the equation"
    assert (ROOT / "docs" / "operators" / f"{name}.md").is_file()
    assert (ROOT / "tests" / "maintenance" / f"test_{name}.py").is_file()


@pytest.mark.parametrize("kind", RULES, ids=lambda kind: kind.__name__)
def test_the_page_says_where_the_equation_comes_from(kind: type) -> None:
    page = (ROOT / "docs" / "operators" / f"{word(kind)}.md").read_text("utf-8")
    equation = page.partition("## Equation")[2].partition("\n## ")[0]
    assert re.search(r"\b(19|20)\d\d\b|the\s+papers", equation), "a paper, or that none has it"


@pytest.mark.parametrize("name", ["distinct", "set_operation"])
def test_what_is_rewritten_has_a_page_and_a_test_too(name: str) -> None:
    assert (ROOT / "docs" / "operators" / f"{name}.md").is_file()
    assert (ROOT / "tests" / "maintenance" / f"test_{name}.py").is_file()


def test_every_relation_has_a_rule_or_needs_none() -> None:
    ruled = {kind.__name__ for kind in RULES}
    leaves = {kind.__name__ for kind in PROGRAM_LEAVES}
    assert ruled | leaves | WITHOUT_RULE == {kind.__name__ for kind in relation_classes()}
    assert not ruled & (leaves | WITHOUT_RULE)


def test_what_the_equations_do_not_reach_has_no_rule() -> None:
    ruled = {kind.__name__ for kind in algebraic.RULES}
    leaves = {kind.__name__ for kind in PROGRAM_LEAVES}
    beyond = {"TopK", "Recursion", "RecursionInput", "Values", "TableFunction"}
    assert ruled | leaves | beyond == {kind.__name__ for kind in relation_classes()}
    assert not ruled & (leaves | beyond)


def test_without_counts_nothing_is_rewritten() -> None:
    for name in ("distinct", "except", "intersect_all"):
        form = prepare(DEFINITIONS[name], counts=False)
        assert (form.relation, form.kept) == (DEFINITIONS[name], ())


def test_what_is_rewritten_is_not_left() -> None:
    for relation in DEFINITIONS.values():
        kinds = {type(node).__name__ for node in walk(prepare(relation).relation)}
        assert not kinds & {"Distinct", "SetOperation"}
