"""What is known of sizes before anything is read: of tables, of their changes, of state and view.

Storage tells these from logs and file statistics, without a Spark job; what it cannot tell is None,
and an estimate goes by a guess instead (`planning/cost.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Size:
    """How large a table is: rows, and bytes and number of its files; None where nothing tells."""

    rows: int | None = None
    bytes: int | None = None
    files: int | None = None


@dataclass(frozen=True, slots=True)
class ChangeSize:
    """How large the change of a table is: rows that come and go, and bytes to read for it.

    An update counts on both sides. Rows that were only moved to another file may be among them, so
    these are upper bounds until the change was read; 0 is always exact.
    """

    added: int | None = None
    removed: int | None = None
    bytes: int | None = None

    @property
    def rows(self) -> int | None:
        """All changed rows."""
        return None if self.added is None or self.removed is None else self.added + self.removed


@dataclass(frozen=True, slots=True)
class Statistics:
    """All that one estimate goes by.

    ``tables`` are by source; ``changes`` are those of the sources that have moved, by source;
    ``states`` are by the name of the kept operator.
    """

    tables: Mapping[str, Size] = field(default_factory=dict)
    changes: Mapping[str, ChangeSize] = field(default_factory=dict)
    states: Mapping[str, Size] = field(default_factory=dict)
    view: Size = Size()

    @property
    def only_adds(self) -> bool:
        """Whether it is known that no row of any source was removed or updated."""
        return all(change.removed == 0 for change in self.changes.values())

    def with_read(self, changed: Mapping[str, int]) -> Statistics:
        """The same with how many changed rows were read, by source; without those that have none.

        Where rows may have gone, half of them are taken to have.
        """
        read: dict[str, ChangeSize] = {}
        for source, rows in changed.items():
            told = self.changes.get(source, ChangeSize())
            gone = 0 if told.removed == 0 else rows // 2
            read[source] = replace(told, added=rows - gone, removed=gone)
        return replace(self, changes={s: change for s, change in read.items() if change.rows})
