"""What work costs: amounts that can be counted beforehand, times constants that were fitted.

The model is linear on purpose. Every amount is recorded with the seconds that the work took
(`runtime/estimates.py`), so the constants can be fitted to any machine from the history files alone
(`python -m benchmarks.fit_costs`); docs/cost-model.md says what each stands for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum

from rollview.errors import BadOption

PREFIX = "spark.rollview.cost."


class Way(StrEnum):
    """How rows reach the stored view."""

    APPEND = "append"
    MERGE = "merge"
    REWRITE = "rewrite"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True)
class Work:
    """Amounts of work. Every field has a constant of its name: the seconds that one of it takes."""

    statement: float = 0.0
    operator: float = 0.0
    scan: float = 0.0
    cell: float = 0.0
    row: float = 0.0
    held: float = 0.0
    change: float = 0.0
    change_byte: float = 0.0
    written: float = 0.0
    segment: float = 0.0
    append: float = 0.0
    merge: float = 0.0
    rewrite: float = 0.0
    replace: float = 0.0

    def __add__(self, other: Work) -> Work:
        ours, theirs = asdict(self), asdict(other)
        return Work(**{name: ours[name] + theirs[name] for name in ours})

    def to_dict(self) -> dict[str, float]:
        """The amounts that are not zero."""
        return {name: round(amount, 3) for name, amount in asdict(self).items() if amount}


@dataclass(frozen=True, slots=True)
class Constants:
    """The constants of the model; each can be set in a session as ``spark.rollview.cost.<name>``.

    Seconds, of 2 cores, for one of each kind of work; then what is assumed where nothing is known;
    then how the past of a view counts.
    """

    # Seconds of work.
    statement: float = 0.12
    operator: float = 0.012
    scan: float = 0.06
    cell: float = 2e-8
    row: float = 2e-7
    held: float = 2e-6
    change: float = 0.25
    change_byte: float = 1e-8
    written: float = 1.5e-6
    segment: float = 0.15
    append: float = 0.25
    merge: float = 1.4
    rewrite: float = 0.8
    replace: float = 0.6
    # What is assumed.
    rows: float = 1_000_000.0
    row_bytes: float = 50.0
    selectivity: float = 0.3
    groups: float = 0.1
    under_keys: float = 0.5
    rounds: float = 5.0
    copies: float = 3.0
    change_share: float = 0.001
    # How the past counts.
    first: float = 1.5
    memory: float = 0.95

    def with_settings(self, settings: Mapping[str, str]) -> Constants:
        """The constants with those that a session sets. Raises BadOption for what is no constant.

        Settings that are not ours are passed over.
        """
        names = {field.name for field in fields(self)}
        found: dict[str, float] = {}
        for key, text in settings.items():
            if not key.startswith(PREFIX):
                continue
            name = key.removeprefix(PREFIX)
            if name not in names:
                raise BadOption(
                    f"there is no constant {name} of the cost model, which {key} would set",
                    hint=f"unset it, or choose one of: {', '.join(sorted(names))}",
                )
            found[name] = _number(key, text)
        return replace(self, **found)

    def seconds(self, work: Work) -> float:
        """What the work is expected to take."""
        prices: dict[str, float] = asdict(self)
        amounts: dict[str, float] = asdict(work)
        return sum(amount * prices[name] for name, amount in amounts.items())


DEFAULTS = Constants()


def _number(key: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value < float("inf"):
        raise BadOption(
            f"{key} is {text!r}, which is no number of 0 or more", hint="unset it, or set a number"
        )
    return value
