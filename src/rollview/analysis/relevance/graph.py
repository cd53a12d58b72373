"""The graph of a conjunction, and what is left of it when the rows of other tables are unknown.

Rosenkrantz and Hunt (1980), as used by Blakeley, Larson, Tompa (1986), section 4: a node for every
variable, an edge ``(x, y, c)`` for every ``x <= y + c``; the conjunction cannot be satisfied if and
only if a cycle has a negative sum. Floyd's algorithm run over the variables of other tables alone
closes the invariant part once. What it leaves between the columns of the changed row and the
constants is what a row must satisfy: for integers and dates no more and no less, since the longest
way round has been taken into account; with a dense variable on the way it may be too little.

A bound is a sum and whether it may be reached: 0 if not (strict), 1 if it may.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rollview.algebra.expressions import ColumnRef, Literal
from rollview.analysis.relevance.conditions import NO, YES
from rollview.analysis.relevance.domains import Number, is_before
from rollview.analysis.relevance.formulas import Edge
from rollview.analysis.relevance.linear import Node

Bound = tuple[Number, int]
Bounds = dict[tuple[Node, Node], Bound]
_NOTHING: Bound = (0, 1)


def left_of(edges: Iterable[Edge], is_at_hand: Callable[[ColumnRef], bool]) -> list[Edge] | None:
    """The edges that are left between constants and columns at hand; None if none can satisfy all.

    Edges that follow from others are not among them, nor are those between constants alone.
    """
    bounds = _bounds(edges)
    nodes = list(dict.fromkeys(node for pair in bounds for node in pair))
    unknown = [n for n in nodes if isinstance(n, ColumnRef) and not is_at_hand(n)]
    if not _closed(bounds, nodes, unknown):
        return None
    ends = [node for node in nodes if node not in unknown]
    left = {pair: bound for pair, bound in bounds.items() if not set(pair) & set(unknown)}
    if not _closed(dict(left), ends, ends):
        return None
    return _needed(left, ends)


def is_satisfiable(edges: Iterable[Edge]) -> bool:
    """Whether some values satisfy all edges, as far as the graph can tell."""
    bounds = _bounds(edges)
    nodes = list(dict.fromkeys(node for pair in bounds for node in pair))
    return _closed(bounds, nodes, nodes)


def _bounds(edges: Iterable[Edge]) -> Bounds:
    """The tightest edge of every pair, and what is known of the constants among the nodes."""
    bounds: Bounds = {}
    for edge in edges:
        _tighten(bounds, edge.low, edge.high, (edge.weight, 0 if edge.strict else 1))
    nodes = list(dict.fromkeys(node for pair in bounds for node in pair))
    truths = [node for node in nodes if node.type == "BOOLEAN"]
    for node in truths:
        _tighten(bounds, NO, node, _NOTHING)
        _tighten(bounds, node, YES, _NOTHING)
    constants = [node for node in nodes if isinstance(node, Literal)]
    constants += [NO, YES] if truths else []
    for one in constants:
        for two in constants:
            if is_before(one, two):
                _tighten(bounds, one, two, (0, 0))
    return bounds


def _tighten(bounds: Bounds, low: Node, high: Node, bound: Bound) -> None:
    found = bounds.get((low, high))
    if found is None or bound < found:
        bounds[low, high] = bound


def _plus(one: Bound, two: Bound) -> Bound:
    return one[0] + two[0], min(one[1], two[1])


def _closed(bounds: Bounds, nodes: Sequence[Node], through: Sequence[Node]) -> bool:
    """Add the ways through some nodes, Floyd's algorithm; False if a cycle is negative."""
    if _is_negative(bounds):
        return False
    for middle in through:
        into = [(n, bounds[n, middle]) for n in nodes if (n, middle) in bounds and n != middle]
        out = [(n, bounds[middle, n]) for n in nodes if (middle, n) in bounds and n != middle]
        for low, first in into:
            for high, second in out:
                _tighten(bounds, low, high, _plus(first, second))
        if _is_negative(bounds):
            return False
    return True


def _is_negative(bounds: Bounds) -> bool:
    return any(low == high and bound < _NOTHING for (low, high), bound in bounds.items())


def _needed(bounds: Bounds, nodes: list[Node]) -> list[Edge]:
    """The edges of columns that do not follow from the others; those with constants stay rather."""
    left = {(low, high): bound for (low, high), bound in bounds.items() if low != high}
    ordered = sorted(
        (pair for pair in left if any(isinstance(node, ColumnRef) for node in pair)),
        key=lambda pair: -sum(isinstance(node, ColumnRef) for node in pair),
    )
    for pair in ordered:
        rest = {other: bound for other, bound in left.items() if other != pair}
        found = _shortest(rest, nodes, pair)
        if found is not None and found <= left[pair]:
            left = rest
    return [
        Edge(low, high, bound[0], bound[1] == 0)
        for (low, high), bound in left.items()
        if isinstance(low, ColumnRef) or isinstance(high, ColumnRef)
    ]


def _shortest(bounds: Bounds, nodes: list[Node], pair: tuple[Node, Node]) -> Bound | None:
    """The shortest way from one node to another; there are no negative cycles."""
    reached: dict[Node, Bound] = {pair[0]: _NOTHING}
    for _ in nodes:
        grown = False
        for (low, high), bound in bounds.items():
            if low in reached:
                way = _plus(reached[low], bound)
                if high not in reached or way < reached[high]:
                    reached[high], grown = way, True
        if not grown:
            break
    return reached.get(pair[1])
