"""Assertions for tests of views: rows compared as bags, views against recomputation.

Exact values pair rows; floating values are then compared with a relative tolerance, since the
order in which Spark adds them is not fixed. NULL equals NULL and NaN equals NaN.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame

from rollview.runtime.collectable import collectable
from rollview.runtime.pairing import unpaired

if TYPE_CHECKING:
    from rollview.session import Session

SHOWN_ROWS = 5

Rows = Iterable[Sequence[Any]]
Key = tuple[Any, ...]
Floats = tuple[float, ...]


def assert_same_rows(actual: DataFrame | Rows, expected: DataFrame | Rows) -> None:
    """Fail unless both hold the same rows, each as many times; order and column names are free."""
    left, right = rows_of(actual), rows_of(expected)
    _assert_same_width(left, right)
    difference = compare_rows(left, right)
    if difference:
        raise AssertionError(_describe(difference, len(left), len(right)))


def assert_view_matches_recompute(session: Session, view: str) -> None:
    """Fail unless the stored view equals its query at the source versions that it reflects."""
    report = session.verify(view)
    if report.correct:
        return
    found = f"{report.missing} rows missing, {report.unexpected} unexpected"
    lines = [f"view {report.view} differs from its recomputation: {found}"]
    lines += [f"  - {row}" for row in report.missing_sample[:SHOWN_ROWS]]
    lines += [f"  + {row}" for row in report.unexpected_sample[:SHOWN_ROWS]]
    lines += [f"  note: {report.note}"] if report.note else []
    raise AssertionError("\n".join(lines))


@dataclass(frozen=True)
class Difference:
    """Rows of the expected bag that are missing, and rows that nobody expected."""

    missing: list[tuple[Any, ...]]
    unexpected: list[tuple[Any, ...]]

    def __bool__(self) -> bool:
        return bool(self.missing or self.unexpected)


def rows_of(data: DataFrame | Rows) -> list[tuple[Any, ...]]:
    """The rows of a DataFrame or any iterable of rows, as plain tuples."""
    if isinstance(data, DataFrame):
        return [tuple(row) for row in collectable(data).collect()]
    return [tuple(row) for row in data]


def compare_rows(actual: Rows, expected: Rows) -> Difference:
    """What distinguishes two bags of rows."""
    ours, theirs = _by_exact_values(actual), _by_exact_values(expected)
    missing: list[tuple[Any, ...]] = []
    unexpected: list[tuple[Any, ...]] = []
    for key in ours.keys() | theirs.keys():
        lost, extra = _unpaired(theirs.get(key, []), ours.get(key, []))
        missing += lost
        unexpected += extra
    return Difference(sorted(missing, key=_sortable), sorted(unexpected, key=_sortable))


# --- pairing rows ---------------------------------------------------------------------------

Entry = tuple[Floats, tuple[Any, ...]]


def _by_exact_values(rows: Rows) -> dict[Key, list[Entry]]:
    groups: dict[Key, list[Entry]] = defaultdict(list)
    for row in rows:
        floats: list[float] = []
        key = tuple(_exact(value, floats) for value in row)
        groups[key].append((tuple(floats), tuple(row)))
    return groups


def _exact(value: Any, floats: list[float]) -> Any:
    """A hashable form of a value in which every float is a hole; the floats are appended."""
    match value:
        case None:
            return None
        case bool():
            return ("bool", value)  # True would otherwise equal 1
        case float():
            floats.append(value)
            return "float"
        case bytes() | bytearray():
            return ("bytes", bytes(value))
        case Mapping():
            entries = sorted(value.items(), key=lambda entry: _sortable(entry[0]))
            return ("map", *[(_whole(k), _exact(v, floats)) for k, v in entries])
        case list() | tuple():
            return ("row", *[_exact(item, floats) for item in value])
        case _ if hasattr(value, "toPython"):  # a variant: equal values may differ in encoding
            return ("variant", _exact(value.toPython(), floats))
        case _:
            return value


def _whole(value: Any) -> Any:
    floats: list[float] = []
    return (_exact(value, floats), tuple(repr(number) for number in floats))


def _unpaired(
    expected: list[Entry], actual: list[Entry]
) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    if not expected or not actual or not expected[0][0]:
        surplus = len(actual) - len(expected)
        return (
            [row for _, row in expected[: max(-surplus, 0)]],
            [row for _, row in actual[: max(surplus, 0)]],
        )
    rest_expected, rest_actual = _without_identical(expected, actual)
    lost, extra = unpaired([f for f, _ in rest_expected], [f for f, _ in rest_actual])
    return [rest_expected[i][1] for i in lost], [rest_actual[j][1] for j in extra]


def _without_identical(
    expected: list[Entry], actual: list[Entry]
) -> tuple[list[Entry], list[Entry]]:
    """Drop pairs of identical floats: almost all rows, so that matching sees only a few."""
    common = Counter(repr(floats) for floats, _ in expected)
    common &= Counter(repr(floats) for floats, _ in actual)

    def rest(entries: list[Entry]) -> list[Entry]:
        left = common.copy()
        kept = []
        for entry in sorted(entries, key=lambda entry: _sortable(entry[0])):
            if left[repr(entry[0])] > 0:
                left[repr(entry[0])] -= 1
            else:
                kept.append(entry)
        return kept

    return rest(expected), rest(actual)


def _sortable(value: Any) -> tuple[str, str]:
    return (type(value).__name__, repr(value))


# --- telling --------------------------------------------------------------------------------


def _assert_same_width(actual: list[tuple[Any, ...]], expected: list[tuple[Any, ...]]) -> None:
    widths = {len(row) for row in actual}, {len(row) for row in expected}
    if all(widths) and widths[0] != widths[1]:
        raise AssertionError(
            f"rows have {_counts(widths[0])} columns, expected {_counts(widths[1])}"
        )


def _counts(widths: set[int]) -> str:
    return " or ".join(str(width) for width in sorted(widths))


def _describe(difference: Difference, actual: int, expected: int) -> str:
    found = f"{len(difference.missing)} missing (-), {len(difference.unexpected)} unexpected (+)"
    lines = [f"rows differ: {found}; {actual} rows, expected {expected}"]
    for sign, rows in (("-", difference.missing), ("+", difference.unexpected)):
        lines += [f"  {sign} {row!r}" for row in rows[:SHOWN_ROWS]]
        if len(rows) > SHOWN_ROWS:
            lines.append(f"  {sign} ... {len(rows) - SHOWN_ROWS} more")
    return "\n".join(lines)
