"""Every step of a program can be explained: what the rules call it has words."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import rollview
from rollview.sql.program import _WORDS


def labels() -> Iterator[str]:
    """The last word of what every step is called, by which its own words are found."""
    for path in Path(rollview.__file__).parent.joinpath("maintenance").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                last = node.args[-1] if node.args else None
                if node.func.attr == "hold" and isinstance(last, ast.Constant):
                    yield str(last.value).rpartition("_")[2]


def test_every_label_of_a_step_has_words() -> None:
    found = set(labels())
    assert len(found) > 10
    assert found - _WORDS.keys() == set()
