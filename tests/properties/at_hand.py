"""What the forms of `rollview.runtime.at_hand` mean, spelled as SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rollview.maintenance.signed import WEIGHT


def spelled(form: Sequence[Any], tables: Sequence[str]) -> str:
    """A form over these tables as a query."""
    match form:
        case ["table", position]:
            return f"SELECT * FROM {tables[position]}"
        case ["project", below, items]:
            columns = ", ".join(f"{_value(*item[1:])} AS {_quoted(item[0])}" for item in items)
            return f"SELECT {columns} FROM ({spelled(below, tables)})"
        case ["filter", below, conditions]:
            all_of = " AND ".join(_condition(*one) for one in conditions)
            return f"SELECT * FROM ({spelled(below, tables)}) WHERE {all_of}"
        case ["union", below, names]:
            columns = ", ".join(_quoted(name) for name in names)
            united = " UNION ALL ".join(f"({spelled(one, tables)})" for one in below)
            return f"SELECT * FROM ({united}) AS united ({columns})"
        case ["distinct", below]:
            return f"SELECT DISTINCT * FROM ({spelled(below, tables)})"
        case ["net", below]:
            return (
                f"SELECT * EXCLUDE (net, copy), sign(net)::BIGINT AS {WEIGHT} FROM (SELECT *, "
                f"unnest(generate_series(1, abs(net)::BIGINT)) AS copy FROM (SELECT * EXCLUDE "
                f"{WEIGHT}, sum({WEIGHT}) AS net FROM ({spelled(below, tables)}) GROUP BY ALL))"
            )
    raise ValueError(form)


def _value(column: str | None, number: int | None = None) -> str:
    return f"{number}::BIGINT" if column is None else _quoted(column)


def _condition(kind: str, column: str, number: int | None = None) -> str:
    match kind:
        case "known":
            return f"{_quoted(column)} IS NOT NULL"
        case "is":
            return _quoted(column)
        case ">" | "<":
            return f"{_quoted(column)} {kind} {number}"
    raise ValueError(kind)


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
