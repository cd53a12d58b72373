"""One word for one thing: every relation has an example, a page, and is known everywhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rollview.algebra.printer import print_tree
from rollview.algebra.traverse import walk
from rollview.sql.render import render
from tests.algebra.examples import EXAMPLES, LEAVES, relation_classes
from tests.algebra.test_codec import definition_of, through_json

PAGES = Path(__file__).parents[2] / "docs" / "operators"


def page_name(kind: type) -> str:
    """``TopK`` is described in ``top_k.md``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower() + ".md"


@pytest.mark.parametrize("kind", relation_classes(), ids=lambda kind: kind.__name__)
def test_relation_is_known_everywhere(kind: type) -> None:
    examples = [
        relation
        for relation in EXAMPLES.values()
        if any(isinstance(node, kind) for node in walk(relation))
    ]
    assert examples, f"tests/algebra/examples.py has no {kind.__name__}"
    for relation in examples:
        definition = definition_of(relation)
        assert through_json(definition) == definition
        assert render(relation, LEAVES)
        assert print_tree(relation).strip()


@pytest.mark.parametrize("kind", relation_classes(), ids=lambda kind: kind.__name__)
def test_relation_has_a_page(kind: type) -> None:
    assert (PAGES / page_name(kind)).is_file(), f"docs/operators/{page_name(kind)} is missing"


def test_no_page_is_left_over() -> None:
    known = {page_name(kind) for kind in relation_classes()} | {"index.md", "README.md"}
    assert {page.name for page in PAGES.glob("*.md")} <= known
