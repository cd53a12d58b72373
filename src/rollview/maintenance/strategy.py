"""What a strategy is: a family of rules, the form it maintains, its options and its reach."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from rollview.algebra.definition import Reason
from rollview.algebra.relations import Relation
from rollview.maintenance.choice import Choice
from rollview.maintenance.flow import ImageOf, Rule
from rollview.maintenance.images import image
from rollview.maintenance.prepare import Prepared

Prepare = Callable[[Relation, bool], Prepared]
Reach = Callable[[Relation, Choice], tuple[Reason, ...]]


def _everything(_relation: Relation, _choice: Choice) -> tuple[Reason, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Strategy:
    """One way to derive deltas; all of them yield the same kind of program.

    ``options`` has the values of every option, the default first; rules ask the flow for them.
    ``prepare`` makes the form, if that is not the one of `maintenance.prepare`.
    ``beyond`` says which conditions of the strategy a relation violates, so that it is out of its
    reach; none by default. What ``merges`` has its change merged into the stored rows, however
    small the view is.
    """

    name: str
    rules: Mapping[type, Rule]
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    prepare: Prepare | None = None
    image: ImageOf = image
    beyond: Reach = _everything
    merges: bool = False

    @property
    def uses_keys(self) -> bool:
        """Whether it makes use of declared keys, and can keep what it would read of base tables.

        Only `maintenance.prepare` knows of both.
        """
        return self.prepare is None
