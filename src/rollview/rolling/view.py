"""A view as the algorithms see it: numbered relations, joined, filtered and projected.

Salem et al. (2000), section 2: ``V = pi(sigma(R^1 .. R^n))``, and unions of such views, each of
which is rolled for itself. Everything else has no propagation queries of this form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rollview.algebra.printer import describe
from rollview.algebra.relations import Filter, Named, Project, Relation, Scan, Sort, Union
from rollview.algebra.schema import Schema
from rollview.algebra.traverse import with_inputs
from rollview.errors import InternalError
from rollview.maintenance.clock import reads_clock
from rollview.maintenance.outward import Joined, flatten, is_plain
from rollview.maintenance.signed import reference
from rollview.rolling.source import Source


@dataclass(frozen=True, slots=True)
class Rolled:
    """One relation ``R^i``: a scan with the filters and projections directly above it."""

    scan: Scan
    input: int
    live: bool

    @property
    def source(self) -> str:
        return self.scan.source


@dataclass(frozen=True, slots=True)
class RolledView:
    """A join of relations; a source that is read twice is two of them."""

    joined: Joined
    relations: tuple[Rolled, ...]
    columns: Schema

    @property
    def live(self) -> tuple[bool, ...]:
        """For each relation, whether only its present can be read."""
        return tuple(relation.live for relation in self.relations)

    @property
    def is_live(self) -> bool:
        """Whether no relation keeps versions."""
        return all(self.live)


def rolled(relation: Relation, sources: Iterable[Source]) -> RolledView:
    """The view of one join over these sources, which say whether they keep versions."""
    versioned = {source.name: source.versioned for source in sources}
    joined = flatten(_unsorted(relation), lambda _: None)
    relations = []
    for index, child in enumerate(joined.inputs):
        if not is_plain(child) or _asks_clock(child):
            raise InternalError(f"{describe(_leaf(child))} cannot be rolled")
        scan = _leaf(child)
        if isinstance(scan, Scan):
            relations.append(Rolled(scan, index, not versioned[scan.source]))
    return RolledView(joined, tuple(relations), relation.columns)


def branches(relation: Relation) -> Iterator[Relation]:
    """The joins whose union a relation is: unions under filters and projections are taken apart."""
    match relation:
        case Union(inputs=many, columns=columns):
            for child in many:
                items = tuple(
                    Named(column.name, reference(own))
                    for column, own in zip(columns, child.columns, strict=True)
                )
                yield from branches(Project(child, items))
        case Project(child=child) | Filter(child=child) if _has_union(child):
            yield from (with_inputs(relation, (branch,)) for branch in branches(child))
        case Sort(child=child):
            yield from branches(child)
        case _:
            yield relation


def obstacle(relation: Relation) -> str | None:
    """What keeps a relation from being rolled, as a word or two; None if nothing does."""
    for branch in branches(relation):
        joined = flatten(branch, lambda _: None)
        for child in joined.inputs:
            if not is_plain(child):
                return describe(_leaf(child))
            if _asks_clock(child):
                return "a condition on the clock"
    return None


def _has_union(relation: Relation) -> bool:
    match relation:
        case Union():
            return True
        case Project(child=child) | Filter(child=child) | Sort(child=child):
            return _has_union(child)
        case _:
            return False


def _unsorted(relation: Relation) -> Relation:
    return _unsorted(relation.child) if isinstance(relation, Sort) else relation


def _leaf(relation: Relation) -> Relation:
    while isinstance(relation, Project | Filter):
        relation = relation.child
    return relation


def _asks_clock(relation: Relation) -> bool:
    while isinstance(relation, Project | Filter):
        if isinstance(relation, Filter) and reads_clock(relation.condition):
            return True
        relation = relation.child
    return False
