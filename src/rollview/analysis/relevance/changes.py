"""Which changes of a source can matter to a view at all: irrelevant updates.

Blakeley, Larson, Tompa (1986), section 4: a row that is inserted or deleted is irrelevant if the
condition of the view, with the values of the row put in, cannot be satisfied, whatever the other
tables hold. Here the condition is that of every path from a scan to something stored, and putting
in is left to Spark: for each scan there is one predicate over its columns. For conjunctions of
``x op y + c`` without ``<>``, over integers or dates, it is true of exactly the relevant rows; of
others it may be true of more, never of fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, reduce

from rollview.algebra.expressions import ColumnRef, Expression, binary
from rollview.algebra.relations import Relation, Scan
from rollview.algebra.traverse import substitute
from rollview.analysis.range import Range
from rollview.analysis.relevance.conditions import ZERO, Conditions, edge, truth
from rollview.analysis.relevance.domains import family, has_sums, value
from rollview.analysis.relevance.formulas import Edge, Formula, place_of
from rollview.analysis.relevance.graph import is_satisfiable
from rollview.analysis.relevance.linear import Node
from rollview.analysis.relevance.places import paths, relevant
from rollview.analysis.relevance.predicates import NEVER, Alternative, alternative, predicate

RangeOf = Callable[[str, str], Range | None]
"""The range of a field of changed rows, by its name and type, if it is known."""


@dataclass(frozen=True, slots=True)
class Relevance:
    """The changes that matter, scan by scan; a scan that is not there wants all of them.

    All changes of the sources in ``whole`` are wanted by something else than scans.
    """

    predicates: Mapping[Scan, Expression] = field(default_factory=dict)
    _ways: Mapping[Scan, tuple[Alternative, ...]] = field(default_factory=dict)
    _scans: tuple[Scan, ...] = ()
    whole: frozenset[str] = frozenset()

    def of_source(self, source: str) -> Expression | None:
        """True of the changed rows that matter to any scan of a source; None if all may.

        Columns have the names of the source. If nothing scans it, none of its changes matters.
        """
        found: list[Expression] = []
        if source in self.whole:
            return None
        for scan in self._scans:
            if scan.source != source:
                continue
            if scan not in self.predicates:
                return None
            pairs = zip(scan.columns, scan.fields, strict=True)
            names: dict[str, Expression] = {
                c.name: ColumnRef(f, c.type, c.nullable) for c, f in pairs
            }
            found.append(substitute(self.predicates[scan], names))
        different = [one for one in dict.fromkeys(found) if one != NEVER]
        if not different:
            return NEVER
        return reduce(lambda one, two: binary("Or", "OR", one, two, "BOOLEAN"), different)

    def can_matter(self, source: str, range_of: RangeOf) -> bool:
        """Whether any of some changed rows may matter, by what is known of all of them."""
        known = cache(range_of)
        own = (scan for scan in self._scans if scan.source == source)
        return source in self.whole or any(self._may_hold(scan, known) for scan in own)

    def _may_hold(self, scan: Scan, range_of: RangeOf) -> bool:
        if scan not in self._ways:
            return True
        fields = dict(zip((c.name for c in scan.columns), scan.fields, strict=True))

        def known(column: ColumnRef) -> Range | None:
            return range_of(fields[column.name], column.type)

        return any(_is_within(way, known) for way in self._ways[scan])


def relevance(
    relation: Relation,
    kept: Collection[Relation] = (),
    *,
    wraps: bool = False,
    whole: Collection[str] = (),
) -> Relevance:
    """The changes that matter to the rows of a view and of kept operators within it.

    With ``wraps``, sums of integers that overflow are no errors, and are not looked into. All
    changes of sources in ``whole`` are wanted by something else.
    """
    conditions = Conditions(wraps)
    found: dict[Scan, list[Alternative] | None] = {}
    for scan, path in paths(relation):
        if found.get(scan, []) is None:
            continue
        place, needed = relevant(relation, path, kept, conditions)
        ways = _alternatives(needed, scan, place)
        found[scan] = None if predicate(ways) is None else [*(found.get(scan) or []), *ways]
    predicates, known = {}, {}
    for scan, all_ways in found.items():
        wanted = None if all_ways is None else predicate(all_ways)
        if all_ways is not None and wanted is not None:
            predicates[scan] = wanted
            known[scan] = tuple(all_ways)
    return Relevance(predicates, known, tuple(found), frozenset(whole))


def _alternatives(needed: Formula, scan: Scan, place: int) -> list[Alternative]:
    """What is left of a formula for the rows of a scan, in its own names."""

    def is_at_hand(column: ColumnRef) -> bool:
        return place_of(column) == place

    found = (alternative(part, is_at_hand) for part in needed)
    return [_as_called(way, scan, place) for way in found if way is not None]


def _as_called(way: Alternative, scan: Scan, place: int) -> Alternative:
    """The alternative with columns as the scan calls them."""
    names = {f"{place}:{c.name}": ColumnRef(c.name, c.type, c.nullable) for c in scan.columns}

    def called(node: Node) -> Node:
        return names[node.name] if isinstance(node, ColumnRef) else node

    return Alternative(
        tuple(replace(e, low=called(e.low), high=called(e.high)) for e in way.edges),
        frozenset(names[column.name] for column in way.known),
        frozenset(names[column.name] for column in way.empty),
        tuple(substitute(test, names) for test in way.tests),
    )


def _is_within(way: Alternative, known: Callable[[ColumnRef], Range | None]) -> bool:
    """Whether some values within the ranges satisfy an alternative, its tests left aside."""
    edges = list(way.edges)
    for column in way.known | way.empty:
        found = known(column)
        if found is None:
            continue
        if column in way.empty and not found.nulls:
            return False
        if column in way.known:
            edges += _between(found, column)
    return is_satisfiable(edges)


def _between(found: Range, column: ColumnRef) -> list[Edge]:
    own = family(column.type)
    if own is None:
        return []
    if not has_sums(own):
        return [Edge(truth(found.low), column, 0), Edge(column, truth(found.high), 0)]
    low, high = value(found.low), value(found.high)
    if low is None or high is None:
        return []
    return [edge(ZERO, column, -low), edge(column, ZERO, high)]
