"""What a compiled delta is: steps that compute, then the change of the view and of its states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from rollview.algebra.definition import Reason
from rollview.algebra.relations import Relation
from rollview.algebra.schema import Schema
from rollview.analysis.constraints import Constraint
from rollview.maintenance.emptiness import emptied


class RuleName(StrEnum):
    """How an operator is maintained, in a word that EXPLAIN and the pages use, too."""

    CHANGES = "changes"  # the changes of a source are its delta
    LINEAR = "linear"  # the operator itself, applied to the delta below it
    CLOCK = "clock"  # linear, and the rows that a condition on the clock lets in and out
    TELESCOPED = "telescoped"  # one term per changed input of a join
    TRUTH_TABLE = "truth_table"  # one term per choice of changed inputs of a join
    PAIR = "pair"  # what is gained and what is lost, by the equations of the algebra
    MATCHES = "matches"  # the rows whose matches may have changed
    PADDED = "padded"  # telescoped, and the rows without a match, padded with NULLs
    GROUPS = "groups"  # the groups of changed rows, from their stored values
    PARTITIONS = "partitions"  # the partitions of changed rows, before and after
    TOP = "top"  # the kept rows and the added ones
    SCALAR = "scalar"  # the old and the new value, if they differ
    CONVERSION = "conversion"  # the delta below becomes a change table
    PROPAGATED = "propagated"  # a change table passes the operator as it is
    RECOMPUTE = "recompute"  # evaluated as a whole
    CONSTANT = "constant"  # nothing below it ever changes


@dataclass(frozen=True, slots=True)
class Step:
    """Compute a relation once and keep it for the rest of the refresh under a name.

    ``operator`` describes the operator whose rule wants it.
    """

    name: str
    relation: Relation
    operator: str = ""


@dataclass(frozen=True, slots=True)
class Merging:
    """How a kept operator takes up a change as one MERGE: rows by key, with their new values.

    ``steps`` name the steps that hold these rows. A row whose ``stays`` is false goes; of those
    without that column all stay. ``keys`` and ``values`` are columns of the steps and of what is
    kept.
    """

    kept: str
    steps: tuple[str, ...]
    keys: Schema
    values: Schema
    stays: str


@dataclass(frozen=True, slots=True)
class Kept:
    """An operator whose rows are kept from one refresh to the next, under a name."""

    name: str
    relation: Relation

    @property
    def columns(self) -> Schema:
        return self.relation.columns

    @property
    def label(self) -> str:
        """The name without the digest that tells one definition from the next."""
        return self.name.rpartition("_")[0]


@dataclass(frozen=True, slots=True)
class Note:
    """How one operator is maintained: what EXPLAIN says about it.

    ``relevant`` is what is true of the changes of a scan that can matter to the view.
    """

    rule: RuleName
    reads: tuple[str, ...] = ()
    state: tuple[str, ...] = ()
    relevant: str | None = None


@dataclass(frozen=True, slots=True)
class Blame:
    """Why an operator is not maintained from the changes alone: always, or if a step has rows."""

    relation: Relation
    reason: Reason
    step: str | None = None


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a step has rows if it has any: what happened to the rows of a relation, in words."""

    relation: Relation
    because: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """A declaration that the program rests on: it is broken if a step has rows."""

    constraint: Constraint
    step: str
    what: str


@dataclass(frozen=True, slots=True)
class Program:
    """A delta, compiled: run the steps in order, then ``delta`` and ``states`` are the changes.

    ``delta`` is None if the view cannot have changed; a kept operator that cannot have changed is
    not in ``states``. The steps named in ``rare`` have no rows in most refreshes. ``merges`` say
    the changes of some states once more, by key. It is right if the declarations in ``relies``
    hold; those of ``checks`` are looked at while it runs.
    """

    steps: tuple[Step, ...]
    delta: Relation | None
    states: Mapping[str, Relation]
    notes: Mapping[Relation, Note]
    blames: tuple[Blame, ...] = ()
    rare: frozenset[str] = frozenset()
    merges: tuple[Merging, ...] = ()
    relies: tuple[Constraint, ...] = ()
    checks: tuple[Check, ...] = ()
    causes: Mapping[str, Cause] = field(default_factory=dict)

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why a refresh is not wholly incremental, whatever the changes are."""
        rare = self._seldom()
        return _different(blame.reason for blame in self.blames if blame.step not in rare)

    @property
    def at_times(self) -> tuple[Reason, ...]:
        """Why some refreshes are not: those of which a step has rows that most have not."""
        rare, always = self._seldom(), self.reasons
        found = _different(blame.reason for blame in self.blames if blame.step in rare)
        return tuple(reason for reason in found if reason not in always)

    def reasons_of(self, relations: tuple[Relation, ...]) -> tuple[Reason, ...]:
        """The reasons, those of some refreshes included, that concern any of these operators."""
        return _different(blame.reason for blame in self.blames if blame.relation in relations)

    def _seldom(self) -> frozenset[str]:
        """The rare steps, and those that have no rows without them."""
        return emptied([(step.name, step.relation) for step in self.steps], self.rare)


def _different(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    return tuple(dict.fromkeys(reasons))
