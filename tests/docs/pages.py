"""Reading the pages under docs/: tables, sections, links, examples."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_EXAMPLE = re.compile(
    r"<!-- example: (\w+) -->\n\n```text\n(.*?)\n```\n\n```sql\n(.*?)\n```", re.DOTALL
)


@dataclass(frozen=True)
class Block:
    """A fenced example: its language, its text, and the line of the page that it begins on."""

    language: str
    text: str
    line: int


def pages() -> list[Path]:
    """Every page of the project: those at the top, and those under docs/."""
    return sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])


def first_cells(page: Path) -> list[str]:
    """The first cell of every row of every table, without backticks; heads are left out."""
    cells: list[str] = []
    lines = page.read_text("utf-8").splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith("| ") and not following.startswith("|---"):
            cells.append(line.split("|")[1].strip().strip("`"))
    return cells


def sections(page: Path) -> dict[str, str]:
    """The text below each heading of the second level, without what is fenced."""
    parts = re.split(r"^## (.+)$", _FENCE.sub("", page.read_text("utf-8")), flags=re.MULTILINE)
    return {name: text.strip() for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def links(page: Path) -> list[str]:
    """The targets of all links, those in examples left out."""
    return _LINK.findall(_FENCE.sub("", page.read_text("utf-8")))


def anchors(page: Path) -> set[str]:
    """The anchors of the headings, as GitHub makes them."""
    text = _FENCE.sub("", page.read_text("utf-8"))
    headings = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def examples(page: Path) -> list[tuple[str, str, str]]:
    """The examples of an operator page: name, tree, SQL."""
    return _EXAMPLE.findall(page.read_text("utf-8"))


def blocks(page: Path) -> list[Block]:
    """Everything fenced that names its language, in order."""
    text = page.read_text("utf-8")
    found = _BLOCK.finditer(text)
    return [Block(m[1], m[2], text[: m.start(2)].count("\n") + 1) for m in found]
