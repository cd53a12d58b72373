"""Named points between durable writes, where tests can make the program stop.

A point does nothing unless a test has planned something for it. Names are those of
docs/commit-protocol.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

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
def planned(name: str, action: Callable[[], None] = crash, *, hit: int = 1) -> Iterator[None]:
    """Within the block, run the action from the ``hit``-th time on that the point is reached.

    One refresh passes a point once for every view, and once for every segment.
    """
    hits = count(1)

    def passed() -> None:
        if next(hits) >= hit:
            action()

    _planned[name] = passed
    try:
        yield
    finally:
        del _planned[name]
