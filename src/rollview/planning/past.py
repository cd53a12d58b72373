"""What past refreshes of a view say about the model: how far off it was, piece by piece.

An estimate is the model's, times how far off it was the last time that piece was done. Of the last
two times the faster one counts: something slow can always come in between. What lies long back
counts less and less, so that a way which was slow once is tried again in the end.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rollview.planning.cost import Constants

_LAST = 2


@dataclass(frozen=True, slots=True)
class Observation:
    """A piece of a past refresh: what the model had said, what it took, and how long ago.

    ``age`` counts the refreshes since; ``first`` says that it was done for the first time in its
    process, which compiles and caches what later ones find.
    """

    piece: str
    model: float
    seconds: float
    age: int
    first: bool = False


@dataclass(frozen=True, slots=True)
class Past:
    """All observations of one view, the newest first."""

    observations: tuple[Observation, ...] = ()

    def factor(self, piece: str, constants: Constants) -> float:
        """By how much the model's seconds have to be multiplied; 1 if nothing is known."""
        found = [o for o in self.observations if o.piece == piece and o.model > 0 and o.seconds > 0]
        if not found:
            return 1.0
        ratio = min(_ratio(one, constants) for one in found[:_LAST])
        weight: float = constants.memory ** found[0].age
        return float(ratio**weight)


def _ratio(one: Observation, constants: Constants) -> float:
    slower = max(1.0, constants.first) if one.first else 1.0
    return one.seconds / slower / one.model


def past_of(observations: Iterable[Observation]) -> Past:
    """The past that these observations are, in any order."""
    return Past(tuple(sorted(observations, key=lambda one: one.age)))


NO_PAST = Past()
