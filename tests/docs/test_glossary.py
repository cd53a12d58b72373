"""docs/glossary.md: one line for a word, in order, and all rules that there are."""

from __future__ import annotations

import re

from rollview.maintenance.program import RuleName
from tests.docs.pages import DOCS, first_cells

PAGE = DOCS / "glossary.md"


def test_every_word_stands_there_once_and_in_its_place() -> None:
    words = first_cells(PAGE)
    assert words == sorted(set(words), key=str.lower)


def test_the_rules_are_those_of_the_code() -> None:
    (line,) = re.findall(r"^\| rule \| (.+) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert re.findall(r"`(\w+)`", line) == [*RuleName]
