"""What the rule of an operator reads, in words: which rows, of which moment, under which keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rollview.algebra.expressions import Expression
from rollview.algebra.printer import show
from rollview.algebra.relations import Filter, Join, Project, Relation, Scan, SingleRow, Sort
from rollview.algebra.traverse import walk
from rollview.maintenance.program import Kept

CHANGES, STATE, BEFORE, AFTER = "changes", "state", "before", "after"
_STATE = " (state)"


@dataclass(frozen=True, slots=True)
class Read:
    """One thing that a rule reads: ``under`` are the keys, None if all rows are wanted.

    ``when`` says in which refreshes it is read, if not in all.
    """

    what: str
    of: str
    under: str | None = None
    when: str = ""


def keys_text(expressions: Iterable[Expression]) -> str | None:
    """Key expressions for people to read; None if there is none."""
    shown = [show(expression) for expression in expressions]
    return f"({', '.join(shown)})" if len(shown) > 1 else "".join(shown) or None


def label(relation: Relation, kept: Callable[[Relation], Kept | None]) -> str:
    """A relation in a few words: its table, its state, or what it is over."""
    one = kept(relation)
    if one is not None:
        return one.label + _STATE
    match relation:
        case Scan(source=source):
            return source
        case Project(child=child) | Filter(child=child) | Sort(child=child):
            return label(child, kept)
        case Join(left=left, right=SingleRow()):
            return label(left, kept)
        case Join(kind=kind):
            word = f"{kind} join"
        case _:
            word = type(relation).__name__
    over = dict.fromkeys(node.source for node in walk(relation) if isinstance(node, Scan))
    return f"{word} over {', '.join(over)}" if over else word


def phrases(reads: Iterable[Read]) -> tuple[str, ...]:
    """What is read, once each: both moments of one relation together, all its keys together."""
    found: dict[tuple[str, str, bool], list[Read]] = {}
    for read in reads:
        found.setdefault((read.of, read.when, read.what in (BEFORE, AFTER)), []).append(read)
    return tuple(_phrase(same) for same in found.values())


def _phrase(reads: list[Read]) -> str:
    first = reads[0]
    when = f", {first.when}" if first.when else ""
    keys = dict.fromkeys(read.under for read in reads)
    under = " under " + " or ".join(key for key in keys if key)
    match first.what:
        case "changes":
            return f"changes of {first.of}"
        case "state":
            return f"state{under if None not in keys else ''}{when}"
        case _:
            moments = " and ".join(m for m in (BEFORE, AFTER) if any(r.what == m for r in reads))
            scope = under if None not in keys else "" if first.of.endswith(_STATE) else ", whole"
            return f"{moments} of {first.of}{scope}{when}"
