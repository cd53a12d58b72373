"""How a refresh changes the stored rows of a view, and which way suits which sizes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic

from rollview.storage.base import Rows

# Measured by benchmarks/commits.py; docs/performance.md has the numbers.
_SMALL_VIEW = 1_000_000
_LARGE_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class Replace(Generic[Rows]):
    """All rows of the view, instead of those that are stored."""

    rows: Rows


@dataclass(frozen=True, slots=True)
class Append(Generic[Rows]):
    """More rows, besides those that are stored."""

    rows: Rows


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The rows as they are stored: what they reflect is newer, and shows nowhere in them."""


@dataclass(frozen=True, slots=True)
class Merge(Generic[Rows]):
    """A signed delta, applied where it concerns stored rows.

    ``feed`` says that it is kept as well, beside the rows, for the views that read this one.
    """

    delta: Rows
    feed: bool = False


@dataclass(frozen=True, slots=True)
class Rewrite(Generic[Rows]):
    """A signed delta, applied by writing all rows anew; ``feed`` as for `Merge`.

    ``empties`` says that no row is expected to be left.
    """

    delta: Rows
    feed: bool = False
    empties: bool = False


Change = Replace[Rows] | Append[Rows] | Unchanged | Merge[Rows] | Rewrite[Rows]


class Way(StrEnum):
    """How to apply a delta."""

    APPEND = "append"
    MERGE = "merge"
    REWRITE = "rewrite"


def way_to_apply(stored: int | None, added: int, removed: int, *, merges: bool = False) -> Way:
    """The fastest way to apply a delta that adds and removes so many rows to a view of a size.

    A strategy that ``merges`` has what is removed merged, whatever is faster.
    """
    if removed == 0:
        return Way.APPEND
    if stored is None or merges:
        return Way.MERGE
    if stored <= _SMALL_VIEW or added + removed >= _LARGE_SHARE * stored:
        return Way.REWRITE
    return Way.MERGE
