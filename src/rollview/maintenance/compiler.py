"""From a maintained relation and the sources that changed to the program of its delta."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rollview.algebra.relations import Relation, Temporary
from rollview.algebra.traverse import walk
from rollview.analysis.constraints import NONE, Constraints
from rollview.analysis.relevance.changes import Relevance
from rollview.maintenance import checks
from rollview.maintenance.choice import ANY, Choice
from rollview.maintenance.clock import SYMBOLIC, Clock
from rollview.maintenance.flow import Flow
from rollview.maintenance.prepare import Prepared
from rollview.maintenance.program import Check, Note, Program, Step
from rollview.maintenance.reads import phrases
from rollview.maintenance.relevant import relevant_changes
from rollview.maintenance.strategies import prepared as made_ready
from rollview.maintenance.strategies import strategy_of


def compile_delta(
    prepared: Prepared,
    changed: Iterable[str],
    clock: Clock = SYMBOLIC,
    relevance: Relevance | None = None,
) -> Program:
    """The program that derives the change of the view from the changes of these sources.

    By the rules of the strategy that it was prepared for. The clock is one of the sources if it
    has gone on; filters on it are evaluated by what it says. Changes that cannot matter are left
    out; which these are may be known already, as ``relevance``.
    """
    if relevance is None:
        relevance = relevant_changes(prepared, clock)
    flow = _flow(prepared, frozenset(changed), clock, relevance)
    delta = flow.delta(prepared.relation)
    states = {}
    for kept in prepared.kept:
        own = flow.delta(kept.relation)
        if own is not None:
            states[kept.name] = own
    relies = tuple(dict.fromkeys((*prepared.relies, *flow.relied)))
    checked = _checks(flow, prepared)
    results = [*states.values(), *([] if delta is None else [delta])]
    steps = _needed(flow.steps, results, {check.step for check in checked})
    run = {step.name for step in steps}
    blames = tuple(blame for blame in flow.blames if blame.step is None or blame.step in run)
    return Program(
        steps,
        delta,
        states,
        _notes(flow),
        blames,
        rare=frozenset(flow.rare & run),
        merges=tuple(flow.merges),
        relies=relies,
        checks=checked,
        causes={name: cause for name, cause in flow.causes.items() if name in run},
    )


def _flow(prepared: Prepared, changed: frozenset[str], clock: Clock, relevance: Relevance) -> Flow:
    strategy = strategy_of(prepared.choice)
    options = {name: values[0] for name, values in strategy.options.items()}
    return Flow(
        strategy.rules,
        strategy.image,
        changed,
        prepared.kept,
        clock,
        options | dict(prepared.choice.options),
        prepared.constraints,
        relevance.predicates,
    )


def made_use_of(
    relation: Relation, constraints: Constraints, sources: Iterable[str], choice: Choice = ANY
) -> Constraints:
    """Those declarations that the maintenance of a relation makes use of, if any source changes."""
    about = constraints.about(relation)
    if not about or not strategy_of(choice).uses_keys:
        return NONE
    form = made_ready(relation, choice, constraints=about)
    return about.only(compile_delta(form, sources).relies)


def _checks(flow: Flow, prepared: Prepared) -> tuple[Check, ...]:
    """What has to be looked at because it is not trusted.

    All that any refresh may make use of: if this one does not, the next one believes it.
    """
    found = (
        check
        for constraint in prepared.constraints.all
        if not constraint.rely
        for check in checks.of_changes(constraint, flow, prepared.relation)
    )
    return tuple(dict.fromkeys(found))


def _notes(flow: Flow) -> dict[Relation, Note]:
    """What the rules said, with what they read."""
    return {
        relation: replace(note, reads=phrases(flow.reads.get(relation, ())))
        for relation, note in flow.notes.items()
    }


def _needed(steps: list[Step], results: list[Relation], named: set[str]) -> tuple[Step, ...]:
    """The steps that the results rest on, and those that are wanted by name."""
    wanted = named | {name for relation in results for name in _temporaries(relation)}
    kept = []
    for step in reversed(steps):
        if step.name in wanted:
            kept.append(step)
            wanted |= _temporaries(step.relation)
    return tuple(reversed(kept))


def _temporaries(relation: Relation) -> set[str]:
    return {node.name for node in walk(relation) if isinstance(node, Temporary)}
