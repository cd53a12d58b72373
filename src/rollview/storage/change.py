"""How a refresh changes the stored rows of a view; which way suits which sizes is planned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from rollview.storage.base import Rows


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
