"""Running a compiled delta: step by step, each with what the earlier ones have shown.

What depends on an empty step is left out, and tables are read within the ranges of the rows that
they are joined to.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from typing import Protocol, cast

from rollview.algebra.definition import Reason
from rollview.algebra.relations import Relation
from rollview.algebra.schema import Column
from rollview.analysis.range import Range
from rollview.errors import KeyViolated
from rollview.maintenance.emptiness import is_empty, without_empty
from rollview.maintenance.program import Check, Program
from rollview.maintenance.ranges import within_ranges
from rollview.runtime.at_hand import AtHand, at_hand
from rollview.sql.render import render


@dataclass(frozen=True, slots=True)
class Computed:
    """The rows of one step: the name to select them by, and how many there are."""

    table: str
    rows: int


class Engine(Protocol):
    """What runs the statements of a program."""

    def compute(self, name: str, statement: str) -> Computed:
        """Run the statement now and keep its rows under a name."""

    def evaluate(self, name: str, wanted: AtHand) -> Computed | None:
        """Do the same without a statement; None if the rows are not at hand after all."""

    def range(self, computed: Computed, column: Column) -> Range | None:
        """The least and the greatest value of a column of computed rows, if they are at hand."""


@dataclass(frozen=True, slots=True)
class Propagated:
    """The change of a view and of its kept operators; None and absent where there is none.

    ``reasons`` tell why it was not wholly incremental.
    """

    delta: Computed | None
    states: Mapping[str, Computed]
    reasons: tuple[Reason, ...]


def violated(check: Check, rows: int) -> KeyViolated:
    """The error for a declaration that so many rows break."""
    return KeyViolated(
        f"{check.constraint} was declared and does not hold: {check.what} {rows} "
        f"{'key' if rows == 1 else 'keys'}",
        hint="mend the table, or drop the declaration; until then it is not made use of",
    )


def propagate(program: Program, leaves: Mapping[str, str], engine: Engine) -> Propagated:
    """Run the program; ``leaves`` are the sources and states, as `render` wants them.

    Raises KeyViolated if a declaration does not hold that the program rests on and does not trust.
    """
    checks = {check.step: check for check in program.checks}
    # Only what is new is written; a leaf that nothing asks for is never made.
    known = ChainMap({}, cast("MutableMapping[str, str]", leaves))
    empty: set[str] = set()
    counts: dict[str, Computed] = {}

    def bounds(name: str, column: Column) -> Range | None:
        return engine.range(counts[name], column)

    def simplified(relation: Relation) -> Relation:
        return within_ranges(without_empty(relation, frozenset(empty)), bounds)

    def computed(name: str, whole: Relation) -> Computed | None:
        relation = simplified(whole)
        if is_empty(relation):
            return None
        form = at_hand(relation, known)
        done = None if form is None else engine.evaluate(name, form)
        return done or engine.compute(name, render(relation, known))

    for step in program.steps:
        done = computed(step.name, step.relation)
        if done is not None:
            counts[step.name] = done
            known[f"temporary {step.name}"] = done.table
        if done is None or not done.rows:
            empty.add(step.name)
        elif step.name in checks:
            raise violated(checks[step.name], done.rows)
    changes = {name: computed(f"{name}_change", r) for name, r in program.states.items()}
    states = {name: done for name, done in changes.items() if done is not None}
    delta = None if program.delta is None else computed("view_change", program.delta)
    ran = {name for name, done in counts.items() if done.rows}
    blames = (b for b in program.blames if b.step is None or b.step in ran)
    return Propagated(delta, states, tuple(dict.fromkeys(blame.reason for blame in blames)))
