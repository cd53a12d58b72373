"""What becomes of a definition: maintained from changes, by which program, or recomputed, and why.

A refresh and EXPLAIN go by the same verdict.
"""

from __future__ import annotations

from dataclasses import dataclass

from rollview.algebra.definition import Definition, Reason, ReasonCode
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.prepare import Prepared, prepare
from rollview.maintenance.program import Program

INCREMENTAL, PARTIAL, FULL = "incremental", "partial", "full"
COUNTING, RECOMPUTE = "counting", "recompute"
_FULL_ONLY = (
    ReasonCode.NON_DETERMINISTIC,
    ReasonCode.TIME_DEPENDENT,
    ReasonCode.UNVERSIONED_SOURCE,
    ReasonCode.NOT_UNDERSTOOD,
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a definition is refreshed under a policy, and the program if it is maintained.

    ``reasons`` hold whatever changes; ``at_times`` only in some refreshes.
    """

    policy: str
    mode: str
    strategy: str
    reasons: tuple[Reason, ...]
    at_times: tuple[Reason, ...] = ()
    prepared: Prepared | None = None
    program: Program | None = None


def obstacles(definition: Definition) -> tuple[Reason, ...]:
    """Why changes cannot be carried through a definition at all; empty if they can."""
    return tuple(reason for reason in definition.reasons if reason.code in _FULL_ONLY)


def maintained(definition: Definition) -> Prepared | None:
    """The form in which changes can be carried through a definition; None if they cannot."""
    if definition.relation is None or obstacles(definition):
        return None
    return prepare(definition.relation)


def changing(definition: Definition) -> tuple[str, ...]:
    """The sources that can change: a time-travelled table is what it is."""
    return tuple(source.id for source in definition.sources if source.pinned is None)


def judge(definition: Definition, policy: str) -> Verdict:
    """How the definition is refreshed if any of its sources has changed."""
    prepared = maintained(definition)
    if prepared is None or policy == FULL:
        return Verdict(policy, FULL, RECOMPUTE, definition.reasons)
    program = compile_delta(prepared, changing(definition))
    reasons = (*definition.reasons, *program.reasons)
    mode = PARTIAL if program.reasons else INCREMENTAL
    return Verdict(policy, mode, COUNTING, reasons, program.at_times, prepared, program)
