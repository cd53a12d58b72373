"""Which strategy maintains a view, and with which of its options."""

from __future__ import annotations

from dataclasses import dataclass

AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Choice:
    """What was asked for: a strategy by name, and the options that are not left to it.

    Under ``auto`` the strategy is left open, and there are no options.
    """

    strategy: str = AUTO
    options: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return ", ".join((self.strategy, *(f"{name} {value}" for name, value in self.options)))


ANY = Choice()
