"""A case as Python that runs: what a failure prints, ready to become a test."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from enum import Enum

from rollview.algebra.printer import print_tree
from tests.properties.cases import Case


def shown(case: Case) -> str:
    """The tree to read, then the case to run."""
    lines = [print_tree(case.relation), ""]
    for name, table in case.tables.items():
        lines.append(f"{name} ({', '.join(str(c) for c in table.columns)})")
        lines += [f"  {row}" for row in table.rows]
    for number, batch in enumerate(case.batches, 1):
        lines.append(f"refresh {number}")
        lines += [f"  {'+' if c.weight > 0 else '-'} {c.table} {c.row}" for c in batch]
    return "\n".join([*lines, "", f"check({code(case)}, connect())"])


def code(value: object) -> str:
    """The expression that makes a value."""
    match value:
        case Enum():
            return f"{type(value).__name__}.{value.name}"
        case tuple():
            inside = ", ".join(code(one) for one in value)
            return f"({inside},)" if len(value) == 1 else f"({inside})"
        case Mapping():
            return "{" + ", ".join(f"{k!r}: {code(v)}" for k, v in value.items()) + "}"
        case float() if value != value or value == float("inf"):
            return f"float('{value}')"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return f"{type(value).__name__}({', '.join(_fields(value))})"
    return repr(value)


def _fields(value: object) -> list[str]:
    """The arguments: by position, the last ones left out where they are the default."""
    fields = list(dataclasses.fields(value))  # type: ignore[arg-type]
    values = [getattr(value, field.name) for field in fields]
    while fields and fields[-1].default == values[-1]:
        fields.pop()
        values.pop()
    return [code(one) for one in values]
