"""What a compiled delta is: steps that compute, then the change of the view and of its states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rollview.algebra.definition import Reason
from rollview.algebra.relations import Relation
from rollview.algebra.schema import Schema


@dataclass(frozen=True, slots=True)
class Step:
    """Compute a relation once and keep it for the rest of the refresh under a name.

    ``reason`` says why the step is not incremental, if it turns out to be needed.
    """

    name: str
    relation: Relation
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """An operator whose rows are kept from one refresh to the next, under a name."""

    name: str
    relation: Relation

    @property
    def columns(self) -> Schema:
        return self.relation.columns


@dataclass(frozen=True, slots=True)
class Note:
    """How one operator is maintained: what EXPLAIN says about it."""

    rule: str
    reads: tuple[str, ...] = ()
    state: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Program:
    """A delta, compiled: run the steps in order, then ``delta`` and ``states`` are the changes.

    ``delta`` is None if the view cannot have changed; a kept operator that cannot have changed is
    not in ``states``.
    """

    steps: tuple[Step, ...]
    delta: Relation | None
    states: Mapping[str, Relation]
    notes: Mapping[Relation, Note]

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why the program is not wholly incremental."""
        found: list[Reason] = []
        for note in self.notes.values():
            found += [reason for reason in note.reasons if reason not in found]
        return tuple(found)
