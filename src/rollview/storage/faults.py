"""Named points between durable writes, where tests can make the program stop.

A point does nothing unless a test has planned something for it. Names are those of
docs/commit-protocol.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_planned: dict[str, Callable[[], None]] = {}


class Crash(BaseException):
    """Stands for the death of the process: no handler of ordinary errors sees it."""


def point(name: str) -> None:
    """Do what is planned for the point of this name; usually nothing."""
    action = _planned.get(name)
    if action is not None:
        action()


def crash() -> None:
    """Stop as if the process had died."""
    raise Crash


@contextmanager
def planned(name: str, action: Callable[[], None] = crash) -> Iterator[None]:
    """Within the block, run the action whenever the point is reached."""
    _planned[name] = action
    try:
        yield
    finally:
        del _planned[name]
