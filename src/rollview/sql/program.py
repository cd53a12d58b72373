"""A program as SQL for people to read: what EXPLAIN shows, and what a refresh runs step by step.

The names say what stands for them: ``changes_orders``, ``before_orders``, ``after_orders`` are
rows of the source, ``state_...`` those of a kept operator; every other name is a step above.
"""

from __future__ import annotations

import re

from rollview.algebra.relations import After, Before, Changes, Relation, State, Temporary
from rollview.algebra.traverse import walk
from rollview.maintenance.prepare import Prepared
from rollview.maintenance.program import Merging, Program, Step
from rollview.sql.merge import render_merge
from rollview.sql.quoting import quoted
from rollview.sql.render import render

_LONG = 90
_WORDS = {
    "change": "the change of an input",
    "keys": "the keys that the change leads to",
    "reached": "rows that the keys lead to",
    "groups": "the changed groups, from their stored values",
    "concerned": "rows whose matches may have changed",
    "values": "the old and the new value, if they differ",
    "lost": "kept rows that were removed",
    "kept": "the first rows before, where some came or were removed",
    "anew": "evaluated again, as the stored value does not suffice",
    "top": "the first rows now",
    "window": "the changed partitions now",
    "recursion": "all rounds again",
    "anchor": "where the rounds begin, for the changed values",
    "touched": "whether anything changed at all",
    "rows": "the rows that are evaluated",
    "pair": "what an operator gains and loses, minimal",
    "more": "what a difference would gain",
    "less": "what a difference would lose",
    "table": "the change table: what the change adds to every total, and to the causes",
    "refresh": "stored rows with a row in the change table, as they were and as they are",
    "new": "rows of the change table, joined with the other operands as they are",
    "unknown": "those of them that are not stored",
    "signs": "what happened to the keys of a parent: the sign of their changes",
    "stayed": "the change of a parent without the keys that are new or gone",
    "regained": "keys of a parent that are selected now and were not, or no more",
    "gone": "the rows of a parent whose keys are gone",
    "removed": "keys that a parent has lost",
    "repeated": "a declared key is broken if there are any: rows with the same key",
    "orphans": "a declared foreign key is broken if there are any: rows without a parent",
    "delta": "the change of its rows, which are kept",
}


def render_program(program: Program, prepared: Prepared) -> str:
    """Every step, then the changes of what is kept, then the change of the view."""
    names = _Names(prepared)
    parts = [
        _cached(step.name, _comment(step), render(step.relation, names.of(step.relation)))
        for step in program.steps
    ]
    for kept in prepared.kept:
        change = program.states.get(kept.name)
        if change is not None:
            statement = render(change, names.of(change))
            text = f"state_{kept.label}_change: to be stored with the rows it belongs to"
            parts.append(_cached(f"state_{kept.label}_change", text, statement))
    parts += [_merged(merging, names) for merging in program.merges]
    if program.delta is None:
        parts.append("-- nothing that the view reads ever changes")
    else:
        statement = render(program.delta, names.of(program.delta))
        parts.append(f"-- the change of the view: rows to add (1) and to remove (-1)\n{statement};")
    return "\n\n".join(parts)


def _merged(merging: Merging, names: _Names) -> str:
    target = f"state_{names.label(merging.kept)}"
    text = f"-- {target}: the same change as one statement by key, for people to read"
    return f"{text}\n{render_merge(merging, quoted(target))};"


class _Names:
    """What stands for the leaves of a program."""

    def __init__(self, prepared: Prepared) -> None:
        self._labels = {kept.name: kept.label for kept in prepared.kept}

    def label(self, kept: str) -> str:
        return self._labels[kept]

    def of(self, relation: Relation) -> dict[str, str]:
        found: dict[str, str] = {}
        for node in walk(relation):
            match node:
                case Changes(source=source) | Before(source=source) | After(source=source):
                    kind = type(node).__name__.lower()
                    found[f"{kind} {source}"] = quoted(f"{kind}_{source}")
                case State(name=name):
                    found[f"state {name}"] = quoted(f"state_{self._labels[name]}")
                case Temporary(name=name):
                    found[f"temporary {name}"] = quoted(name)
                case _:
                    pass
        return found


def _cached(name: str, comment: str, statement: str) -> str:
    return f"-- {comment}\nCACHE TABLE {quoted(name)} AS\n{statement};"


def _comment(step: Step) -> str:
    """What a step is for, on one line."""
    label = re.sub(r"(_\d+)$", "", step.name).rpartition("_")[2]
    operator = " ".join(step.operator.split())
    if len(operator) > _LONG:
        operator = operator[: _LONG - 3] + "..."
    return f"{step.name}: {_WORDS[label]}" + (f" (for {operator})" if operator else "")
