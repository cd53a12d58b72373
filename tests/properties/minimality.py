"""Is a delta minimal? Quass (1996), section 3.1, for bags; Barbier (2007), section 1.3, for sets.

A delta from one bag to another is what is deleted and what is inserted. It is weakly minimal if
nothing is deleted that is not there, strongly if besides nothing is both deleted and inserted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum

from tests.properties.bags import Violation, bag, comparable
from tests.properties.cases import Bag, Row


class Minimality(StrEnum):
    """How little a delta does, for one that leads from one bag to the other."""

    WRONG = "wrong"  # it does not lead there
    NOT = "not minimal"  # it does, though it deletes what is not there
    WEAK = "weakly minimal"
    STRONG = "strongly minimal"


def minimality(before: Bag, after: Bag, inserted: Bag, deleted: Bag) -> Minimality:
    """Whether the delta leads from one bag to the other, and how minimal it is.

    Deletions come first, and a row that is not there is not deleted: ``(before - N) + D``.
    """
    missing = deleted - before
    if (before - deleted) + inserted != after:
        return Minimality.WRONG
    if missing:
        return Minimality.NOT
    return Minimality.WEAK if deleted & inserted else Minimality.STRONG


def is_minimal_for_sets(before: Bag, inserted: Bag, deleted: Bag) -> bool:
    """Whether nothing is deleted that is not there, and nothing inserted that is."""
    return not (deleted.keys() - before.keys() or inserted.keys() & before.keys())


def of_delta(before: Bag, after: Bag, delta: Iterable[Row]) -> Minimality:
    """The same of rows whose last column is the weight, as a program gives them.

    Whether a row is both is decided by its exact values: doubles that only count as equal are an
    update of one to the other.
    """
    rows = list(delta)
    inserted = [row[:-1] for row in rows if _weight(row) > 0]
    deleted = [row[:-1] for row in rows if _weight(row) < 0]
    found = minimality(before, after, bag(inserted), bag(deleted))
    if found in (Minimality.WRONG, Minimality.NOT):
        return found
    both = Counter(map(_exact, inserted)) & Counter(map(_exact, deleted))
    return Minimality.WEAK if both else Minimality.STRONG


def assert_minimal(what: str, before: Bag, after: Bag, delta: Iterable[Row]) -> None:
    """Fail unless the delta is strongly minimal."""
    rows = list(delta)
    found = of_delta(before, after, rows)
    if found is not Minimality.STRONG:
        raise Violation(f"law 4: the change of the {what} is {found}", str(sorted(map(str, rows))))


def assert_minimal_for_sets(what: str, before: Bag, delta: Iterable[Row]) -> None:
    """Fail unless the delta is minimal for a set."""
    rows = list(delta)
    inserted = bag(row[:-1] for row in rows if _weight(row) > 0)
    deleted = bag(row[:-1] for row in rows if _weight(row) < 0)
    if not is_minimal_for_sets(before, inserted, deleted):
        raise Violation(f"law 4: the change of the {what} is none of a set", str(rows))


def _weight(row: Row) -> int:
    return int(str(row[-1]))


def _exact(row: Row) -> str:
    return repr(comparable(row) if "nan" in repr(row) else row)
