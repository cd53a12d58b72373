"""The answer of EXPLAIN: how a view is or would be refreshed, and why."""

from __future__ import annotations

from dataclasses import dataclass

from rollview.algebra.definition import Reason
from rollview.maintenance.program import RuleName
from rollview.planning.self_maintained import SelfMaintenance

_LONG = 100  # characters of an operator's text that are printed


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator of the definition: the rule that maintains it, what it reads and keeps.

    ``reasons`` say why it is not maintained from the changes alone, ``at_times`` why it is not in
    some refreshes. ``relevant`` is what is true of the changes of a base table that can matter.
    """

    depth: int
    kind: str
    text: str
    rule: str
    reads: tuple[str, ...] = ()
    state: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()
    at_times: tuple[Reason, ...] = ()
    relevant: str | None = None

    def lines(self, width: int) -> list[str]:
        """The rule in a column of this width, the operator, and below it what is said of it."""
        indent = "  " * self.depth
        margin = " " * (width + 4) + indent
        lines = [f"{self.rule:{width}}  {indent}{_short(self.text)}"]
        reads = () if self.rule == RuleName.CHANGES else self.reads  # the rule says it already
        lines += _listed(f"{margin}reads ", reads)
        lines += [] if self.relevant is None else [f"{margin}where {self.relevant}"]
        lines += _listed(f"{margin}keeps ", tuple(_short(state) for state in self.state))
        lines += _reason_lines(margin, self.reasons)
        return lines + _reason_lines(f"{margin}at times ", self.at_times)

    def to_dict(self) -> dict[str, object]:
        return {
            "depth": self.depth,
            "kind": self.kind,
            "text": self.text,
            "rule": self.rule,
            "reads": list(self.reads),
            "state": list(self.state),
            "reasons": [_plain(reason) for reason in self.reasons],
            "at_times": [_plain(reason) for reason in self.at_times],
            "relevant": self.relevant,
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
    """How a view is or would be refreshed; prints as a readable tree.

    ``options`` are those of a strategy that was asked for by name.
    """

    mode: str
    strategy: str
    policy: str
    operators: tuple[Operator, ...]
    reasons: tuple[Reason, ...]
    at_times: tuple[Reason, ...]
    candidates: tuple[Candidate, ...]
    sources: tuple[str, ...]
    sql: str
    options: tuple[tuple[str, str], ...] = ()
    relies: tuple[str, ...] = ()
    self_maintenance: SelfMaintenance | None = None

    def to_dict(self) -> dict[str, object]:
        """The explanation as plain data that JSON can hold."""
        told = self.self_maintenance
        return {
            "mode": self.mode,
            "strategy": self.strategy,
            "options": dict(self.options),
            "policy": self.policy,
            "operators": [operator.to_dict() for operator in self.operators],
            "reasons": [_plain(reason) for reason in self.reasons],
            "at_times": [_plain(reason) for reason in self.at_times],
            "candidates": [candidate.to_dict() for candidate in self.candidates],
            "sources": list(self.sources),
            "sql": self.sql,
            "relies": list(self.relies),
            **({} if told is None else {"self_maintenance": told.to_dict()}),
        }

    def __str__(self) -> str:
        way = ", ".join((self.strategy, *(f"{name} {value}" for name, value in self.options)))
        head = f"refresh: {self.mode} ({way}), policy {self.policy}"
        lines = [head, f"sources: {', '.join(self.sources)}"] if self.sources else [head]
        lines += [f"relies on {one}" for one in self.relies]
        lines += [""] if self.sources else []
        width = max((len(operator.rule) for operator in self.operators), default=0)
        for operator in self.operators:
            lines += operator.lines(width)
        if not self.operators:
            lines.append("(no operators: the query is kept as Spark's own plan)")
        told = {reason for operator in self.operators for reason in operator.reasons}
        lines += _reason_lines("", tuple(r for r in self.reasons if r not in told))
        if self.self_maintenance is not None:
            lines += ["", "self-maintenance:", str(self.self_maintenance)]
        return "\n".join(lines)


def _plain(reason: Reason) -> dict[str, object]:
    return {
        "code": reason.code.value,
        "piece": reason.piece,
        "message": reason.message,
        "hint": reason.hint,
    }


def _short(text: str) -> str:
    return text if len(text) <= _LONG else text[: _LONG - 3] + "..."


def _listed(start: str, items: tuple[str, ...]) -> list[str]:
    """One line per item, the others below the first."""
    return [(start if i == 0 else " " * len(start)) + item for i, item in enumerate(items)]


def _reason_lines(start: str, reasons: tuple[Reason, ...]) -> list[str]:
    """Codes and messages; a hint that several reasons share is given once, after the last."""
    lines = []
    for index, reason in enumerate(reasons):
        lines.append(f"{start}[{reason.code}] {reason.message}")
        shared = any(later.hint == reason.hint for later in reasons[index + 1 :])
        if reason.hint and not shared:
            lines.append(f"{' ' * len(start)}hint: {reason.hint}")
    return lines
