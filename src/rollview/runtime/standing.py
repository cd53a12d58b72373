"""Which declared keys one view may make use of now.

A refresh may only make use of what held at the last refresh of the view: then looking at the keys
of changed rows is enough. So what was found to hold is committed with the versions it was found
at, as one more entry of the vector.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

from rollview.algebra.definition import Definition
from rollview.analysis.constraints import NONE, Constraint, Constraints, constraints
from rollview.maintenance.compiler import made_use_of
from rollview.planning.verdict import changing, maintained
from rollview.runtime import declared
from rollview.runtime.catalog import StoredView
from rollview.runtime.compute import named
from rollview.runtime.lake import Lake
from rollview.runtime.report import Policy
from rollview.storage.vector import Position, Vector

KEYS = "the declared keys"  # beside the sources: what was found to hold of them


@dataclass(frozen=True)
class Standing:
    """What the view could make use of, each with its name; and what its last refresh found.

    ``form`` are those by which its state is as small as it is.
    """

    names: Mapping[Constraint, str]
    holds: frozenset[str] = frozenset()
    broken: frozenset[str] = frozenset()
    form: frozenset[str] = frozenset()

    @property
    def all(self) -> Constraints:
        return constraints(self.names)

    @property
    def usable(self) -> Constraints:
        """What is trusted, or known to have held at the last refresh."""
        return self.all.only([c for c, name in self.names.items() if c.rely or name in self.holds])

    @property
    def usable_form(self) -> Constraints:
        """Of these, what the state of the view rests on already."""
        return self.usable.only([c for c, name in self.names.items() if name in self.form])

    @property
    def untested(self) -> Constraints:
        """What nobody has looked at yet."""
        known = self.holds | self.broken
        return self.all.only([c for c, n in self.names.items() if not c.rely and n not in known])

    def position(
        self, held: Iterable[Constraint], relies: Iterable[Constraint], broken: Iterable[Constraint]
    ) -> Position:
        """What a refresh has found, to be committed with it."""
        said = {
            "holds": self._sorted(c for c in held if not c.rely),
            "broken": self._sorted(broken),
            "form": self._sorted(relies),
        }
        return Position(KEYS, json.dumps(said), "")

    def _sorted(self, some: Iterable[Constraint]) -> list[str]:
        return sorted({self.names[one] for one in some})


def standing(lake: Lake, view: StoredView, definition: Definition, old: Vector | None) -> Standing:
    """What is declared that a view makes use of, and what its last refresh found of that.

    One that reads no base table can check nothing, and makes use of what is trusted.
    """
    if view.policy is Policy.FULL:
        return Standing({})
    names = declared.of_definition(lake, definition)
    if view.self_maintaining:
        names = {one: name for one, name in names.items() if one.rely}
    if not names or definition.relation is None or maintained(definition, view.choice) is None:
        return Standing({})
    sources = changing(definition)
    used = made_use_of(definition.relation, constraints(names), sources, view.choice)
    own = {one: names[one] for one in used.all}
    if old is None or KEYS not in old:
        return Standing(own)
    said = json.loads(old[KEYS].version)
    return Standing(own, *(frozenset(said[word]) for word in ("holds", "broken", "form")))


def tested(
    session: SparkSession,
    definition: Definition,
    asked: Constraints,
    leaves: Mapping[str, DataFrame],
) -> tuple[Constraints, Constraints]:
    """Which declarations hold of the rows, and which do not; what is trusted is not looked at."""
    if definition.relation is None or not asked:
        return asked, NONE
    names = named(leaves)
    broken = [
        one
        for one in asked.all
        if not one.rely and declared.is_broken(session, one, definition.relation, names)
    ]
    return asked.without(broken), asked.only(broken)
