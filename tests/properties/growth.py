"""A tree in the making: the names it has used, the columns that cannot be compared.

Names are unique, as Spark's frontend makes them. Columns whose values may differ in their last
digits (sums of doubles, averages) are loose: they are carried along and aggregated further, but
nothing is compared, grouped or ordered by them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TypeVar, cast

from rollview.algebra.expressions import AggregateCall, Expression, SortKey, WindowCall
from rollview.algebra.relations import Named, Project, RecursionInput, Relation
from rollview.algebra.schema import Column, Schema
from rollview.algebra.traverse import column_names
from tests.properties.scalars import Scalars, literal, ref
from tests.properties.values import is_compared

MOST_COLUMNS = 7
T = TypeVar("T")


class Growth:
    """What the makers of operators share; ``make`` chooses one of them for a depth."""

    def __init__(
        self,
        rng: Random,
        tables: Mapping[str, Schema],
        make: Callable[[Growth, int], Relation],
    ) -> None:
        self.rng = rng
        self.tables = tables
        self._make = make
        self._number = 0
        self._loose: set[str] = set()

    def relation(self, depth: int) -> Relation:
        """A relation of some depth at most, and not too wide."""
        made = self._make(self, depth)
        if len(made.columns) <= MOST_COLUMNS:
            return made
        some = sorted(self.rng.sample(range(len(made.columns)), MOST_COLUMNS - 2))
        return keep(made, [made.columns[i] for i in some])

    def fresh(self, label: str = "c") -> str:
        """A name that nothing else in the tree has."""
        self._number += 1
        return f"{label}_{self._number}"

    def exact(self, relation: Relation) -> list[Column]:
        """The columns that can be compared."""
        return [c for c in relation.columns if c.name not in self._loose and is_compared(c.type)]

    def scalars(self, *relations: Relation) -> Scalars:
        """Expressions over what can be compared."""
        return Scalars(self.rng, [c for relation in relations for c in self.exact(relation)])

    def comparable(self, relation: Relation) -> Relation:
        """The relation without columns that cannot be compared."""
        columns = self.exact(relation)
        if len(columns) == len(relation.columns) and columns:
            return relation
        if columns:
            return keep(relation, columns)
        return Project(relation, (Named(self.fresh(), literal(1, "INT")),))

    def follow(self, name: str, value: Expression | AggregateCall | WindowCall) -> None:
        """Note whether the column that a value becomes can be compared."""
        loose = bool(column_names(value) & self._loose)
        if isinstance(value, AggregateCall):
            loose = loose and value.kind != "Count"
            loose = loose or (value.type == "DOUBLE" and value.kind not in ("Min", "Max"))
        if loose:
            self._loose.add(name)

    def order(self, columns: Sequence[Column]) -> tuple[SortKey, ...]:
        """One or two keys; `canonical` makes the order total where it matters."""
        some = self.rng.sample(list(columns), min(len(columns), self.rng.randint(1, 2)))
        flip = self.rng.choice
        return tuple(SortKey(ref(c), flip((True, False)), flip((True, False))) for c in some)

    def copy(self, relation: Relation) -> Relation:
        """The same relation under other names: the right side of a self-join."""
        return cast(Relation, self._copied(relation, {}))

    def _copied(self, value: T, names: dict[str, str]) -> T:
        if isinstance(value, tuple):
            return cast(T, tuple(self._copied(one, names) for one in value))
        if not dataclasses.is_dataclass(value) or isinstance(value, type):
            return value
        changed = {}
        for field in dataclasses.fields(value):
            old = getattr(value, field.name)
            if field.name in ("name", "flag") and isinstance(old, str):
                changed[field.name] = self._renamed(old, names)
            elif isinstance(value, RecursionInput) and field.name == "fields":
                changed[field.name] = tuple(self._renamed(one, names) for one in old)
            else:
                changed[field.name] = self._copied(old, names)
        return dataclasses.replace(value, **changed)

    def _renamed(self, old: str, names: dict[str, str]) -> str:
        if old not in names:
            names[old] = self.fresh(old.split("_")[0])
            if old in self._loose:
                self._loose.add(names[old])
        return names[old]


def keep(relation: Relation, columns: Sequence[Column]) -> Project:
    """The relation cut down to some of its columns."""
    return Project(relation, tuple(Named(c.name, ref(c)) for c in columns))
