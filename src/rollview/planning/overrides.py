"""What a session sets for the cost model: its constants, and ways that are to be taken.

Names are Spark settings, so that they can be set for one session, one refresh, or a whole cluster;
docs/cost-model.md lists them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rollview.errors import BadOption
from rollview.planning.cost import DEFAULTS, Constants, Way
from rollview.planning.verdict import COUNTING, KEY_SCOPED, RECOMPUTE

OURS = "spark.rollview."
STRATEGY = f"{OURS}refresh.strategy"
APPLY = f"{OURS}refresh.apply"
AUTO = "auto"
_STRATEGIES = (COUNTING, KEY_SCOPED, RECOMPUTE)
_WAYS = (Way.APPEND, Way.MERGE, Way.REWRITE)


@dataclass(frozen=True, slots=True)
class Overrides:
    """The constants in force, and the strategy and the way to apply that are asked for, if any.

    What is asked for and is not possible in a refresh is not taken; no policy is overruled.
    """

    constants: Constants = DEFAULTS
    strategy: str | None = None
    way: Way | None = None


def overrides(settings: Mapping[str, str]) -> Overrides:
    """What these settings of a session say. Raises BadOption if one of ours says nothing."""
    strategy = _one_of(settings, STRATEGY, _STRATEGIES)
    way = _one_of(settings, APPLY, _WAYS)
    constants = DEFAULTS.with_settings(settings)
    return Overrides(constants, strategy, None if way is None else Way(way))


def _one_of(settings: Mapping[str, str], key: str, known: tuple[str, ...]) -> str | None:
    text = settings.get(key, AUTO)
    if text == AUTO:
        return None
    if text not in known:
        raise BadOption(
            f"{key} is {text!r}, which is no way to refresh",
            hint=f"unset it, or choose one of: {', '.join((AUTO, *known))}",
        )
    return text
