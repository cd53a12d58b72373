"""From a maintained relation and the sources that changed to the program of its delta."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rollview.algebra.relations import Relation, Temporary
from rollview.algebra.traverse import walk
from rollview.maintenance.clock import SYMBOLIC, Clock
from rollview.maintenance.flow import Flow
from rollview.maintenance.prepare import Prepared
from rollview.maintenance.program import Note, Program, Step
from rollview.maintenance.reads import phrases
from rollview.maintenance.strategies import strategy_of


def compile_delta(prepared: Prepared, changed: Iterable[str], clock: Clock = SYMBOLIC) -> Program:
    """The program that derives the change of the view from the changes of these sources.

    By the rules of the strategy that it was prepared for. The clock is one of the sources if it
    has gone on; filters on it are evaluated by what it says.
    """
    strategy = strategy_of(prepared.choice)
    options = {name: values[0] for name, values in strategy.options.items()}
    options |= dict(prepared.choice.options)
    sources = frozenset(changed)
    flow = Flow(strategy.rules, strategy.image, sources, prepared.kept, clock, options)
    delta = flow.delta(prepared.relation)
    states = {}
    for kept in prepared.kept:
        own = flow.delta(kept.relation)
        if own is not None:
            states[kept.name] = own
    steps = _needed(flow.steps, [*states.values(), *([] if delta is None else [delta])])
    run = {step.name for step in steps}
    blames = tuple(blame for blame in flow.blames if blame.step is None or blame.step in run)
    merges = tuple(flow.merges)
    return Program(steps, delta, states, _notes(flow), blames, frozenset(flow.rare & run), merges)


def _notes(flow: Flow) -> dict[Relation, Note]:
    """What the rules said, with what they read."""
    return {
        relation: replace(note, reads=phrases(flow.reads.get(relation, ())))
        for relation, note in flow.notes.items()
    }


def _needed(steps: list[Step], results: list[Relation]) -> tuple[Step, ...]:
    """The steps that the results rest on."""
    wanted = {name for relation in results for name in _temporaries(relation)}
    kept = []
    for step in reversed(steps):
        if step.name in wanted:
            kept.append(step)
            wanted |= _temporaries(step.relation)
    return tuple(reversed(kept))


def _temporaries(relation: Relation) -> set[str]:
    return {node.name for node in walk(relation) if isinstance(node, Temporary)}
