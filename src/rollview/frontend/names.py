"""Column names for algebra: readable, unique, one for each of Spark's expression ids."""

from __future__ import annotations

import re
from typing import Any

from rollview.algebra.schema import Column, Schema

Json = dict[str, Any]


class Names:
    """The names that the columns of one plan have been given so far."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._taken: set[str] = set()

    def unique(self, wanted: str) -> str:
        """A name that no column has yet, like the wanted one if that can be."""
        base = re.sub(r"\W", "_", wanted, flags=re.ASCII).strip("_") or "column"
        base = f"c{base}" if base[0].isdigit() else base[:60]
        name, number = base, 2
        while name.lower() in self._taken:
            name, number = f"{base}_{number}", number + 1
        self._taken.add(name.lower())
        return name

    def prefer(self, attribute: Json, name: str) -> None:
        """Give an attribute that has no name yet this one, if it can be written without quotes."""
        if attribute["c"] not in self._names and re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
            self._names[attribute["c"]] = self.unique(name)

    def name(self, attribute: Json) -> str:
        """The name of an attribute, made from Spark's own when it is first asked for."""
        key = attribute["c"]
        if key not in self._names:
            self._names[key] = self.unique(attribute["n"])
        return self._names[key]

    def column(self, attribute: Json) -> Column:
        return Column(self.name(attribute), attribute["t"], attribute["u"])

    def columns(self, attributes: list[Json]) -> Schema:
        return tuple(self.column(attribute) for attribute in attributes)
