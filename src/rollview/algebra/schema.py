"""Columns of a relation: a name, Spark's own type text, and nullability.

Types are kept as the text that Spark prints for them (``DECIMAL(12,2)``,
``STRUCT<a: INT NOT NULL>``): it can be pasted into a CAST, and the project needs no type
system of its own.
"""

import re
from dataclasses import dataclass

DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")
"""The type text of a decimal: its digits, and how many of them are after the point."""


@dataclass(frozen=True, slots=True)
class Column:
    """One named, typed column of a relation."""

    name: str
    type: str
    nullable: bool = True

    def __str__(self) -> str:
        return f"{self.name} {self.type}" + ("" if self.nullable else " NOT NULL")


Schema = tuple[Column, ...]
