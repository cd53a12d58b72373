"""Every way to maintain a view: each strategy with each value of its options."""

from __future__ import annotations

import argparse
from itertools import product

from rollview.algebra.relations import Relation
from rollview.maintenance.choice import AUTO, Choice
from rollview.maintenance.strategies import STRATEGIES, beyond, choose


def _ways(name: str) -> list[Choice]:
    options = STRATEGIES[name].options
    return [
        choose(name, **dict(zip(options, values, strict=True)))
        for values in product(*options.values())
    ]


WAYS = tuple(way for name in STRATEGIES for way in _ways(name))


def way_of(number: int, asked: Choice | None = None) -> Choice:
    """The way that a numbered case is maintained: the one asked for, else each in its turn."""
    return WAYS[number % len(WAYS)] if asked is None else asked


def reaches(way: Choice, relation: Relation) -> bool:
    """Whether a view is within the reach of the strategy."""
    return not beyond(relation, way)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options by which a way is asked for."""
    parser.add_argument("--strategy", choices=(AUTO, *STRATEGIES), help="else each in its turn")
    for option in sorted({name for one in STRATEGIES.values() for name in one.options}):
        parser.add_argument(f"--{option.replace('_', '-')}")


def asked_for(parsed: argparse.Namespace) -> Choice | None:
    """The way that was asked for, if any."""
    if parsed.strategy is None:
        return None
    options = {name for one in STRATEGIES.values() for name in one.options}
    return choose(parsed.strategy, **{name: getattr(parsed, name) for name in options})


def arguments(way: Choice) -> str:
    """The way as arguments of the command line."""
    told = (f"--{name.replace('_', '-')} {value}" for name, value in way.options)
    return " ".join((f"--strategy {way.strategy}", *told))
