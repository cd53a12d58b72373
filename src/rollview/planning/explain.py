"""What a refresh of a definition would do, and why: the answer of EXPLAIN."""

from __future__ import annotations

from dataclasses import dataclass

from rollview.algebra.definition import Definition, Reason, ReasonCode
from rollview.algebra.printer import describe
from rollview.algebra.relations import Relation, Scan
from rollview.algebra.traverse import inputs

_FULL = "full"


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator of the definition: the rule that maintains it, what it reads and keeps."""

    depth: int
    kind: str
    text: str
    rule: str
    reads: tuple[str, ...]
    state: tuple[str, ...]
    reasons: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        return {
            "depth": self.depth,
            "kind": self.kind,
            "text": self.text,
            "rule": self.rule,
            "reads": list(self.reads),
            "state": list(self.state),
            "reasons": list(self.reasons),
        }


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to refresh, with its estimated cost where there is an estimate."""

    mode: str
    strategy: str
    cost: float | None
    chosen: bool

    def to_dict(self) -> dict[str, object]:
        return {
            "mode": self.mode,
            "strategy": self.strategy,
            "cost": self.cost,
            "chosen": self.chosen,
        }


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a view is or would be refreshed; prints as a readable tree."""

    mode: str
    strategy: str
    policy: str
    operators: tuple[Operator, ...]
    reasons: tuple[Reason, ...]
    candidates: tuple[Candidate, ...]
    sources: tuple[str, ...]
    sql: str

    def to_dict(self) -> dict[str, object]:
        """The explanation as plain data that JSON can hold."""
        return {
            "mode": self.mode,
            "strategy": self.strategy,
            "policy": self.policy,
            "operators": [operator.to_dict() for operator in self.operators],
            "reasons": [
                {"code": r.code.value, "piece": r.piece, "message": r.message, "hint": r.hint}
                for r in self.reasons
            ],
            "candidates": [candidate.to_dict() for candidate in self.candidates],
            "sources": list(self.sources),
            "sql": self.sql,
        }

    def __str__(self) -> str:
        lines = [f"refresh: {self.mode} ({self.strategy}), policy {self.policy}", "operators:"]
        for operator in self.operators:
            lines.append(f"  {'  ' * operator.depth}{operator.text}  <- {operator.rule}")
        if not self.operators:
            lines.append("  (none: the query is kept as Spark's own plan)")
        if self.sources:
            lines.append("reads: " + ", ".join(self.sources))
        if self.reasons:
            lines.append("reasons:")
        for reason in self.reasons:
            lines.append(f"  [{reason.code}] {reason.message}")
            if reason.hint:
                lines.append(f"    hint: {reason.hint}")
        return "\n".join(lines)


def explain(definition: Definition, policy: str, sql: str) -> Explanation:
    """The explanation of a definition; ``sql`` is the statement that a refresh would run."""
    return Explanation(
        mode=_FULL,
        strategy="recompute",
        policy=policy,
        operators=_operators(definition.relation),
        reasons=(*definition.reasons, *_missing_rules(definition)),
        candidates=(Candidate(_FULL, "recompute", None, True),),
        sources=tuple(source.name for source in definition.sources),
        sql=sql,
    )


def _operators(relation: Relation | None) -> tuple[Operator, ...]:
    if relation is None:
        return ()
    found: list[Operator] = []

    def visit(node: Relation, depth: int) -> None:
        kind = type(node).__name__
        reads = (f"{node.source} whole",) if isinstance(node, Scan) else ()
        found.append(
            Operator(depth, kind, describe(node), "recompute", reads, (), (ReasonCode.NO_RULE,))
        )
        for child in inputs(node):
            visit(child, depth + 1)

    visit(relation, 0)
    return tuple(found)


def _missing_rules(definition: Definition) -> tuple[Reason, ...]:
    if definition.relation is None:
        return ()
    return (
        Reason(
            ReasonCode.NO_RULE,
            type(definition.relation).__name__,
            "no operator has an incremental rule yet, so a refresh recomputes the whole view",
        ),
    )
