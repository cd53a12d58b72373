"""Print results: tables for people, one JSON document for programs."""

from __future__ import annotations

import base64
import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

_PIPE_WIDTH = 1000


def print_json(document: object) -> None:
    """Print the document as JSON on stdout."""
    print(_dumped(document, indent=2))


def print_text(text: str) -> None:
    """Print text on stdout as it is."""
    print(text)


def print_table(
    header: Sequence[str], rows: Iterable[Sequence[object]], *, right: Sequence[str] = ()
) -> None:
    """Print a table on stdout; columns named in `right` are flushed right."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for name in header:
        table.add_column(Text(name), justify="right" if name in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell_text(cell)) for cell in row))
    console().print(table)


def console() -> Console:
    """A console on stdout; in a pipe it is wide, so that no cell is cut or wrapped."""
    terminal = sys.stdout.isatty()
    return Console(file=sys.stdout, width=None if terminal else _PIPE_WIDTH, highlight=False)


def print_rows(
    columns: Sequence[str], types: Sequence[str], rows: Sequence[Sequence[object]], cut: bool
) -> None:
    """Print rows of data as a table, with a closing line that counts them."""
    numbers = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
    right = [name for name, kind in zip(columns, types, strict=True) if kind.startswith(numbers)]
    print_table(columns, rows, right=right)
    count = f"{len(rows):,} row{'' if len(rows) == 1 else 's'}"
    print_text(f"first {count}; more with --limit N, all with --limit 0" if cut else count)


def cell_text(value: object) -> str:
    """A value as a person reads it in a table."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes | bytearray):
        return value.hex()
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="auto")
    if isinstance(value, Mapping | list | tuple):
        return _dumped(value)
    return str(plain(value))


def plain(value: Any) -> Any:
    """Nested Spark rows, arrays and maps as JSON objects and arrays; every number is finite.

    JSON has no NaN and no infinities: they become text, as they do in Spark's to_json.
    """
    if hasattr(value, "asDict"):
        return {key: plain(item) for key, item in value.asDict().items()}
    if isinstance(value, Mapping):
        return {
            key if isinstance(key, str) else cell_text(key): plain(item)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def _dumped(document: object, indent: int | None = None) -> str:
    return json.dumps(
        plain(document), indent=indent, ensure_ascii=False, allow_nan=False, default=_jsonable
    )


def _jsonable(value: object) -> object:
    """Decimals keep every digit as strings; bytes become base64."""
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode()
    return str(value)
