"""Reads the queries of the corpus from its ``.sql`` files.

A block begins with ``-- name: ...``. Further comment lines directly below it say what is special:
``-- expect: CODE`` a reason (or, with a dot in it, an error) that the frontend must name;
``-- raises: CONDITION`` Spark's own error while running; ``-- ties: a, b`` that ties make the
result ambiguous and only these columns (without any: only the number of rows) are determined.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
MARKS = ("-- expect:", "-- raises:", "-- ties")


@dataclass(frozen=True)
class Query:
    """One query as data; ``determined`` is None unless ties leave part of the result open."""

    name: str
    theme: str
    text: str
    expect: frozenset[str] = frozenset()
    raises: str | None = None
    determined: tuple[str, ...] | None = None

    @property
    def id(self) -> str:
        return f"{self.theme}.{self.name}"


def load_queries() -> list[Query]:
    """All queries of the corpus, by theme and then as they stand in the file."""
    queries = [query for path in sorted(FOLDER.glob("*.sql")) for query in read_file(path)]
    ids = [query.id for query in queries]
    doubled = {id for id in ids if ids.count(id) > 1}
    if doubled:
        raise ValueError(f"queries with the same name: {sorted(doubled)}")
    return queries


def read_file(path: Path) -> list[Query]:
    """The queries of one file."""
    blocks = ("\n" + path.read_text(encoding="utf-8")).split("\n-- name:")[1:]
    return [_query(path.stem, block) for block in blocks]


def _query(theme: str, block: str) -> Query:
    name, *lines = block.strip().splitlines()
    marks: dict[str, str] = {}
    while lines and lines[0].startswith(MARKS):
        key, _, value = lines.pop(0)[3:].partition(":")
        marks[key] = value.strip()
    text = "\n".join(lines).strip().removesuffix(";")
    return Query(
        name.strip(),
        theme,
        text,
        expect=frozenset(_words(marks.get("expect", ""))),
        raises=marks.get("raises"),
        determined=tuple(_words(marks["ties"])) if "ties" in marks else None,
    )


def _words(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
