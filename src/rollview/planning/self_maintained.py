"""The answer about self-maintenance: per table and kind of change, and the auxiliary views."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum

from rollview.analysis.accesses import Access


class Kind(StrEnum):
    """What happens to the rows of one table."""

    INSERT = "insert"
    DELETE = "delete"
    UPDATE = "update"  # of columns that no condition is about
    EXPOSED = "update of conditions"  # of columns that a condition is about


KINDS = tuple(Kind)


@dataclass(frozen=True, slots=True)
class Auxiliary:
    """An access that is kept, with what it is estimated to hold."""

    access: Access
    part: float
    rows: int | None
    bytes: int | None
    is_copy: bool
    columns: int
    """How many the table has."""

    @property
    def name(self) -> str:
        return self.access.name

    def to_dict(self) -> dict[str, object]:
        return {
            "table": self.access.table,
            "query": self.name,
            "columns": list(self.access.fields),
            "of_columns": self.columns,
            "part_of_rows": round(self.part, 6),
            "rows": self.rows,
            "bytes": self.bytes,
            "full_copy": self.is_copy,
        }


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of change of one table: whether the views need no table, and what else if they do.

    ``needs`` are auxiliary views; ``missing`` are tables that have to be read whatever is kept;
    ``unless`` names accidents after which tables are read all the same.
    """

    table: str
    kind: Kind
    columns: tuple[str, ...]
    needs: tuple[str, ...]
    missing: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()

    @property
    def alone(self) -> bool:
        """Whether the change, the views and what is declared suffice."""
        return not self.needs and not self.missing

    def to_dict(self) -> dict[str, object]:
        return {
            "table": self.table,
            "change": self.kind.value,
            "columns": list(self.columns),
            "self_maintainable": self.alone,
            "auxiliary_views": list(self.needs),
            "reads": list(self.missing),
            "unless": list(self.unless),
        }


@dataclass(frozen=True, slots=True)
class SelfMaintenance:
    """The answer for a view or a set of views: per table and kind, then all auxiliary views."""

    findings: tuple[Finding, ...]
    auxiliaries: tuple[Auxiliary, ...]

    def auxiliary(self, name: str) -> Auxiliary:
        return next(one for one in self.auxiliaries if one.name == name)

    def needed(self, kinds: Collection[Kind] = KINDS) -> tuple[Auxiliary, ...]:
        """What has to be kept for changes of these kinds of any table."""
        names = {name for one in self.findings if one.kind in kinds for name in one.needs}
        return tuple(one for one in self.auxiliaries if one.name in names)

    def to_dict(self) -> dict[str, object]:
        return {
            "changes": [one.to_dict() for one in self.findings],
            "auxiliary_views": [one.to_dict() for one in self.auxiliaries],
        }

    def __str__(self) -> str:
        labels = {one.name: f"A{place}" for place, one in enumerate(self.auxiliaries, 1)}
        head = ("table", "change", "self-maintainable", "auxiliary views")
        rows = [
            (one.table, _change(one), _answer(one), ", ".join(labels[name] for name in one.needs))
            for one in self.findings
        ]
        lines = _table(head, rows)
        if self.auxiliaries:
            sized = [(labels[one.name], one.name, *_size(one)) for one in self.auxiliaries]
            lines += ["", *_table(("", "auxiliary view", "columns", "rows", "size"), sized)]
        unless = dict.fromkeys(text for one in self.findings for text in one.unless)
        lines += [f"unless {text}: then tables are read" for text in unless]
        return "\n".join(lines)


def _change(finding: Finding) -> str:
    if finding.kind in (Kind.INSERT, Kind.DELETE):
        return finding.kind.value
    return f"update of {', '.join(finding.columns)}"


def _answer(finding: Finding) -> str:
    if finding.missing:
        return f"no: reads {', '.join(finding.missing)}"
    return "yes" if finding.alone else "with"


def _size(one: Auxiliary) -> tuple[str, str, str]:
    some = f"{len(one.access.fields)} of {one.columns}"
    columns = "all: a full copy" if one.is_copy else some
    rows = f"{one.part:.1%}" + ("" if one.rows is None else f", about {one.rows:,}")
    return columns, rows, "" if one.bytes is None else f"about {one.bytes:,} bytes"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Columns as wide as they have to be, for people to read."""
    every = [head, *rows]
    widths = [max(len(row[place]) for row in every) for place in range(len(head))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in every
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return [line.rstrip() for line in lines]
