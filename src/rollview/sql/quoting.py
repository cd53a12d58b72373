"""Identifiers in Spark SQL, quoted where they must be, and texts, which always are."""

from __future__ import annotations

import re

from sqlglot.dialects.spark import Spark

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z", re.ASCII)
_KEYWORDS = """
    all and anti any array as asc at between both by case cast check collate column constraint
    create cross cube current current_date current_time current_timestamp current_user database
    day desc describe distinct div else end escape except exists explode extract false fetch filter
    first following for foreign from full function global grant group grouping having hour if in
    inner insert intersect interval into is join last lateral leading left like limit local
    localtimestamp map minus minute month natural no not null nulls of offset on only or order out
    outer over overlaps overlay partition percent pivot position preceding primary qualify range
    recursive references right rollup row rows second select semi session_user set sets some start
    struct substr substring sum table tablesample then time timestamp to trailing trim true
    truncate unbounded union unique unknown unpivot update user using values when where window with
    within without year zone date
"""
_WORDS = frozenset(_KEYWORDS.split()) | {
    word.lower() for word in Spark.Tokenizer.KEYWORDS if word.replace("_", "").isalpha()
}


def quoted(name: str) -> str:
    """The identifier as it can be written in a statement."""
    if _PLAIN.match(name) and name.lower() not in _WORDS:
        return name
    return "`" + name.replace("`", "``") + "`"


def quoted_text(text: str) -> str:
    """The text as a literal."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
