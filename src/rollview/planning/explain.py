"""EXPLAIN: the verdict on a definition, told for every operator of it."""

from __future__ import annotations

from dataclasses import replace

from rollview.algebra.definition import Definition
from rollview.algebra.printer import describe
from rollview.algebra.relations import (
    Aggregate,
    Distinct,
    Join,
    Recursion,
    Relation,
    Scan,
    SetOperation,
)
from rollview.algebra.traverse import inputs
from rollview.maintenance.prepare import Prepared
from rollview.maintenance.program import Note, RuleName
from rollview.planning.explanation import Candidate, Explanation, Operator
from rollview.planning.verdict import FULL, RECOMPUTE, Verdict


def explain(definition: Definition, verdict: Verdict, sql: str) -> Explanation:
    """The explanation of a verdict; ``sql`` is what a refresh would run."""
    return Explanation(
        mode=verdict.mode,
        strategy=verdict.strategy,
        policy=verdict.policy,
        operators=_operators(definition, verdict),
        reasons=verdict.reasons,
        at_times=verdict.at_times,
        candidates=_candidates(verdict),
        sources=tuple(source.name for source in definition.sources),
        sql=sql,
        options=verdict.options,
        relies=_relies(verdict),
    )


def _relies(verdict: Verdict) -> tuple[str, ...]:
    """The declared keys that are made use of, and whether they are checked."""
    found = () if verdict.program is None else verdict.program.relies
    return tuple(f"{one}, {'trusted' if one.rely else 'checked'}" for one in found)


def _candidates(verdict: Verdict) -> tuple[Candidate, ...]:
    """Both ways; there is one only where changes cannot, or by policy are not, carried through."""
    whole = Candidate(FULL, RECOMPUTE, None, verdict.program is None)
    if verdict.program is None:
        return (whole,)
    return (Candidate(verdict.mode, verdict.strategy, None, True), whole)


def _operators(definition: Definition, verdict: Verdict) -> tuple[Operator, ...]:
    if definition.relation is None:
        return ()
    found: list[Operator] = []

    def visit(node: Relation, depth: int, recursion: str | None) -> None:
        told = _maintained(node, depth, verdict) if recursion is None else None
        told = told or _recomputed(node, depth, recursion or RuleName.RECOMPUTE)
        found.append(told)
        for child in inputs(node):
            in_rounds = isinstance(node, Recursion) and child == node.step
            visit(child, depth + 1, told.rule if in_rounds else recursion)

    visit(definition.relation, 0, None)
    return tuple(found)


def _recomputed(node: Relation, depth: int, rule: str) -> Operator:
    """An operator that is evaluated as a whole, or within a Recursion by the rule of that."""
    reads = (f"after of {node.source}, whole",) if isinstance(node, Scan) else ()
    return Operator(depth, type(node).__name__, describe(node), rule, reads)


def _maintained(node: Relation, depth: int, verdict: Verdict) -> Operator | None:
    """What the rule said that maintains the operator; without one, nothing below it changes."""
    if verdict.prepared is None or verdict.program is None:
        return None
    speaker = verdict.prepared.speaker(node)
    note = verdict.program.notes.get(speaker, Note(RuleName.CONSTANT))
    if node in verdict.prepared.told:
        note = replace(note, rule=verdict.prepared.told[node])
    reasons = verdict.program.reasons_of(verdict.prepared.parts(node))
    return Operator(
        depth,
        type(node).__name__,
        describe(node),
        note.rule,
        note.reads,
        _kept(node, note, verdict.prepared),
        tuple(reason for reason in reasons if reason in verdict.reasons),
        tuple(reason for reason in reasons if reason not in verdict.reasons),
        note.relevant,
    )


def _kept(node: Relation, note: Note, prepared: Prepared) -> tuple[str, ...]:
    """What is kept of an operator: counts in its own words, what its rule says, or its rows."""
    parts = prepared.parts(node)
    kept = [one for one in prepared.kept if one.relation in parts]
    what = None if node in prepared.told else _what_is_counted(node)
    if what is None:
        told = note.state
    else:
        told = tuple(f"{k.label}: {what}" for k in kept if isinstance(k.relation, Aggregate))
    named = [one.partition(":")[0] for one in told]
    return (*told, *(f"{one.label}: its rows" for one in kept if one.label not in named))


def _what_is_counted(node: Relation) -> str | None:
    match node:
        case Distinct():
            return "how often each different row occurs"
        case SetOperation():
            return "how often each different row occurs on either side"
        case Join():
            return "how many rows its right side has, and how many of them are not NULL"
        case _:
            return None
