"""The strategies there are, and how one is chosen.

A new strategy is a room of its own with its rules and a `Strategy`, named here.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from rollview.algebra.definition import Reason
from rollview.algebra.relations import Relation
from rollview.analysis.accesses import Access
from rollview.analysis.constraints import NONE, Constraints
from rollview.errors import BadOption, InternalError
from rollview.maintenance import algebraic, change_table, counting
from rollview.maintenance.choice import AUTO, Choice
from rollview.maintenance.conversion import prepare_extent, violated_conditions
from rollview.maintenance.counting.join import JOIN_TERMS, TELESCOPED, TRUTH_TABLE
from rollview.maintenance.pairs import FORM, POST, PRE, converted
from rollview.maintenance.prepare import Prepared, prepare
from rollview.maintenance.reach import out_of_reach
from rollview.maintenance.strategy import Strategy

DEFAULT = "counting"


def _without_counts(relation: Relation, moments: bool) -> Prepared:
    return prepare(relation, moments=moments, counts=False)


STRATEGIES: dict[str, Strategy] = {
    one.name: one
    for one in (
        Strategy("counting", counting.RULES, {JOIN_TERMS: (TELESCOPED, TRUTH_TABLE)}),
        Strategy(
            "algebraic",
            algebraic.RULES,
            {FORM: (PRE, POST)},
            prepare=_without_counts,
            image=converted,
            beyond=out_of_reach,
        ),
        Strategy(
            "change_table",
            change_table.RULES,
            prepare=prepare_extent,
            beyond=violated_conditions,
            merges=True,
        ),
    )
}


def choose(strategy: str = AUTO, **options: str | None) -> Choice:
    """What was asked for, checked; an option that is None is left to the strategy.

    Raises BadOption.
    """
    if strategy != AUTO and strategy not in STRATEGIES:
        listed = ", ".join((AUTO, *STRATEGIES))
        raise BadOption(f"there is no strategy {strategy!r}", hint=f"choose one of: {listed}")
    known = STRATEGIES[strategy].options if strategy != AUTO else {}
    given = {name: value for name, value in options.items() if value is not None}
    for name, value in given.items():
        if name not in known:
            raise BadOption(f"the strategy {strategy} has no option {name}", hint=_owners(name))
        if value not in known[name]:
            listed = ", ".join(known[name])
            raise BadOption(f"there is no {name} {value!r}", hint=f"choose one of: {listed}")
    return Choice(strategy, tuple((n, given.get(n, known[n][0])) for n in known))


def _owners(option: str) -> str:
    owners = [one.name for one in STRATEGIES.values() if option in one.options]
    return f"it is an option of: {', '.join(owners)}" if owners else "leave it out"


def strategy_of(choice: Choice) -> Strategy:
    """The strategy that was chosen, or that is taken if none was."""
    name = DEFAULT if choice.strategy == AUTO else choice.strategy
    if name not in STRATEGIES:
        raise InternalError(f"no strategy {name}")
    return STRATEGIES[name]


def option_of(choice: Choice, name: str) -> str:
    """The value of an option: the chosen one, or the strategy's own default."""
    return dict(choice.options).get(name) or strategy_of(choice).options[name][0]


def prepared(
    relation: Relation,
    choice: Choice,
    *,
    moments: bool = True,
    wraps: bool = False,
    constraints: Constraints = NONE,
    form: Constraints | None = None,
    auxiliary: Collection[Access] = (),
) -> Prepared:
    """The form of a relation that the chosen strategy maintains.

    What is declared and what is to be kept of base tables is nothing to those that use no keys.
    """
    own = strategy_of(choice).prepare
    if own is not None:
        return replace(own(relation, moments), choice=choice, wraps=wraps)
    found = prepare(
        relation, moments=moments, constraints=constraints, form=form, auxiliary=auxiliary
    )
    return replace(found, choice=choice, wraps=wraps)


def beyond(relation: Relation, choice: Choice) -> tuple[Reason, ...]:
    """Why the chosen strategy cannot maintain a relation; empty if it can."""
    return strategy_of(choice).beyond(relation, choice)
